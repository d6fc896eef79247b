// A block a row: the threads of a block find the largest value of a row, add up, and divide.
//
// Idea     The row stays where it is; three passes read it, and the last one writes it.
// Change   Nothing comes before.
// Expect   The second and third pass find the row in a cache.

// region: constants
constexpr int THREADS = 128;  // of a block, which owns one row
// endregion

extern "C" __global__ void __launch_bounds__(THREADS)
softmax(float* __restrict__ x, int rows, int columns)
{
    __shared__ float part[THREADS];

    // region: index
    float* const row = x + (long long)blockIdx.x * columns;
    // endregion

    // region: compute
    float most = -3.402823e38f;
    for (int i = threadIdx.x; i < columns; i += THREADS) most = fmaxf(most, row[i]);
    part[threadIdx.x] = most;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
    most = part[0];
    __syncthreads();
    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += THREADS) sum += expf(row[i] - most);
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    sum = part[0];
    // endregion

    // region: store
    for (int i = threadIdx.x; i < columns; i += THREADS) row[i] = expf(row[i] - most) / sum;
    // endregion
}
