// The peak of 32-bit multiply-adds: eight independent chains a thread, nothing else in the loop.

constexpr int THREADS = 512;
constexpr int CHAINS = 8;
constexpr int UNROLL = 16;

extern "C" __global__ void __launch_bounds__(THREADS)
peak_fma(float* __restrict__ out, int rounds)
{
    float sum[CHAINS];
    const float a = 1.0f + threadIdx.x * 1e-7f, b = blockIdx.x * 1e-7f;
    for (int c = 0; c < CHAINS; ++c) sum[c] = c;
    for (int i = 0; i < rounds; ++i) {
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
#pragma unroll
            for (int c = 0; c < CHAINS; ++c) sum[c] = sum[c] * a + b;
        }
    }
    float total = 0.0f;
    for (int c = 0; c < CHAINS; ++c) total += sum[c];
    if (total == 1.234567f) out[0] = total;
}
