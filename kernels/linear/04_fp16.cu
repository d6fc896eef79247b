// FP16: the same kernel on 16-bit inputs. Sums stay 32-bit, and tensor cores stay idle.
//
// Idea     W and X arrive as 16-bit floats, so the same number of values is half the bytes. Each is widened to 32 bits
//          after it is read from shared memory, and multiplied and added as before.
// Change   The type of the inputs, and a widening behind each read of shared memory.
// Expect   Half the bytes to fetch. Widening adds instructions, so the gain is smaller than the bytes promise.

#include <cuda_fp16.h>

// region: constants
constexpr int TILE_ROWS = 128;  // rows of W (columns of Y) that a block owns
constexpr int BATCH = 16;       // rows of X that a block owns
constexpr int K_SLICE = 32;     // columns of W and X in shared memory at a time
constexpr int THREADS = 256;
constexpr int ROWS = 4;         // rows of W a thread owns, 32 apart
constexpr int COLS = 2;         // rows of X a thread owns, 8 apart
// endregion

constexpr int STRIDE = K_SLICE + 8;   // rows stay 16-byte aligned; 8 rows at one column fall into different bank groups
constexpr int VECTORS = K_SLICE / 8;  // 16-byte pieces of a row

// Four neighbouring 16-bit values, widened to 32 bits.
__device__ float4 widen(const __half* four)
{
    const uint2 raw = *(const uint2*)four;
    const float2 low = __half22float2(*(const __half2*)&raw.x), high = __half22float2(*(const __half2*)&raw.y);
    return {low.x, low.y, high.x, high.y};
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
    const int row = threadIdx.x % 8 + threadIdx.x / 64 * 8;  // rows row, row + 32, row + 64, row + 96 of the tile of W
    const int b = threadIdx.x / 8 % 8;                       // rows b and b + 8 of the tile of X
    const int first_row = blockIdx.x * TILE_ROWS;
    const int first_batch = blockIdx.y * BATCH;
    float sum[ROWS][COLS] = {};
    // endregion

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
        for (int k = 0; k < K_SLICE; k += 4) {
            float4 w_reg[ROWS], x_reg[COLS];
            for (int r = 0; r < ROWS; ++r) w_reg[r] = widen(&w_tile[row + r * (TILE_ROWS / ROWS)][k]);
            for (int c = 0; c < COLS; ++c) x_reg[c] = widen(&x_tile[b + c * (BATCH / COLS)][k]);
            for (int r = 0; r < ROWS; ++r) {
                for (int c = 0; c < COLS; ++c) {
                    sum[r][c] += w_reg[r].x * x_reg[c].x;
                    sum[r][c] += w_reg[r].y * x_reg[c].y;
                    sum[r][c] += w_reg[r].z * x_reg[c].z;
                    sum[r][c] += w_reg[r].w * x_reg[c].w;
                }
            }
        }
        __syncthreads();
        // endregion
    }

    // region: store
    for (int r = 0; r < ROWS; ++r) {
        for (int c = 0; c < COLS; ++c) {
            const int batch_row = first_batch + b + c * (BATCH / COLS);
            const int out = first_row + row + r * (TILE_ROWS / ROWS);
            if (batch_row < batch) y[batch_row * out_features + out] = sum[r][c];
        }
    }
    // endregion
}
