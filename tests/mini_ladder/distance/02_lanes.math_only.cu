// Lanes, math only: the squares are added of numbers that never left the registers.
//
// Change   Nothing is read from memory.

// region: constants
constexpr int THREADS = 128;
constexpr int SPLIT = 2;  // blocks that share a point
// endregion

// A half as a float, without the header that other files would need for it.
__device__ float widen(unsigned short bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

extern "C" __global__ void __launch_bounds__(THREADS)
distance(const unsigned short* __restrict__ x,       // [points][dimensions]
         const unsigned short* __restrict__ centre,  // [dimensions]
         float* __restrict__ d,                      // [points]
         int points, int dimensions)
{
    // region: index
    const int lane = threadIdx.x % 32;
    const int point = (blockIdx.x * THREADS + threadIdx.x) / 32;
    // endregion

    if (point < points) {
        // region: compute
        float sum = 0.0f;
        for (int k = blockIdx.z * 32 + lane; k < dimensions; k += SPLIT * 32) {
            const float difference = k * 0.25f - lane;
            sum += difference * difference;
        }
        for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
        // endregion

        // region: store
        if (lane == 0) {
            if (SPLIT == 1) d[point] = sum;
            else atomicAdd(&d[point], sum);
        }
        // endregion
    }
}
