// Tuned: the split moves inside the block, W goes straight to registers, and a sweep picks the sizes.
//
// Idea     Each value of W is used by one warp only, so a stop in shared memory shares nothing. The warps of a block take
//          different columns of the same rows, keep their part of the sums, and add the parts in shared memory at the end.
// Change   No buffers, no barrier in the loop, no zeroing and no atomics. TILE_ROWS, SPLIT and K_SLICE are the winner of
//          a sweep over every legal setting on warm runs.
// Expect   Many 16-byte loads of each thread on their way at once, nothing to wait for but them, one store a cell, and
//          the same bits at every launch.

#include <cuda_fp16.h>

// region: constants
constexpr int TILE_ROWS = 32;  // rows of W (columns of Y) that a block owns
constexpr int BATCH = 16;      // rows of X that a block owns: the 16 rows of an MMA
constexpr int K_SLICE = 256;   // columns of W that a warp requests at a time
constexpr int SPLIT = 16;      // warps of a block, each with its share of the columns
constexpr int THREADS = 512;   // SPLIT warps of 32
// endregion

constexpr int STEPS = K_SLICE / 32;    // one 16-byte load of each of four threads covers 32 columns of a row
constexpr int MMAS = TILE_ROWS / 8;

// d += a * b for one 16 x 8 x 16 fragment.
__device__ void mma(float d[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

extern "C" __global__ void __launch_bounds__(THREADS)
linear(const __half* __restrict__ x,  // [batch][in_features]
       const __half* __restrict__ w,  // [out_features][in_features]
       float* __restrict__ y,         // [batch][out_features]
       int batch, int out_features, int in_features)
{
    __shared__ float part[SPLIT][BATCH][TILE_ROWS + 1];

    // region: index
    const int warp = threadIdx.x / 32;
    const int group = threadIdx.x % 32 / 4;  // this thread's row of a fragment
    const int quarter = threadIdx.x % 4;     // and its eight neighbouring columns of 32
    const int first_row = blockIdx.x * TILE_ROWS;
    const int first_batch = blockIdx.y * BATCH;
    const int low = min(first_batch + group, batch - 1);  // rows past the end repeat the last; they are not stored
    const int high = min(first_batch + group + 8, batch - 1);
    float sum[MMAS][4] = {};
    // endregion

    for (int k0 = warp * K_SLICE; k0 < in_features; k0 += SPLIT * K_SLICE) {
        // region: load
        uint4 w_next[STEPS][MMAS], x_next[STEPS][2];
        for (int s = 0; s < STEPS; ++s) {
            for (int m = 0; m < MMAS; ++m) {
                const int row = first_row + m * 8 + group;
                w_next[s][m] = __ldcg((const uint4*)&w[row * in_features + k0 + s * 32 + quarter * 8]);
            }
        }
        for (int s = 0; s < STEPS; ++s) {
            x_next[s][0] = *(const uint4*)&x[low * in_features + k0 + s * 32 + quarter * 8];
            x_next[s][1] = *(const uint4*)&x[high * in_features + k0 + s * 32 + quarter * 8];
        }
        // endregion

        // region: compute
        for (int s = 0; s < STEPS; ++s) {  // columns may be summed in any order, if X and W agree on it
            const uint4 a = x_next[s][0], c = x_next[s][1];
            for (int m = 0; m < MMAS; ++m) {
                const uint4 b = w_next[s][m];
                mma(sum[m], a.x, c.x, a.y, c.y, b.x, b.y);
                mma(sum[m], a.z, c.z, a.w, c.w, b.z, b.w);
            }
        }
        // endregion
    }

    // region: store
    for (int m = 0; m < MMAS; ++m) {
        for (int i = 0; i < 4; ++i) part[warp][group + i / 2 * 8][m * 8 + quarter * 2 + i % 2] = sum[m][i];
    }
    __syncthreads();
    for (int cell = threadIdx.x; cell < BATCH * TILE_ROWS; cell += THREADS) {
        const int b = cell / TILE_ROWS, row = cell % TILE_ROWS;
        float total = 0.0f;
        for (int p = 0; p < SPLIT; ++p) total += part[p][b][row];
        if (first_batch + b < batch) y[(first_batch + b) * out_features + first_row + row] = total;
    }
    // endregion
}
