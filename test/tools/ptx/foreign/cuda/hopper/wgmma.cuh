// wgmma: 64x32 tiles of one warpgroup, 16 sums of 32 bits a thread.
#pragma once
#include "async.cuh"

/// The matrix descriptor of wgmma (PTX 9.7.15.5.1.2.2): offsets in bytes,
/// swizzle 0 none, 1 128B, 2 64B, 3 32B.
__device__ inline uint64_t descriptor(const void *p, int leading, int stride,
                                      int swizzle) {
  return (uint64_t)(shared_address(p) >> 4 & 0x3fff) |
         (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 |
         (uint64_t)swizzle << 62;
}
__device__ inline void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int N> __device__ inline void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}
/// Where accumulator element i of this thread stands in 64 rows.
__device__ inline int row_of(int i) {
  int t = threadIdx.x % 128;
  return t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8;
}
__device__ inline int column_of(int i) {
  return i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
}

/// Keeps the compiler from moving accesses of the sums across.
template <typename Sum> __device__ inline void hold(Sum *d) {
  for (int i = 0; i < 16; ++i)
    if constexpr (sizeof(Sum) == 4 && Sum(0.5) != Sum(0))
      asm volatile("" : "+f"(d[i])::"memory");
    else
      asm volatile("" : "+r"(d[i])::"memory");
}

#define SUMS "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}"
#define TIED(c, d)                                                             \
  "+" c(d[0]), "+" c(d[1]), "+" c(d[2]), "+" c(d[3]), "+" c(d[4]),             \
      "+" c(d[5]), "+" c(d[6]), "+" c(d[7]), "+" c(d[8]), "+" c(d[9]),         \
      "+" c(d[10]), "+" c(d[11]), "+" c(d[12]), "+" c(d[13]), "+" c(d[14]),    \
      "+" c(d[15])
/// D = A B + D, without D where `add` is 0. `name` has the shape and types,
/// `tail` the scales and transpositions; operands by descriptors.
#define WGMMA(name, tail, c, d, a, b, add)                                     \
  asm volatile("{ .reg .pred p;\nsetp.ne.b32 p, %18, 0;\n"                     \
               "wgmma.mma_async.sync.aligned." name "\n" SUMS                  \
               ", %16, %17, p" tail "; }"                                      \
               : TIED(c, d)                                                    \
               : "l"(a), "l"(b), "r"(add))
/// The same with A in four registers.
#define WGMMA_REGISTERS(name, tail, c, d, a, b, add)                           \
  asm volatile("{ .reg .pred p;\nsetp.ne.b32 p, %21, 0;\n"                     \
               "wgmma.mma_async.sync.aligned." name "\n" SUMS                  \
               ", {%16, %17, %18, %19}, %20, p" tail "; }"                     \
               : TIED(c, d)                                                    \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add))
