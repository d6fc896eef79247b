// One thread a cell: each thread of a square block computes one cell of C.
//
// Idea     Neighbouring threads own neighbouring columns, so what they read of B lies side by side.
// Change   Nothing comes before.
// Expect   Every value of A and B is read once for each cell that needs it.

// region: constants
constexpr int TILE = 16;  // rows and columns of C that a block owns
// endregion

extern "C" __global__ void __launch_bounds__(TILE * TILE)
sgemm(int M, int N, int K, float alpha, const float* __restrict__ a, const float* __restrict__ b, float beta,
      float* __restrict__ c)
{
    // region: index
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int column = blockIdx.x * TILE + threadIdx.x;
    if (row >= M || column >= N) return;
    // endregion

    // region: compute
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += a[row * K + k] * b[k * N + column];
    // endregion

    // region: store
    c[row * N + column] = alpha * sum + beta * c[row * N + column];
    // endregion
}
