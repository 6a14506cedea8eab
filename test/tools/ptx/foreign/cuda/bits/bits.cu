#include <cstdint>

// Counts, reversals, byte selection, funnel shifts, bit fields.
extern "C" __global__ void bit_tricks(const unsigned *a, const unsigned *b,
                                      unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned x = a[i], y = b[i], r;
  out[i] = __popc(x) | __clz(x) << 8 | __ffs(x) << 16;
  out[n + i] = __brev(x);
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(y));
  out[2 * n + i] = r;
  out[3 * n + i] = __funnelshift_l(x, y, y >> 27) ^ __funnelshift_rc(x, y, y);
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y & 63), "r"(y >> 26));
  out[4 * n + i] = r;
  asm("bfi.b32 %0, %1, %2, %3, %4;"
      : "=r"(r)
      : "r"(x), "r"(~y), "r"(y >> 8 & 31), "r"(y >> 16 & 15));
  out[5 * n + i] = r;
  asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(x >> (y & 31)));
  out[6 * n + i] = r;
  asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(y & 3));
  out[7 * n + i] = r;
  asm("szext.wrap.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y & 31));
  out[8 * n + i] = r;
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(y & 31), "r"(x & 15));
  out[9 * n + i] = r;
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y & 31), "r"(2));
  out[10 * n + i] = r;
  out[11 * n + i] = __byte_perm(x, y, y);
}

// Three inputs at a time: the compiler makes lop3 of each row.
extern "C" __global__ void logic(const unsigned *a, const unsigned *b,
                                 const unsigned *c, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned x = a[i], y = b[i], z = c[i], r;
  out[i] = (x & y) | (x & z) | (y & z);
  out[n + i] = x ^ y ^ z;
  out[2 * n + i] = (x & y) | (~x & z);
  asm("lop3.b32 %0, %1, %2, %3, 0x1b;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
  out[3 * n + i] = r;
  asm("lop3.b32 %0, %1, %2, %3, 0xd6;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
  out[4 * n + i] = r;
  asm("{ .reg .pred p, q; setp.ne.u32 q, %1, %2;\n"
      " lop3.or.b32 %0|p, %1, %2, %3, 0x80, q; selp.u32 %0, 1, 0, p; }"
      : "=r"(r)
      : "r"(x & 15), "r"(y & 15), "r"(z & 15));
  out[5 * n + i] = r;
}

// Dot products of bytes and halves, each signedness.
extern "C" __global__ void dot_bytes(const int *a, const int *b, int *out,
                                     int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int x = a[i], y = b[i], r;
  out[i] = __dp4a(x, y, i);
  out[n + i] = __dp4a((unsigned)x, (unsigned)y, 7u);
  asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(-5));
  out[2 * n + i] = r;
  out[3 * n + i] = __dp2a_lo(x, y, i);
  out[4 * n + i] = __dp2a_hi((unsigned)x, (unsigned)y, 1u);
  out[5 * n + i] = __sad(x, y, 3u) + __usad(x, y, 4u);
  out[6 * n + i] = __hadd(x, y) ^ __urhadd(x, y);
}

// Four bytes or two halves in a word.
extern "C" __global__ void packed_bytes(const unsigned *a, const unsigned *b,
                                        unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned x = a[i], y = b[i];
  out[i] = __vadd4(x, y);
  out[n + i] = __vaddus2(x, y);
  out[2 * n + i] = __vabsdiffu4(x, y);
  out[3 * n + i] = __vmaxs2(x, y);
  out[4 * n + i] = __vcmpgtu4(x, y);
  out[5 * n + i] = __vsads4(x, y);
  out[6 * n + i] = __vavgu4(x, y);
}

// 128 bits: carries and high halves of products.
extern "C" __global__ void wide128(const uint64_t *a, const uint64_t *b,
                                   uint64_t *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  using U = unsigned __int128;
  U x = (U)a[2 * i + 1] << 64 | a[2 * i], y = (U)b[2 * i + 1] << 64 | b[2 * i];
  U results[5] = {x + y, x - y, x * y, x >> (y & 127), x / (y >> 40 | 1)};
  for (int k = 0; k < 5; ++k) {
    out[(k * n + i) * 2] = (uint64_t)results[k];
    out[(k * n + i) * 2 + 1] = (uint64_t)(results[k] >> 64);
  }
}

// 256-bit sum, difference and a step of a product by carry chains in PTX.
extern "C" __global__ void carry_chain(const uint32_t *a, const uint32_t *b,
                                       uint32_t *out) {
  const uint32_t *x = a + threadIdx.x * 4, *y = b + threadIdx.x * 4;
  uint32_t *r = out + threadIdx.x * 13;
  asm("add.cc.u32 %0, %5, %9; addc.cc.u32 %1, %6, %10;"
      "addc.cc.u32 %2, %7, %11; addc.cc.u32 %3, %8, %12; addc.u32 %4, 0, 0;"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]),
        "r"(y[2]), "r"(y[3]));
  asm("sub.cc.u32 %0, %4, %8; subc.cc.u32 %1, %5, %9;"
      "subc.cc.u32 %2, %6, %10; subc.u32 %3, %7, %11;"
      : "=r"(r[5]), "=r"(r[6]), "=r"(r[7]), "=r"(r[8])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]),
        "r"(y[2]), "r"(y[3]));
  asm("{ mul.lo.u32 %0, %4, %6; mul.hi.u32 %1, %4, %6;"
      "  mad.lo.cc.u32 %1, %5, %6, %1; madc.hi.u32 %2, %5, %6, 0;"
      "  mad.lo.cc.u32 %1, %4, %7, %1; madc.hi.cc.u32 %2, %4, %7, %2;"
      "  addc.u32 %3, 0, 0; mad.lo.cc.u32 %2, %5, %7, %2;"
      "  madc.hi.u32 %3, %5, %7, %3; }"
      : "=&r"(r[9]), "=&r"(r[10]), "=&r"(r[11]), "=&r"(r[12])
      : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]));
}
