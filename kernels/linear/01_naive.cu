// Naive: one thread for each cell of Y.
//
// Idea     Thread i owns one cell of Y. It walks along one row of X and one row of W and adds up the products.
// Change   This is the start: nothing is shared, nothing is kept.
// Expect   Correct for every size and very slow. The 32 threads of a warp own 16 rows of X and two rows of W, so at
//          every step they read from 18 places that lie a whole row apart in memory: 18 lines for 18 numbers.

// region: constants
constexpr int THREADS = 256;
// endregion

extern "C" __global__ void __launch_bounds__(THREADS)
linear(const float* __restrict__ x,  // [batch][in_features]
       const float* __restrict__ w,  // [out_features][in_features]
       float* __restrict__ y,        // [batch][out_features]
       int batch, int out_features, int in_features)
{
    // region: index
    const int cell = blockIdx.x * THREADS + threadIdx.x;
    if (cell >= batch * out_features) return;
    const int b = cell % batch;  // row of X
    const int o = cell / batch;  // row of W
    // endregion

    // region: compute
    float sum = 0.0f;
    for (int k = 0; k < in_features; ++k) {
        sum += x[b * in_features + k] * w[o * in_features + k];
    }
    // endregion

    // region: store
    y[b * out_features + o] = sum;
    // endregion
}
