#include "mma.cuh"

// m16n8k32 of two f8 formats, sums in f32 and in f16; one warp.
#define KERNEL(name, instruction)                                              \
  extern "C" __global__ void name(const uint32_t *a, const uint32_t *b,        \
                                  float *c) {                                  \
    int g = threadIdx.x / 4, t = threadIdx.x % 4;                              \
    uint32_t fa[4], fb[2];                                                     \
    float d[4];                                                                \
    for (int r = 0; r < 4; ++r) {                                              \
      fa[r] = a[(g + r % 2 * 8) * 8 + t + r / 2 * 4];                          \
      d[r] = c[row_of(r) * 8 + column_of(r)];                                  \
    }                                                                          \
    for (int r = 0; r < 2; ++r)                                                \
      fb[r] = b[g * 8 + t + r * 4];                                            \
    MMA_4_2(instruction, "f", d, fa, fb);                                      \
    for (int r = 0; r < 4; ++r)                                                \
      c[row_of(r) * 8 + column_of(r)] = d[r];                                  \
  }
KERNEL(mma_e4m3, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32")
KERNEL(mma_e5m2, "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32")
