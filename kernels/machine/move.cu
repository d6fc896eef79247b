// Read and write every byte that a problem must move and do nothing else: the floor of any kernel that solves it.
//
// Each thread keeps eight independent 16-byte loads on their way. What is read and not written is stored only when it
// adds up to a value that the data cannot give, so the loads cannot be left out. What is both is written back as it was.

constexpr int THREADS = 512;
constexpr int UNROLL = 8;
constexpr int MOST = 16;
constexpr unsigned READS = 1, WRITES = 2;

struct Segment {
    unsigned long long address, bytes, use;
};

struct Segments {
    unsigned long long count;
    Segment at[MOST];
};

// Loads and stores of device memory that stay, though what they bring is stored where it came from.
__device__ uint4 load(const uint4* from)
{
    uint4 v;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from));
    return v;
}

__device__ void store(uint4* to, uint4 v)
{
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w));
}

extern "C" __global__ void __launch_bounds__(THREADS)
move(const __grid_constant__ Segments segments, unsigned* __restrict__ out)
{
    const unsigned long long stride = (unsigned long long)gridDim.x * THREADS;
    const unsigned long long first = (unsigned long long)blockIdx.x * THREADS + threadIdx.x;
    unsigned sum = 0;
    for (int s = 0; s < segments.count; ++s) {
        const unsigned long long address = segments.at[s].address, bytes = segments.at[s].bytes;
        const bool reads = segments.at[s].use & READS, writes = segments.at[s].use & WRITES;
        const unsigned long long vectors = bytes / 16;
        uint4* const data = (uint4*)address;
        unsigned long long i = first;
        for (; i + (UNROLL - 1) * stride < vectors; i += UNROLL * stride) {
            uint4 value[UNROLL] = {};
            if (reads) {
#pragma unroll
                for (int u = 0; u < UNROLL; ++u) value[u] = load(&data[i + u * stride]);
            }
            if (writes) {
#pragma unroll
                for (int u = 0; u < UNROLL; ++u) store(&data[i + u * stride], value[u]);
            }
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) sum |= value[u].x & value[u].y & value[u].z & value[u].w;
        }
        for (; i < vectors; i += stride) {
            uint4 value = {};
            if (reads) value = load(&data[i]);
            if (writes) store(&data[i], value);
            sum |= value.x & value.y & value.z & value.w;
        }
        for (unsigned long long b = vectors * 16 + first; b < bytes; b += stride) {  // what fills no vector
            volatile unsigned char* const byte = (volatile unsigned char*)address + b;
            const unsigned char value = reads ? *byte : 0;
            if (writes) *byte = value;
        }
    }
    if (sum == 0x5ca1ab1eu) out[0] = sum;
}
