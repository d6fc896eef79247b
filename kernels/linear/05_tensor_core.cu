// Tensor cores: a warp multiplies whole fragments with one instruction.
//
// Idea     mma.sync m16n8k16 multiplies a 16 x 16 piece of X by a 16 x 8 piece of W transposed and adds the 16 x 8
//          result. Each of the 32 threads of a warp holds a few cells of each piece in its registers. A row of W is a
//          column of its transpose, so W is read as it lies.
// Change   The multiply-adds of the rung before become MMA instructions; each warp owns 16 rows of the tile.
// Expect   The arithmetic almost disappears. The wait for device memory in front of every slice stays.

#include <cuda_fp16.h>

// region: constants
constexpr int TILE_ROWS = 128;  // rows of W (columns of Y) that a block owns
constexpr int BATCH = 16;       // rows of X that a block owns: the 16 rows of an MMA
constexpr int K_SLICE = 32;     // columns of W and X in shared memory at a time
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

extern "C" __global__ void __launch_bounds__(THREADS)
linear(const __half* __restrict__ x,  // [batch][in_features]
       const __half* __restrict__ w,  // [out_features][in_features]
       float* __restrict__ y,         // [batch][out_features]
       int batch, int out_features, int in_features)
{
    __shared__ alignas(16) __half w_tile[TILE_ROWS][STRIDE];
    __shared__ alignas(16) __half x_tile[BATCH][STRIDE];

    // region: index
    const int group = threadIdx.x % 32 / 4;            // this thread's row of a fragment
    const int pair = threadIdx.x % 4 * 2;              // and the first of its two neighbouring columns
    const int warp_row = threadIdx.x / 32 * WARP_ROWS;
    const int first_row = blockIdx.x * TILE_ROWS;
    const int first_batch = blockIdx.y * BATCH;
    float sum[MMAS][4] = {};
    // endregion

#pragma unroll 1  // one slice an iteration, as written
    for (int k0 = 0; k0 < in_features; k0 += K_SLICE) {
        // region: load
        for (int i = 0; i < TILE_ROWS * VECTORS; i += THREADS) {
            const int r = (i + threadIdx.x) / VECTORS, k = threadIdx.x % VECTORS * 8;
            *(uint4*)&w_tile[r][k] = *(const uint4*)&w[(first_row + r) * in_features + k0 + k];
        }
        for (int i = 0; i < BATCH * VECTORS && i + threadIdx.x < BATCH * VECTORS; i += THREADS) {
            const int r = (i + threadIdx.x) / VECTORS, k = threadIdx.x % VECTORS * 8;
            const int from = min(first_batch + r, batch - 1);  // rows past the end repeat the last; they are not stored
            *(uint4*)&x_tile[r][k] = *(const uint4*)&x[from * in_features + k0 + k];
        }
        __syncthreads();
        // endregion

        // region: compute
        for (int k = 0; k < K_SLICE; k += 16) {
            const unsigned a[4] = {*(const unsigned*)&x_tile[group][k + pair],
                                   *(const unsigned*)&x_tile[group + 8][k + pair],
                                   *(const unsigned*)&x_tile[group][k + pair + 8],
                                   *(const unsigned*)&x_tile[group + 8][k + pair + 8]};
            for (int m = 0; m < MMAS; ++m) {
                const __half* w_row = w_tile[warp_row + m * 8 + group];
                const unsigned b[2] = {*(const unsigned*)&w_row[k + pair], *(const unsigned*)&w_row[k + pair + 8]};
                mma(sum[m], a, b);
            }
        }
        __syncthreads();
        // endregion
    }

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
