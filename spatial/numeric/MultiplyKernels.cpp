// Compiled once for each instruction set, as TILEWRIGHT_ISA. No inline function
// of the standard library: the linker could take the copy made for one
// instruction set for that of another.
#include "spatial/numeric/MultiplyKernels.h"

namespace tilewright::spatial::TILEWRIGHT_ISA {

// The accumulators of a block of columns stay in registers for all k.
#if defined(__AVX512F__)
constexpr int width = 16, vectors = 8;
#elif defined(__AVX2__)
constexpr int width = 8, vectors = 8;
#else
constexpr int width = 4, vectors = 8;
#endif

// GCC takes no parameter of a template as the size of a vector.
template <int N> struct Vectors;
template <> struct Vectors<width> {
  typedef float Floats __attribute__((vector_size(4 * width)));
  typedef uint32_t Integers __attribute__((vector_size(4 * width)));
  typedef double Doubles __attribute__((vector_size(8 * width)));
  typedef int64_t Longs __attribute__((vector_size(8 * width)));
};
template <> struct Vectors<1> {
  typedef float Floats __attribute__((vector_size(4)));
  typedef uint32_t Integers __attribute__((vector_size(4)));
  typedef double Doubles __attribute__((vector_size(8)));
  typedef int64_t Longs __attribute__((vector_size(8)));
};

template <typename V> static inline V load(const uint32_t *lanes) {
  V v;
  __builtin_memcpy(&v, lanes, sizeof v);
  return v;
}

/// x w, rounded, plus sum, rounded.
template <int N> struct Separate {
  using V = typename Vectors<N>::Floats;
  using Scalar = float;
  static V step(V x, V w, V sum) { return sum + x * w; }
};

template <int N> struct Wrapping {
  using V = typename Vectors<N>::Integers;
  using Scalar = uint32_t;
  static V step(V x, V w, V sum) { return sum + x * w; }
};

/// x w + sum, rounded once.
template <int N> struct Fused {
  using V = typename Vectors<N>::Floats;
  using Scalar = float;
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  static V step(V x, V w, V sum) {
#if __has_builtin(__builtin_elementwise_fma)
    return __builtin_elementwise_fma(x, w, sum);
#else
    for (int i = 0; i < N; ++i)
      sum[i] = __builtin_fmaf(x[i], w[i], sum[i]);
    return sum;
#endif
  }
#else
  using D = typename Vectors<N>::Doubles;
  using I = typename Vectors<N>::Longs;
  /// The product is exact in double. Its sum with `sum` is rounded to odd: a
  /// double that lost digits gets a last bit of 1, so that rounding it to float
  /// equals rounding the exact sum.
  static V step(V x, V w, V sum) {
    D product = __builtin_convertvector(x, D) * __builtin_convertvector(w, D);
    D addend = __builtin_convertvector(sum, D);
    D s = product + addend;
    D part = s - product;
    // What s lost. NaN where s is not finite: both comparisons are false.
    D lost = (product - (s - part)) + (addend - part);
    I bits = __builtin_bit_cast(I, s);
    I isInexact = (lost > 0.0) | (lost < 0.0);
    I isEven = (bits & 1) - 1;
    // Of the sign bits: the exact sum is beyond s, or nearer to zero.
    I isNearer = (bits ^ __builtin_bit_cast(I, lost)) >> 63;
    bits += isInexact & isEven & (isNearer | 1);
    return __builtin_convertvector(__builtin_bit_cast(D, bits), V);
  }
#endif
};

/// COUNT vectors of columns, from `column` on.
template <typename Step, int COUNT>
static void block(const ProductSum &sum, int64_t column) {
  using V = typename Step::V;
  V sums[COUNT] = {};
  for (int64_t k = 0; k < sum.depth; ++k) {
    typename Step::Scalar element;
    __builtin_memcpy(&element, sum.x + k, sizeof element);
    V x = element - V{};
    const uint32_t *row = sum.weights[k] + sum.first + column;
#pragma GCC unroll 8
    for (int i = 0; i < COUNT; ++i)
      sums[i] = Step::step(x, load<V>(row + i * int(sizeof(V) / 4)), sums[i]);
  }
  __builtin_memcpy(sum.result + column, sums, sizeof sums);
}

/// The columns that are left of a block: COUNT vectors or fewer.
template <typename Step, int COUNT>
static void rest(const ProductSum &sum, int64_t column, int64_t count) {
  if constexpr (COUNT > 0) {
    if (count == COUNT)
      return block<Step, COUNT>(sum, column);
    rest<Step, COUNT - 1>(sum, column, count);
  }
}

template <template <int> typename Step>
static void multiply(const ProductSum &sum) {
  int64_t column = 0;
  for (; column + width * vectors <= sum.columns; column += width * vectors)
    block<Step<width>, vectors>(sum, column);
  int64_t count = (sum.columns - column) / width;
  rest<Step<width>, vectors - 1>(sum, column, count);
  for (column += count * width; column < sum.columns; ++column)
    block<Step<1>, 1>(sum, column);
}

void exactProducts(const ProductSum &);
void fused(const ProductSum &);
void integers(const ProductSum &);

void exactProducts(const ProductSum &sum) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  multiply<Fused>(sum);
#else
  multiply<Separate>(sum);
#endif
}
void fused(const ProductSum &sum) { multiply<Fused>(sum); }
void integers(const ProductSum &sum) { multiply<Wrapping>(sum); }

} // namespace tilewright::spatial::TILEWRIGHT_ISA
