// Direct: one thread adds up one point's distance.
//
// Idea     The shortest program that is right.
// Change   None, this is the first.
// Expect   Neighbouring threads read addresses that lie a whole point apart.

// region: constants
constexpr int THREADS = 128;
// endregion

extern "C" __global__ void __launch_bounds__(THREADS)
distance(const float* __restrict__ x,       // [points][dimensions]
         const float* __restrict__ centre,  // [dimensions]
         float* __restrict__ d,             // [points]
         int points, int dimensions)
{
    // region: index
    const int point = blockIdx.x * THREADS + threadIdx.x;
    if (point >= points) return;
    // endregion

    // region: compute
    float sum = 0.0f;
    for (int k = 0; k < dimensions; ++k) {
        const float difference = x[point * dimensions + k] - centre[k];
        sum += difference * difference;
    }
    // endregion

    // region: store
    d[point] = sum;
    // endregion
}
