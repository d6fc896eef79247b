// The peak of mma.sync m16n8k16 (bf16 in, fp32 sums): eight independent accumulators a warp, nothing else in the loop.

constexpr int THREADS = 512;
constexpr int CHAINS = 8;
constexpr int UNROLL = 8;

extern "C" __global__ void __launch_bounds__(THREADS)
peak_hmma_bf16(float* __restrict__ out, int rounds)
{
    float d[CHAINS][4] = {};
    // Operands with many different bits: a unit that multiplies zeros or ones may run cooler, and so faster.
    const unsigned lane = threadIdx.x * 2654435761u + blockIdx.x * 40503u;
    const unsigned a0 = 0x3f003e00u | (lane & 0x007f007fu), a1 = a0 ^ 0x01230321u, a2 = a0 ^ 0x02310132u, a3 = a0 ^ 0x80008000u;
    const unsigned b0 = 0x3e003f00u | (lane >> 5 & 0x007f007fu), b1 = b0 ^ 0x80008000u;
    for (int i = 0; i < rounds; ++i) {
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
#pragma unroll
            for (int c = 0; c < CHAINS; ++c) {
                asm volatile(
                    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                    : "+f"(d[c][0]), "+f"(d[c][1]), "+f"(d[c][2]), "+f"(d[c][3])
                    : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
            }
        }
    }
    float total = 0.0f;
    for (int c = 0; c < CHAINS; ++c) total += d[c][0] + d[c][1] + d[c][2] + d[c][3];
    if (total == 1.234567f) out[0] = total;
}
