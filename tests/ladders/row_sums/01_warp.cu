// A warp a row: the lanes of a warp add up a row of bfloat16 numbers in fp32.
//
// Idea     A number of 16 bits is the upper half of an fp32 number: a shift converts it.
// Change   Nothing comes before.
// Expect   The time of reading every number once.

#include <cuda_bf16.h>

// region: constants
constexpr int THREADS = 128;  // four warps, each of which owns one row
// endregion

extern "C" __global__ void __launch_bounds__(THREADS)
row_sums(const __nv_bfloat16* __restrict__ x, float* __restrict__ y, int rows, int columns)
{
    // region: index
    const int lane = threadIdx.x % 32;
    const int row = blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    if (row >= rows) return;
    // endregion

    // region: compute
    float sum = 0.0f;
    for (int i = lane; i < columns; i += 32) sum += __bfloat162float(x[(long long)row * columns + i]);
    for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, half);
    // endregion

    // region: store
    if (lane == 0) y[row] = sum;
    // endregion
}
