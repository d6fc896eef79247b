// Lanes, placement: the rung, and each block notes which SM it ran on and when.
//
// Change   A stamp at the start and one at the end of each block, through one more argument.

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

// Nanoseconds since some moment, the same for all SMs.
__device__ unsigned long long now()
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns) :: "memory");
    return ns;
}

extern "C" __global__ void __launch_bounds__(THREADS)
distance(const unsigned short* __restrict__ x,       // [points][dimensions]
         const unsigned short* __restrict__ centre,  // [dimensions]
         float* __restrict__ d,                      // [points]
         int points, int dimensions,
         unsigned long long* __restrict__ stamps)    // [blocks][3]: SM, start and end in ns
{
    // region: stamp_start
    const unsigned long long start = now();
    // endregion

    // region: index
    const int lane = threadIdx.x % 32;
    const int point = (blockIdx.x * THREADS + threadIdx.x) / 32;
    // endregion

    if (point < points) {
        // region: compute
        float sum = 0.0f;
        for (int k = blockIdx.z * 32 + lane; k < dimensions; k += SPLIT * 32) {
            const float difference = widen(x[point * dimensions + k]) - widen(centre[k]);
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

    // region: stamp_end
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sm;
        asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
        const int block = blockIdx.z * gridDim.x + blockIdx.x;
        stamps[block * 3] = sm;
        stamps[block * 3 + 1] = start;
        stamps[block * 3 + 2] = now();
    }
    // endregion
}
