// A cluster a row: two blocks add up half a row each, and one reads the other's sum from its shared memory.
//
// Idea     Blocks of a cluster run at the same time and may read each other's shared memory.
// Change   A row belongs to two blocks; the sum is stored as bfloat16.
// Expect   Twice as many blocks.

#include <cuda_bf16.h>

// region: constants
constexpr int THREADS = 128;  // of each of the two blocks
// endregion

extern "C" __global__ void __launch_bounds__(THREADS)
row_sums(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y, int rows, int columns)
{
    __shared__ float part[THREADS];

    // region: index
    const int half = columns / 2;
    const __nv_bfloat16* const mine = x + (long long)blockIdx.y * columns + blockIdx.x * half;
    asm volatile("griddepcontrol.wait;" ::: "memory");  // the launch before may still be at work
    // endregion

    // region: compute
    float sum = 0.0f;
    for (int i = threadIdx.x; i < half; i += THREADS) sum += __bfloat162float(mine[i]);
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int step = THREADS / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
    // endregion

    // region: store
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        unsigned other;
        float theirs;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(other) : "r"((unsigned)__cvta_generic_to_shared(part)));
        asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(theirs) : "r"(other) : "memory");
        y[blockIdx.y] = __float2bfloat16(part[0] + theirs);
    }
    asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");  // it is read until here
    // endregion
}
