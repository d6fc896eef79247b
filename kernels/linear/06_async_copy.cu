// Async copy: the next slice travels while this one is multiplied.
//
// Idea     cp.async copies 16 bytes from device memory to shared memory without passing through registers, and the
//          thread goes on at once. With two buffers, slice k + 1 is requested before slice k is multiplied.
// Change   Loads become background copies into two buffers; a wait and a barrier stand where the load stood.
// Expect   The wait for device memory and the multiplying overlap. At most two slices a block are on their way, so with
//          few blocks the memory system still has little to do.

#include <cuda_fp16.h>

// region: constants
constexpr int TILE_ROWS = 128;  // rows of W (columns of Y) that a block owns
constexpr int BATCH = 16;       // rows of X that a block owns: the 16 rows of an MMA
constexpr int K_SLICE = 32;     // columns of W and X in one buffer
constexpr int WARP_ROWS = 16;   // rows of W a warp owns: two MMAs of 8
constexpr int THREADS = 256;    // TILE_ROWS / WARP_ROWS warps of 32
// endregion

constexpr int STRIDE = K_SLICE + 8;     // rows stay 16-byte aligned; a fragment's reads fall into 32 different banks
constexpr int VECTORS = K_SLICE / 8;    // 16-byte pieces of a row
constexpr int MMAS = WARP_ROWS / 8;

// d += a * b for one 16 x 8 x 16 fragment.
__device__ void mma(float d[4], const unsigned a[4], const unsigned b[2])
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Request 16 bytes for shared memory and return at once.
__device__ void copy_16(__half* shared, const __half* global)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :: "r"((unsigned)__cvta_generic_to_shared(shared)), "l"(global) : "memory");
}

extern "C" __global__ void __launch_bounds__(THREADS)
linear(const __half* __restrict__ x,  // [batch][in_features]
       const __half* __restrict__ w,  // [out_features][in_features]
       float* __restrict__ y,         // [batch][out_features]
       int batch, int out_features, int in_features)
{
    __shared__ alignas(16) __half w_tile[2][TILE_ROWS][STRIDE];
    __shared__ alignas(16) __half x_tile[2][BATCH][STRIDE];

    // region: index
    const int group = threadIdx.x % 32 / 4;            // this thread's row of a fragment
    const int pair = threadIdx.x % 4 * 2;              // and the first of its two neighbouring columns
    const int warp_row = threadIdx.x / 32 * WARP_ROWS;
    const int first_row = blockIdx.x * TILE_ROWS;
    const int first_batch = blockIdx.y * BATCH;
    float sum[MMAS][4] = {};
    // endregion

    // region: load
    const auto request = [&](int buffer, int k0) {
        for (int i = 0; i < TILE_ROWS * VECTORS; i += THREADS) {
            const int r = (i + threadIdx.x) / VECTORS, k = threadIdx.x % VECTORS * 8;
            copy_16(&w_tile[buffer][r][k], &w[(first_row + r) * in_features + k0 + k]);
        }
        for (int i = 0; i < BATCH * VECTORS && i + threadIdx.x < BATCH * VECTORS; i += THREADS) {
            const int r = (i + threadIdx.x) / VECTORS, k = threadIdx.x % VECTORS * 8;
            const int from = min(first_batch + r, batch - 1);  // rows past the end repeat the last; they are not stored
            copy_16(&x_tile[buffer][r][k], &x[from * in_features + k0 + k]);
        }
    };
    // endregion

    // region: compute
    const auto multiply = [&](int buffer) {
        for (int k = 0; k < K_SLICE; k += 16) {
            const unsigned a[4] = {*(const unsigned*)&x_tile[buffer][group][k + pair],
                                   *(const unsigned*)&x_tile[buffer][group + 8][k + pair],
                                   *(const unsigned*)&x_tile[buffer][group][k + pair + 8],
                                   *(const unsigned*)&x_tile[buffer][group + 8][k + pair + 8]};
            for (int m = 0; m < MMAS; ++m) {
                const __half* w_row = w_tile[buffer][warp_row + m * 8 + group];
                const unsigned b[2] = {*(const unsigned*)&w_row[k + pair], *(const unsigned*)&w_row[k + pair + 8]};
                mma(sum[m], a, b);
            }
        }
    };
    // endregion

    // region: loop
    request(0, 0);
    asm volatile("cp.async.commit_group;" ::: "memory");
#pragma unroll 1  // one slice an iteration, as written
    for (int k0 = 0, buffer = 0; k0 < in_features; k0 += K_SLICE, buffer ^= 1) {
        if (k0 + K_SLICE < in_features) request(buffer ^ 1, k0 + K_SLICE);
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");  // all but the newest request have landed
        __syncthreads();                                      // for every thread of the block
        multiply(buffer);
        __syncthreads();                                      // nobody reads this buffer any more
    }
    // endregion

    // region: store
    for (int m = 0; m < MMAS; ++m) {
        for (int i = 0; i < 4; ++i) {
            const int batch_row = first_batch + group + i / 2 * 8;
            const int out = first_row + warp_row + m * 8 + pair + i % 2;
            if (batch_row < batch) y[batch_row * out_features + out] = sum[m][i];
        }
    }
    // endregion
}
