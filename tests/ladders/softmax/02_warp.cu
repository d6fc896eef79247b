// A warp a row: the lanes of a warp exchange what they found without shared memory.
//
// Idea     A warp needs no barrier: its lanes hand values to each other by shuffles.
// Change   A row belongs to a warp, and the two sums over a block become shuffles.
// Expect   No wait at barriers.

// region: constants
constexpr int THREADS = 128;  // four warps, each of which owns one row
// endregion

extern "C" __global__ void __launch_bounds__(THREADS)
softmax(float* __restrict__ x, int rows, int columns)
{
    // region: index
    const int lane = threadIdx.x % 32;
    const int mine = blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    float* const row = x + (long long)mine * columns;
    // endregion

    if (mine < rows) {
        // region: compute
        float most = -3.402823e38f;
        for (int i = lane; i < columns; i += 32) most = fmaxf(most, row[i]);
        for (int half = 16; half > 0; half /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, half));
        float sum = 0.0f;
        for (int i = lane; i < columns; i += 32) sum += expf(row[i] - most);
        for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, half);
        // endregion

        // region: store
        for (int i = lane; i < columns; i += 32) row[i] = expf(row[i] - most) / sum;
        // endregion
    }
}
