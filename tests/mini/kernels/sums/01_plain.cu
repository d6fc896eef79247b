// Plain: one thread adds up one row.
//
// Idea: the shortest program that is right.
// Change from the rung before: none, this is the first.
// What to expect: neighbouring threads read addresses that lie a whole row apart.

// region: constants
constexpr int THREADS = 128;
// endregion

extern "C" __global__ void sums(const float *__restrict__ x, float *__restrict__ y, int rows, int columns) {
    // region: index
    const int row = blockIdx.x * THREADS + threadIdx.x;
    if (row >= rows) return;
    // endregion

    // region: compute
    float sum = 0.0f;
    for (int k = 0; k < columns; ++k) sum += x[row * columns + k];
    // endregion

    // region: store
    y[row] = sum;
    // endregion
}
