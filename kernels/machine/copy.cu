// Copy an array: every byte read once and written once, 16 bytes a thread at a time, four of them on their way.

constexpr int THREADS = 512;
constexpr int UNROLL = 4;

extern "C" __global__ void __launch_bounds__(THREADS)
copy(const uint4* __restrict__ from, uint4* __restrict__ to, unsigned long long count)  // count of 16-byte vectors
{
    const unsigned long long stride = (unsigned long long)gridDim.x * THREADS;
    unsigned long long i = (unsigned long long)blockIdx.x * THREADS + threadIdx.x;
    for (; i + (UNROLL - 1) * stride < count; i += UNROLL * stride) {
        uint4 value[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) value[u] = from[i + u * stride];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) to[i + u * stride] = value[u];
    }
    for (; i < count; i += stride) to[i] = from[i];
}
