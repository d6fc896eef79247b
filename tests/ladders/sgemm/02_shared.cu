// Shared tiles: a block brings a tile of A and one of B to shared memory and uses each value many times.
//
// Idea     A value that a block has brought once serves a whole row or column of its cells.
// Change   Loads go through shared memory, a tile of K at a time.
// Expect   A sixteenth of the loads from device memory.

// region: constants
constexpr int TILE = 16;  // rows and columns of C that a block owns, and of K in one tile
// endregion

extern "C" __global__ void __launch_bounds__(TILE * TILE)
sgemm(int M, int N, int K, float alpha, const float* __restrict__ a, const float* __restrict__ b, float beta,
      float* __restrict__ c)
{
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];

    // region: index
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    // endregion

    for (int k0 = 0; k0 < K; k0 += TILE) {
        // region: load
        const int a_column = k0 + threadIdx.x, b_row = k0 + threadIdx.y;
        a_tile[threadIdx.y][threadIdx.x] = row < M && a_column < K ? a[row * K + a_column] : 0.0f;
        b_tile[threadIdx.y][threadIdx.x] = b_row < K && column < N ? b[b_row * N + column] : 0.0f;
        __syncthreads();
        // endregion

        // region: compute
        for (int k = 0; k < TILE; ++k) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
        __syncthreads();
        // endregion
    }

    // region: store
    if (row < M && column < N) c[row * N + column] = alpha * sum + beta * c[row * N + column];
    // endregion
}
