// Sums that need no alignment: integers, bits and f64.
#include "runtime/emulator/tensor/KernelTables.h"
#include "runtime/emulator/tensor/Lanes.h"

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

/// Depth of an integer instruction: up to 128 (mma.sp.m16n8k128).
constexpr int mostIntegerDepth = 2 * mostDepth;

/// The value of an element of 8 bits, or of 4 in the low bits of a byte.
static float integerValue(std::uint8_t byte, int bits, bool isSigned) {
  auto shifted = static_cast<std::uint8_t>(byte << (8 - bits));
  int value = isSigned ? static_cast<std::int8_t>(shifted) >> (8 - bits)
                       : shifted >> (8 - bits);
  return static_cast<float>(value);
}

/// The sum of products, for sixteen rows. Their magnitudes add up to at most
/// 128 * 255 * 255 < 2^24, so each partial sum is exact in f32.
static Int32 exactSum(const float *a, const float *b, int depth) {
  Float sum{};
  for (int k = 0; k < depth; ++k)
    sum += load<Float>(a + k * laneCount) * b[k];
  return convert<Int32>(sum);
}

/// PTX ISA 9.7.14.5.14: s32 accumulators wrap around, or clamp (.satfinite).
static Int32 accumulated(Int32 sum, Int32 c, bool saturate) {
  if (!saturate)
    return reinterpret<Int32>(reinterpret<Lanes<std::uint32_t>>(sum) +
                              reinterpret<Lanes<std::uint32_t>>(c));
  Int64 exact = convert<Int64>(sum) + convert<Int64>(c);
  Int64 most = broadcast<Int64>(std::int64_t{INT32_MAX});
  Int64 least = broadcast<Int64>(std::int64_t{INT32_MIN});
  exact = exact > most ? most : exact;
  return convert<Int32>(exact < least ? least : exact);
}

/// Sixteen s32 of which `live` are in memory; none if there is no C.
static Int32 loadAccumulators(const void *c, int at, int live) {
  std::int32_t values[laneCount] = {};
  if (c)
    __builtin_memcpy(values, static_cast<const std::int32_t *>(c) + at,
                     live * sizeof(std::int32_t));
  return load<Int32>(values);
}

static void storeAccumulators(void *d, int at, int live, Int32 sums) {
  __builtin_memcpy(static_cast<std::int32_t *>(d) + at, &sums,
                   live * sizeof(std::int32_t));
}

static int liveLanes(const MatrixData &data, int row) {
  return data.rows - row < laneCount ? data.rows - row : laneCount;
}

void integerSum(const MatrixData &data, const IntegerSum &rule) {
  float a[mostIntegerDepth * laneCount];
  float b[mostIntegerDepth];
  auto *left = static_cast<const std::uint8_t *>(data.a);
  auto *right = static_cast<const std::uint8_t *>(data.b);
  for (int row = 0; row < data.rows; row += laneCount) {
    int live = liveLanes(data, row);
    for (int k = 0; k < data.depth; ++k)
      for (int lane = 0; lane < laneCount; ++lane)
        a[k * laneCount + lane] =
            lane < live ? integerValue(left[k * data.rows + row + lane],
                                       rule.bits, rule.signedA)
                        : 0;
    for (int column = 0; column < data.columns; ++column) {
      for (int k = 0; k < data.depth; ++k)
        b[k] = integerValue(right[column * data.depth + k], rule.bits,
                            rule.signedB);
      int at = column * data.rows + row;
      Int32 c = loadAccumulators(data.c, at, live);
      storeAccumulators(
          data.d, at, live,
          accumulated(exactSum(a, b, data.depth), c, rule.saturate));
    }
  }
}

/// PTX ISA 9.7.14.5.14, .xor.popc and .and.popc.
void bitCount(const MatrixData &data, bool conjunction) {
  auto *left = static_cast<const std::uint32_t *>(data.a);
  auto *right = static_cast<const std::uint32_t *>(data.b);
  for (int column = 0; column < data.columns; ++column)
    for (int row = 0; row < data.rows; row += laneCount) {
      int live = liveLanes(data, row), at = column * data.rows + row;
      std::uint32_t counts[laneCount] = {};
      for (int k = 0; k < data.depth; ++k) {
        std::uint32_t b = right[column * data.depth + k];
        for (int lane = 0; lane < live; ++lane) {
          std::uint32_t a = left[k * data.rows + row + lane];
          counts[lane] += __builtin_popcount(conjunction ? a & b : a ^ b);
        }
      }
      Int32 sum = load<Int32>(counts);
      storeAccumulators(
          data.d, at, live,
          accumulated(sum, loadAccumulators(data.c, at, live), false));
    }
}

void fusedChainToNearest(const MatrixData &data) {
  auto *left = static_cast<const double *>(data.a);
  auto *right = static_cast<const double *>(data.b);
  auto *c = static_cast<const double *>(data.c);
  for (int column = 0; column < data.columns; ++column) {
    double sums[mostRows];
    for (int row = 0; row < data.rows; ++row)
      sums[row] = c ? c[column * data.rows + row] : 0;
    for (int k = 0; k < data.depth; ++k) {
      double b = right[column * data.depth + k];
      for (int row = 0; row < data.rows; ++row)
        sums[row] = __builtin_fma(left[k * data.rows + row], b, sums[row]);
    }
    for (int row = 0; row < data.rows; ++row) {
      std::uint64_t bits = sums[row] == sums[row]
                               ? bitCast<std::uint64_t>(sums[row])
                               : 0x7ff8000000000000;
      static_cast<std::uint64_t *>(data.d)[column * data.rows + row] = bits;
    }
  }
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator
