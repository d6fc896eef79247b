// A small kernel with what the parsers must meet: cp.async, shared memory, a barrier, mma.sync, a loop, an inlined helper.

// region: constants
constexpr int STEPS = 8;         // slices of 16 columns
constexpr int THREADS = 32;      // one warp
constexpr int SLICE = 0x100;     // values of W a step
// endregion

__device__ __forceinline__ unsigned shared_address(const void *p)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

extern "C" __global__ void tile(const unsigned *__restrict__ x, const unsigned *__restrict__ w, float *__restrict__ y)
{
    __shared__ __align__(16) unsigned slice[SLICE / 2];
    const int lane = threadIdx.x;
    float d[4] = {0, 0, 0, 0};
#pragma unroll 1
    for (int step = 0; step < STEPS; ++step) {
        // region: load
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(slice + 4 * lane)),
                     "l"(w + step * SLICE / 2 + 4 * lane) : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        // endregion
        // region: compute
        const unsigned b0 = x[step * 64 + lane], b1 = x[step * 64 + 32 + lane];
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(slice[lane]), "r"(slice[lane + 32]), "r"(slice[lane + 64]), "r"(slice[lane + 96]),
                       "r"(b0), "r"(b1));
        __syncthreads();
        // endregion
    }
    // region: store
    for (int i = 0; i < 4; ++i)
        y[THREADS * i + lane] = d[i];
    // endregion
}
