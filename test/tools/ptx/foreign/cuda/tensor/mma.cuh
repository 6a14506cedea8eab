// Addresses, fragments' rows and columns, and mma.sync for the kernels here.
#pragma once
#include <cstdint>

__device__ inline uint32_t shared_address(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}

/// Where the accumulator element i of this lane stands in a 16x8 tile.
__device__ inline int row_of(int i) { return threadIdx.x % 32 / 4 + i / 2 * 8; }
__device__ inline int column_of(int i) { return threadIdx.x % 4 * 2 + i % 2; }

/// D = A B + D for a shape with A registers a[NA], B registers b[NB] and four
/// 32-bit sums; `name` is the instruction.
#define MMA_4_2(name, constraint, d, a, b)                                     \
  asm volatile(name " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"   \
               : "+" constraint(d[0]), "+" constraint(d[1]),                   \
                 "+" constraint(d[2]), "+" constraint(d[3])                    \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),        \
                 "r"(b[1]))
#define MMA_2_1(name, constraint, d, a, b)                                     \
  asm volatile(name " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"            \
               : "+" constraint(d[0]), "+" constraint(d[1]),                   \
                 "+" constraint(d[2]), "+" constraint(d[3])                    \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]))
