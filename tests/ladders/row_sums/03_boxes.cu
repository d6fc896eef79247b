// Boxes by the copy unit: one thread asks the Tensor Memory Accelerator for a box of rows, and all threads add it up.
//
// Idea     A descriptor made on the host says how x lies in memory, so one instruction brings a whole box.
// Change   Loads become boxes of 64 rows and 256 columns in two buffers of shared memory.
// Expect   Fewer instructions for the same bytes.

#include <cuda_bf16.h>

// region: constants
constexpr int ROWS = 64;      // of a box, and rows that a block owns
constexpr int BUFFERS = 3;    // boxes in shared memory
constexpr int THREADS = 256;  // four threads a row
// endregion

constexpr int WIDE = 256;  // columns of a box, the most there can be

struct alignas(64) CUtensorMap {
    unsigned long long opaque[16];
};

extern "C" __global__ void __launch_bounds__(THREADS)
row_sums(const __grid_constant__ CUtensorMap x_map, float* __restrict__ y, int rows, int columns)
{
    extern __shared__ unsigned char raw[];
    __shared__ alignas(8) unsigned long long landed[BUFFERS];

    // region: index
    const unsigned base = ((unsigned)__cvta_generic_to_shared(raw) + 127) & ~127u;  // where a box may begin
    const __nv_bfloat16* const boxes = (const __nv_bfloat16*)(raw + (base - (unsigned)__cvta_generic_to_shared(raw)));
    const int first_row = blockIdx.x * ROWS;
    const int row = threadIdx.x / 4, quarter = threadIdx.x % 4;
    const int count = columns / WIDE;
    float sum = 0.0f;
    // endregion

    // region: load
    const auto request = [&](int box) {
        const unsigned bar = (unsigned)__cvta_generic_to_shared(&landed[box % BUFFERS]);
        const unsigned to = base + box % BUFFERS * ROWS * WIDE * 2;
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(ROWS * WIDE * 2) : "memory");
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
            ::"r"(to), "l"(&x_map), "r"(box * WIDE), "r"(first_row), "r"(bar) : "memory");
    };
    // endregion

    // region: loop
    if (threadIdx.x == 0) {
        for (int b = 0; b < BUFFERS; ++b) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"((unsigned)__cvta_generic_to_shared(&landed[b])));
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        for (int b = 0; b < BUFFERS && b < count; ++b) request(b);
    }
    __syncthreads();
    for (int box = 0; box < count; ++box) {
        const unsigned bar = (unsigned)__cvta_generic_to_shared(&landed[box % BUFFERS]);
        const unsigned parity = box / BUFFERS % 2;
        unsigned done = 0;
        while (!done) {
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(bar), "r"(parity) : "memory");
        }
        // endregion

        // region: compute
        const __nv_bfloat16* const mine = boxes + box % BUFFERS * ROWS * WIDE + row * WIDE;
        for (int i = quarter; i < WIDE; i += 4) sum += __bfloat162float(mine[i]);
        __syncthreads();
        if (threadIdx.x == 0 && box + BUFFERS < count) request(box + BUFFERS);
        // endregion
    }

    // region: store
    for (int half = 2; half > 0; half /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, half);
    if (quarter == 0 && first_row + row < rows) y[first_row + row] = sum;
    // endregion
}
