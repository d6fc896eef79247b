// The peak of reading shared memory: 16 bytes a thread and read, no two threads of a quarter warp on one bank.

constexpr int THREADS = 512;
constexpr int UNROLL = 16;

extern "C" __global__ void __launch_bounds__(THREADS)
peak_smem(unsigned* __restrict__ out, int rounds)
{
    __shared__ uint4 words[2 * THREADS];
    for (int i = threadIdx.x; i < 2 * THREADS; i += THREADS) words[i] = {threadIdx.x, blockIdx.x, 1u, 2u};
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < rounds; ++i) {
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            const unsigned address = (unsigned)__cvta_generic_to_shared(&words[threadIdx.x + u % 2 * THREADS]);
            uint4 v;
            asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(address));
            sum ^= v.x ^ v.y ^ v.z ^ v.w;
        }
    }
    if (sum == 0x5ca1ab1eu) out[0] = sum;
}
