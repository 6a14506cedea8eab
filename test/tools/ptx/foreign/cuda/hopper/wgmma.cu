#include "wgmma.cuh"

/// Rows of `chunks` 16-byte pieces to core matrices of 8 rows and one piece.
__device__ inline void spread(uint4 *to, const uint4 *from, int rows,
                              int chunks) {
  for (int i = threadIdx.x; i < rows * chunks; i += blockDim.x) {
    int row = i / chunks, chunk = i % chunks;
    to[(row / 8 * chunks + chunk) * 8 + row % 8] = from[i];
  }
}

// C (64x32) = A (64 rows) times B (32 rows) transposed, both by rows of
// 32 * steps bytes.
#define PRODUCT(kernel, name, tail, Sum, constraint)                           \
  extern "C" __global__ void kernel(const uint4 *a, const uint4 *b, Sum *c,    \
                                    int steps) {                               \
    __shared__ alignas(128) uint4 at[64 * 8], bt[32 * 8];                      \
    int chunks = 2 * steps;                                                    \
    spread(at, a, 64, chunks);                                                 \
    spread(bt, b, 32, chunks);                                                 \
    fence_async();                                                             \
    __syncthreads();                                                           \
    Sum d[16];                                                                 \
    for (int i = 0; i < 16; ++i)                                               \
      d[i] = 99; /* Not added: the first step has none to add. */              \
    for (int k = 0; k < steps; ++k) {                                          \
      hold(d);                                                                 \
      wgmma_fence();                                                           \
      WGMMA(name, tail, constraint, d,                                         \
            descriptor(at + k * 16, 128, chunks * 128, 0),                     \
            descriptor(bt + k * 16, 128, chunks * 128, 0), k);                 \
      wgmma_commit();                                                          \
      wgmma_wait<0>();                                                         \
      hold(d);                                                                 \
    }                                                                          \
    for (int i = 0; i < 16; ++i)                                               \
      c[row_of(i) * 32 + column_of(i)] = d[i];                                 \
  }

PRODUCT(wgmma_f16, "m64n32k16.f32.f16.f16", ", 1, 1, 0, 0", float, "f")
PRODUCT(wgmma_bf16, "m64n32k16.f32.bf16.bf16", ", -1, 1, 0, 0", float, "f")
PRODUCT(wgmma_tf32, "m64n32k8.f32.tf32.tf32", ", 1, -1", float, "f")
PRODUCT(wgmma_e4m3, "m64n32k32.f32.e4m3.e4m3", ", 1, 1", float, "f")
PRODUCT(wgmma_e5m2_e4m3, "m64n32k32.f32.e5m2.e4m3", ", -1, -1", float, "f")
PRODUCT(wgmma_s8, "m64n32k32.s32.s8.s8", "", int, "r")
PRODUCT(wgmma_u8_s8, "m64n32k32.s32.u8.s8", "", int, "r")
PRODUCT(wgmma_s8_clamped, "m64n32k32.s32.s8.s8.satfinite", "", int, "r")
PRODUCT(wgmma_b1, "m64n32k256.s32.b1.b1.and.popc", "", int, "r")

// Sums in f16, two a register; N = 8.
extern "C" __global__ void wgmma_f16_sums(const uint4 *a, const uint4 *b,
                                          const uint32_t *c, uint32_t *out) {
  __shared__ alignas(128) uint4 at[64 * 2], bt[8 * 2];
  spread(at, a, 64, 2);
  spread(bt, b, 8, 2);
  fence_async();
  __syncthreads();
  uint32_t d[2];
  for (int i = 0; i < 2; ++i)
    d[i] = c[row_of(2 * i) * 4 + column_of(0) / 2];
  asm volatile("wgmma.fence.sync.aligned;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0, %1}, "
               "%2, %3, 1, 1, 1, 0, 0;\n"
               "wgmma.commit_group.sync.aligned;\n"
               "wgmma.wait_group.sync.aligned 0;"
               : "+r"(d[0]), "+r"(d[1])
               : "l"(descriptor(at, 128, 256, 0)),
                 "l"(descriptor(bt, 128, 256, 0))
               : "memory");
  for (int i = 0; i < 2; ++i)
    out[row_of(2 * i) * 4 + column_of(0) / 2] = d[i];
}

// A from registers, and B by rows of k: 8x8 core matrices, transposed. Two
// groups are under way at a time.
extern "C" __global__ void wgmma_registers(const uint32_t *a, const uint4 *b,
                                           float *c) {
  __shared__ alignas(128) uint4 bt[64 * 4]; // 64x32, row k in 4 pieces.
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    int k = i / 4, piece = i % 4;
    bt[(k / 8 * 4 + piece) * 8 + k % 8] = b[i];
  }
  fence_async();
  __syncthreads();
  uint32_t row[4][4]; // 64x64 of A, two elements a register.
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 4; ++i)
      row[k][i] = a[row_of(2 * i) * 32 + k * 8 + threadIdx.x % 4 + i / 2 * 4];
  float d[2][16] = {};
  hold(d[0]);
  hold(d[1]);
  wgmma_fence();
  for (int half = 0; half < 2; ++half) {
    for (int k = 2 * half; k < 2 * half + 2; ++k)
      WGMMA_REGISTERS("m64n32k16.f32.bf16.bf16", ", 1, 1, 1", "f", d[half],
                      row[k], descriptor(bt + k * 64, 512, 128, 0), 1);
    wgmma_commit();
  }
  wgmma_wait<1>();
  hold(d[0]);
  float first[16];
  for (int i = 0; i < 16; ++i)
    first[i] = d[0][i] * 2;
  wgmma_wait<0>();
  hold(d[1]);
  for (int i = 0; i < 16; ++i)
    c[row_of(i) * 32 + column_of(i)] = first[i] + d[1][i];
}
