#include "mma.cuh"

// Each kernel: one warp, C (16x8) += A (16xK, row-major) B (8xK: by columns).
// Elements go straight from memory to fragments, as words of 32 bits; `step`
// is the words of a row of one instruction.
template <int Step> struct Words {
  const uint32_t *a, *b;
  int pitch; // Words in a row.
  __device__ void load(uint32_t (&fa)[Step], uint32_t (&fb)[Step / 2], int i) {
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    for (int r = 0; r < Step; ++r)
      fa[r] = a[(g + r % 2 * 8) * pitch + i + t + r / 2 * 4];
    for (int r = 0; r < Step / 2; ++r)
      fb[r] = b[g * pitch + i + t + r * 4];
  }
};

#define KERNEL_4_2(name, Sum, constraint, instruction)                         \
  extern "C" __global__ void name(const uint32_t *a, const uint32_t *b,        \
                                  Sum *c, int pitch) {                         \
    Words<4> words{a, b, pitch};                                               \
    uint32_t fa[4], fb[2];                                                     \
    Sum d[4];                                                                  \
    for (int i = 0; i < 4; ++i)                                                \
      d[i] = c[row_of(i) * 8 + column_of(i)];                                  \
    for (int i = 0; i < pitch; i += 8) {                                       \
      words.load(fa, fb, i);                                                   \
      MMA_4_2(instruction, constraint, d, fa, fb);                             \
    }                                                                          \
    for (int i = 0; i < 4; ++i)                                                \
      c[row_of(i) * 8 + column_of(i)] = d[i];                                  \
  }
#define KERNEL_2_1(name, Sum, constraint, instruction)                         \
  extern "C" __global__ void name(const uint32_t *a, const uint32_t *b,        \
                                  Sum *c, int pitch) {                         \
    Words<2> words{a, b, pitch};                                               \
    uint32_t fa[2], fb[1];                                                     \
    Sum d[4];                                                                  \
    for (int i = 0; i < 4; ++i)                                                \
      d[i] = c[row_of(i) * 8 + column_of(i)];                                  \
    for (int i = 0; i < pitch; i += 4) {                                       \
      words.load(fa, fb, i);                                                   \
      MMA_2_1(instruction, constraint, d, fa, fb);                             \
    }                                                                          \
    for (int i = 0; i < 4; ++i)                                                \
      c[row_of(i) * 8 + column_of(i)] = d[i];                                  \
  }

#define SYNC "mma.sync.aligned."
KERNEL_4_2(mma_f16, float, "f", SYNC "m16n8k16.row.col.f32.f16.f16.f32")
KERNEL_2_1(mma_f16_k8, float, "f", SYNC "m16n8k8.row.col.f32.f16.f16.f32")
KERNEL_4_2(mma_bf16, float, "f", SYNC "m16n8k16.row.col.f32.bf16.bf16.f32")
KERNEL_2_1(mma_bf16_k8, float, "f", SYNC "m16n8k8.row.col.f32.bf16.bf16.f32")
KERNEL_4_2(mma_tf32, float, "f", SYNC "m16n8k8.row.col.f32.tf32.tf32.f32")
KERNEL_2_1(mma_tf32_k4, float, "f", SYNC "m16n8k4.row.col.f32.tf32.tf32.f32")
KERNEL_4_2(mma_s8, int, "r", SYNC "m16n8k32.row.col.s32.s8.s8.s32")
KERNEL_2_1(mma_s8_k16, int, "r", SYNC "m16n8k16.row.col.s32.s8.s8.s32")
KERNEL_4_2(mma_u8_s8, int, "r", SYNC "m16n8k32.row.col.satfinite.s32.u8.s8.s32")
KERNEL_4_2(mma_s4, int, "r", SYNC "m16n8k64.row.col.s32.s4.s4.s32")
KERNEL_2_1(mma_u4, int, "r", SYNC "m16n8k32.row.col.s32.u4.u4.s32")
KERNEL_4_2(mma_b1_xor, int, "r",
           SYNC "m16n8k256.row.col.s32.b1.b1.s32.xor.popc")
KERNEL_2_1(mma_b1_and, int, "r",
           SYNC "m16n8k128.row.col.s32.b1.b1.s32.and.popc")
