// Shared: the block fetches a tile of W and X together, then reads it from shared memory.
//
// Idea     A block owns TILE_ROWS rows of W and all rows of X. For each slice of K_SLICE columns its threads copy both
//          tiles into shared memory with neighbouring threads reading neighbouring addresses, wait for each other, and
//          then every thread adds up its cell from there.
// Change   Loads from device memory are now coalesced, and each value of W leaves device memory once for all of X.
// Expect   Much faster than the naive rung. What remains is two reads of shared memory for every multiply-add, and a
//          wait for device memory in front of every slice.

// region: constants
constexpr int TILE_ROWS = 64;  // rows of W (columns of Y) that a block owns
constexpr int BATCH = 16;      // rows of X that a block owns
constexpr int K_SLICE = 32;    // columns of W and X in shared memory at a time
constexpr int THREADS = 1024;  // TILE_ROWS x BATCH: one thread a cell
// endregion

constexpr int STRIDE = K_SLICE + 1;  // one word of padding: 32 rows at the same column fall into 32 banks

extern "C" __global__ void __launch_bounds__(THREADS)
linear(const float* __restrict__ x,  // [batch][in_features]
       const float* __restrict__ w,  // [out_features][in_features]
       float* __restrict__ y,        // [batch][out_features]
       int batch, int out_features, int in_features)
{
    __shared__ float w_tile[TILE_ROWS][STRIDE];
    __shared__ float x_tile[BATCH][STRIDE];

    // region: index
    const int row = threadIdx.x % TILE_ROWS;    // this thread's row of the tile of W
    const int b = threadIdx.x / TILE_ROWS;      // and its row of the tile of X
    const int first_row = blockIdx.x * TILE_ROWS;
    const int first_batch = blockIdx.y * BATCH;
    float sum = 0.0f;
    // endregion

    for (int k0 = 0; k0 < in_features; k0 += K_SLICE) {
        // region: load
        for (int i = 0; i < TILE_ROWS * K_SLICE; i += THREADS) {
            const int r = (i + threadIdx.x) / K_SLICE, k = threadIdx.x % K_SLICE;
            w_tile[r][k] = w[(first_row + r) * in_features + k0 + k];
        }
        for (int i = 0; i < BATCH * K_SLICE && i + threadIdx.x < BATCH * K_SLICE; i += THREADS) {
            const int r = (i + threadIdx.x) / K_SLICE, k = threadIdx.x % K_SLICE;
            x_tile[r][k] = x[min(first_batch + r, batch - 1) * in_features + k0 + k];  // past the end: not stored
        }
        __syncthreads();
        // endregion

        // region: compute
        for (int k = 0; k < K_SLICE; ++k) {
            sum += x_tile[b][k] * w_tile[row][k];
        }
        __syncthreads();
        // endregion
    }

    // region: store
    if (first_batch + b < batch) y[(first_batch + b) * out_features + first_row + row] = sum;
    // endregion
}
