// Which thread holds which cell of an m16n8k16 multiply? Two small kernels that let the card answer.
//
// load_fragments   ldmatrix brings a 16 x 16 and an 8 x 16 tile (row-major, 16-bit) from shared memory into registers.
// multiply         one mma.sync for each block, on whatever the registers are told to hold.

// region: load_fragments
extern "C" __global__ void load_fragments(const uint4* __restrict__ a_tile,  // [16][16] 16-bit cells
                                          const uint4* __restrict__ b_tile,  // [8][16] 16-bit cells: columns of B
                                          unsigned* __restrict__ a,          // [32][4] registers
                                          unsigned* __restrict__ b)          // [32][2] registers
{
    __shared__ uint4 a_shared[16][2], b_shared[8][2];
    const int lane = threadIdx.x;
    a_shared[lane / 2][lane % 2] = a_tile[lane];
    if (lane < 16) b_shared[lane / 2][lane % 2] = b_tile[lane];
    __syncwarp();
    unsigned r[4], q[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((unsigned)__cvta_generic_to_shared(&a_shared[lane % 16][lane / 16])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(q[0]), "=r"(q[1])
                 : "r"((unsigned)__cvta_generic_to_shared(&b_shared[lane % 8][lane / 8 % 2])));
    for (int i = 0; i < 4; ++i) a[lane * 4 + i] = r[i];
    for (int i = 0; i < 2; ++i) b[lane * 2 + i] = q[i];
}
// endregion

// region: multiply
extern "C" __global__ void multiply(const unsigned* __restrict__ a,  // [probes][32][4] registers
                                    const unsigned* __restrict__ b,  // [probes][32][2] registers
                                    float* __restrict__ d)           // [probes][32][4] registers
{
    a += blockIdx.x * 128 + threadIdx.x * 4;
    b += blockIdx.x * 64 + threadIdx.x * 2;
    d += blockIdx.x * 128 + threadIdx.x * 4;
    float r[4] = {};
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(r[0]), "+f"(r[1]), "+f"(r[2]), "+f"(r[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    for (int i = 0; i < 4; ++i) d[i] = r[i];
}
// endregion
