// Read every byte of an array once and do nothing else: the floor of any kernel that must read it.
//
// Each thread keeps eight independent 16-byte loads on their way. The sum is stored only when it has a value that the
// data cannot give, so the loads cannot be left out and nothing is written.

constexpr int THREADS = 512;
constexpr int UNROLL = 8;

extern "C" __global__ void __launch_bounds__(THREADS)
read(const uint4* __restrict__ data, unsigned* __restrict__ out, unsigned long long count)  // count of 16-byte vectors
{
    const unsigned long long stride = (unsigned long long)gridDim.x * THREADS;
    unsigned sum = 0;
    unsigned long long i = (unsigned long long)blockIdx.x * THREADS + threadIdx.x;
    for (; i + (UNROLL - 1) * stride < count; i += UNROLL * stride) {
        uint4 value[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) value[u] = data[i + u * stride];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) sum |= value[u].x & value[u].y & value[u].z & value[u].w;
    }
    for (; i < count; i += stride) sum |= data[i].x & data[i].y & data[i].z & data[i].w;
    if (sum == 0x5ca1ab1eu) out[0] = sum;
}
