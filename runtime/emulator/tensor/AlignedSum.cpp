// Aligned sums (DotProduct.h), sixteen rows of D at a time.
//
// A product of two operands is exact in f32 (in f64 where exponents are
// extreme); times 2^(fractionBits - largest exponent) it is in units of the
// grid, and the conversion to an integer truncates it. At most 16 products of
// at most (2 - 2^-10)^2 * 2^25 units are added in 32 bits: that is below 2^31.
#include "runtime/emulator/tensor/KernelTables.h"
#include "runtime/emulator/tensor/OperandTile.h"

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

/// Columns of B that are taken apart at a time.
constexpr int panelColumns = 16;

/// Products added in 32 bits.
constexpr int runLength = 16;

/// No exponent of a sum is lower; scales stay normal numbers.
constexpr int leastExponent = -600;

/// Exponents for which products are exact in f32 and so are their scales.
constexpr int leastFloatExponent = -100;
constexpr int largestFloatExponent = 120;

/// Sixteen rows of A and one column of B, all in the order of blocks.
struct Strip {
  const float *a;
  const std::int16_t *exponentsA;
  /// Between columns of A.
  int stride;
  const float *b;
  const std::int16_t *exponentsB;
};

/// Sixteen exact sums of a block: value * 2^exponent.
struct Sums {
  Double value;
  Int32 exponent;
};

static Double select(Int64 mask, Double yes, Double no) {
  return mask ? yes : no;
}

static Double magnitude(Double value) {
  return reinterpret<Double>(reinterpret<Int64>(value) & 0x7fffffffffffffff);
}

static Double withSign(Double magnitude, Double sign) {
  Int64 bits = reinterpret<Int64>(sign) & broadcast<Int64>(INT64_MIN);
  return reinterpret<Double>(reinterpret<Int64>(magnitude) | bits);
}

/// Rounds toward zero to f32 with `kept` fraction bits.
static Float towardZero(Double value, int kept) {
  std::int64_t lost = (std::int64_t{1} << (52 - kept)) - 1;
  Double normal = reinterpret<Double>(reinterpret<Int64>(value) & ~lost);
  Double size = magnitude(value);
  Double infinite = withSign(broadcast<Double>(__builtin_inf()), value);
  normal = select(size >= 0x1p128, infinite, normal);
  // Below the normal numbers of f32, units of 2^(-126 - kept) are kept.
  Int64 isSmall = size < 0x1p-126;
  Double unitsPerOne = doublePower(broadcast<Int32>(126 + kept));
  Double units = select(isSmall, value, Double{}) * unitsPerOne;
  Double whole = convert<Double>(convert<Int32>(units));
  Double small = whole * doublePower(broadcast<Int32>(-126 - kept));
  return convert<Float>(select(isSmall, small, normal));
}

/// Rounds to f16, to nearest even: adds and subtracts a number whose unit in
/// the last place is the result's.
static Float nearestHalf(Double value) {
  Double size = magnitude(value);
  Int64 field = reinterpret<Int64>(size) >> 52;
  Int64 least = broadcast<Int64>(std::int64_t{1023 - 14});
  field = larger(field, least) + (52 - 10);
  Double shift = reinterpret<Double>((field << 52) | (std::int64_t{1} << 51));
  Double rounded = (size + shift) - shift;
  rounded =
      select(rounded > 65504.0, broadcast<Double>(__builtin_inf()), rounded);
  return convert<Float>(withSign(rounded, value));
}

static Float rounded(Double value, const AlignedSum &rule) {
  return rule.halfAccumulator ? nearestHalf(value)
                              : towardZero(value, rule.keptBits);
}

/// Exponents of f32 numbers; far below all others for zeros.
static Int32 exponentOf(Float value) {
  Int32 bits = reinterpret<Int32>(value) & 0x7fffffff;
  Int32 exponent = larger(bits >> 23, broadcast<Int32>(1)) - 127;
  return bits == 0 ? broadcast<Int32>(int{noExponent}) : exponent;
}

/// Whether numbers are infinite or NaN.
static Int32 isSpecial(Float value) {
  return (reinterpret<Int32>(value) & 0x7fffffff) >= 0x7f800000;
}

/// One product in units of the grid, toward zero.
static Int32 gridUnits(Float a, float b, Float scale) {
  return convert<Int32>(a * b * scale);
}
static Int32 gridUnits(Float a, float b, Double scale) {
  return convert<Int32>(convert<Double>(a) * double{b} * scale);
}

static Float scaleFor(Float, Int32 exponent) {
  // Beyond the range all products are zero.
  Int32 most = broadcast<Int32>(127);
  return floatPower(exponent < most ? exponent : most);
}
static Double scaleFor(Double, Int32 exponent) { return doublePower(exponent); }

/// One block: products `first` to `end`, and the accumulator.
template <class Scale>
static Sums blockSum(const Strip &strip, int first, int end, Float accumulator,
                     const AlignedSum &rule) {
  Int16 largest = broadcast<Int16>(std::int16_t{2 * noExponent});
  for (int k = first; k < end; ++k) {
    Int16 row = load<Int16>(strip.exponentsA + k * strip.stride);
    largest = larger(largest, row + strip.exponentsB[k]);
  }
  Int32 exponent = convert<Int32>(largest);
  exponent = larger(exponent, exponentOf(accumulator));
  int floor = rule.exponentFloor;
  floor = floor > leastExponent ? floor : leastExponent;
  exponent = larger(exponent, broadcast<Int32>(floor));

  Scale scale = scaleFor(Scale{}, rule.fractionBits - exponent);
  Double sum{};
  for (int k = first; k < end;) {
    int runEnd = k + runLength < end ? k + runLength : end;
    Int32 run{};
    for (; k < runEnd; ++k)
      run +=
          gridUnits(load<Float>(strip.a + k * strip.stride), strip.b[k], scale);
    sum += convert<Double>(run);
  }
  Double scaled =
      convert<Double>(accumulator) * doublePower(rule.fractionBits - exponent);
  sum += convert<Double>(convert<Int32>(scaled));
  return {sum, exponent - rule.fractionBits};
}

/// A chain of blocks. Lanes that meet an infinity set `special` and go on with
/// zero.
template <class Scale>
static Float chain(const Strip &strip, int depth, Float c,
                   const AlignedSum &rule, Int32 &special) {
  Float accumulator = rule.accumulatorLast ? Float{} : c;
  for (int first = 0; first < depth; first += rule.blockSize) {
    special |= isSpecial(accumulator);
    accumulator = special ? Float{} : accumulator;
    int end = first + rule.blockSize;
    Sums sums = blockSum<Scale>(strip, first, end < depth ? end : depth,
                                accumulator, rule);
    accumulator = rounded(sums.value * doublePower(sums.exponent), rule);
  }
  return accumulator;
}

/// C plus the last accumulator, as an ordinary add (AlignedSum::
/// accumulatorLast).
static Float withC(Float accumulator, Float c, const AlignedSum &rule,
                   Int32 &special) {
  special |= isSpecial(accumulator) | isSpecial(c);
  accumulator = special ? Float{} : accumulator;
  c = special ? Float{} : c;
  if (!rule.halfAccumulator)
    return accumulator + c;
  return nearestHalf(convert<Double>(accumulator) + convert<Double>(c));
}

/// Accumulators as numbers, and back: sixteen rows of a column of C and D, of
/// which `live` exist.
static Float loadC(const void *c, int at, int live, bool half) {
  if (!c)
    return Float{};
  if (!half) {
    float values[laneCount] = {};
    __builtin_memcpy(values, static_cast<const float *>(c) + at,
                     live * sizeof(float));
    return load<Float>(values);
  }
  std::uint16_t values[laneCount] = {};
  __builtin_memcpy(values, static_cast<const std::uint16_t *>(c) + at,
                   live * sizeof(std::uint16_t));
  Int32 bits = convert<Int32>(load<Lanes<std::uint16_t>>(values));
  Int32 number = (bits & 0x7fff) << 13;
  Float value = reinterpret<Float>(number) * 0x1p112f;
  Int32 widened = reinterpret<Int32>(value);
  // Infinities and NaN are unchanged.
  widened = number >= (0x7c00 << 13) ? number | 0x7f800000 : widened;
  return reinterpret<Float>(widened | (bits & 0x8000) << 16);
}

static void storeD(void *d, int at, int live, bool half, Float value) {
  if (!half) {
    __builtin_memcpy(static_cast<float *>(d) + at, &value,
                     live * sizeof(float));
    return;
  }
  Int32 bits = reinterpret<Int32>(value);
  Int32 magnitude = bits & 0x7fffffff;
  Int32 isInfinite = magnitude >= 0x7f800000;
  Float small =
      reinterpret<Float>(isInfinite ? Int32{} : magnitude) * 0x1p-112f;
  Int32 number = reinterpret<Int32>(small) >> 13;
  // NaN lanes do not matter: they were marked special, and hold C, whose f16
  // fraction must stay.
  number = isInfinite ? (magnitude >> 13 & 0x3ff) | 0x7c00 : number;
  number |= bits >> 16 & 0x8000;
  auto halves = convert<Lanes<std::uint16_t>>(number);
  __builtin_memcpy(static_cast<std::uint16_t *>(d) + at, &halves,
                   live * sizeof(std::uint16_t));
}

/// The position of k in the order of blocks (Rule::interleave).
static int indexOf(int k, int depth, int interleave) {
  if (interleave == 0)
    return k;
  int run = k / interleave;
  return (run & 1) * (depth / 2) + run / 2 * interleave + k % interleave;
}

/// All of A, in the order of blocks, each column padded to whole strips.
struct LeftTile : OperandTile<mostRows * mostDepth> {
  int stride;
  ExponentRange range;
  /// A bit for each row with an infinity or NaN.
  std::uint64_t special = 0;

  LeftTile(const MatrixData &data, const AlignedSum &rule) {
    stride = (data.rows + laneCount - 1) / laneCount * laneCount;
    bool anySpecial = false;
    for (int k = 0; k < data.depth; ++k) {
      int index = indexOf(k, data.depth, rule.interleave) * stride;
      for (int row = data.rows; row < stride; ++row) {
        values[index + row] = 0;
        exponents[index + row] = noExponent;
      }
      anySpecial |= takeApart(data.a, k * data.rows, data.rows, rule.a,
                              values + index, exponents + index);
    }
    range = exponentRange(exponents, data.depth * stride);
    for (int i = 0; anySpecial && i < data.rows * data.depth; ++i)
      if (isSpecial(data.a, i, rule.a))
        special |= std::uint64_t{1} << i % data.rows;
  }
};

/// Some columns of B, each contiguous, in the order of blocks.
struct RightTile : OperandTile<panelColumns * mostDepth> {
  ExponentRange range;
  bool special[panelColumns] = {};

  RightTile(const MatrixData &data, const AlignedSum &rule, int firstColumn,
            int columns) {
    int first = firstColumn * data.depth, count = columns * data.depth;
    bool anySpecial =
        takeApart(data.b, first, count, rule.b, values, exponents);
    range = exponentRange(exponents, count);
    for (int i = 0; anySpecial && i < count; ++i)
      special[i / data.depth] |= isSpecial(data.b, first + i, rule.b);
    for (int column = 0; rule.interleave && column < columns; ++column)
      reorder(column * data.depth, data.depth, rule.interleave);
  }

private:
  void reorder(int first, int depth, int interleave) {
    float orderedValues[mostDepth];
    std::int16_t orderedExponents[mostDepth];
    for (int k = 0; k < depth; ++k) {
      int index = indexOf(k, depth, interleave);
      orderedValues[index] = values[first + k];
      orderedExponents[index] = exponents[first + k];
    }
    __builtin_memcpy(values + first, orderedValues, depth * sizeof(float));
    __builtin_memcpy(exponents + first, orderedExponents,
                     depth * sizeof(std::int16_t));
  }
};

/// Whether all products of two tiles are exact in f32.
static bool fitsFloat(const ExponentRange &a, const ExponentRange &b) {
  return a.least + b.least >= leastFloatExponent &&
         a.largest + b.largest <= largestFloatExponent;
}

/// All ones in the lanes whose bit is set.
static Int32 lanesOf(std::uint64_t bits) {
  Int32 mask{};
  for (int lane = 0; bits != 0 && lane < laneCount; ++lane)
    mask[lane] = bits >> lane & 1 ? -1 : 0;
  return mask;
}

/// Sixteen rows of one column of D, but for the rows that are set in `special`.
/// Returns those and the rows that met an infinity.
static std::uint64_t sixteenRows(const MatrixData &data, const AlignedSum &rule,
                                 const Strip &strip, bool inFloat, int row,
                                 int column, std::uint64_t special) {
  int at = column * data.rows + row;
  int live = data.rows - row < laneCount ? data.rows - row : laneCount;
  Float c = loadC(data.c, at, live, rule.halfC);
  Int32 mask = lanesOf(special >> row);
  Float result = inFloat ? chain<Float>(strip, data.depth, c, rule, mask)
                         : chain<Double>(strip, data.depth, c, rule, mask);
  if (rule.accumulatorLast)
    result = withC(result, c, rule, mask);
  if (rule.halfD && !rule.halfAccumulator)
    result = nearestHalf(convert<Double>(result));
  storeD(data.d, at, live, rule.halfD, mask ? c : result);
  if (any(mask))
    for (int lane = 0; lane < live; ++lane)
      special |= std::uint64_t{mask[lane] != 0} << (row + lane);
  return special;
}

bool alignedSum(const MatrixData &data, const AlignedSum &rule,
                std::uint64_t *special) {
  const LeftTile a(data, rule);
  std::uint64_t anySpecial = 0;
  for (int first = 0; first < data.columns; first += panelColumns) {
    int left = data.columns - first;
    int columns = left < panelColumns ? left : panelColumns;
    const RightTile b(data, rule, first, columns);
    bool inFloat = fitsFloat(a.range, b.range);
    for (int i = 0; i < columns; ++i) {
      std::uint64_t rows = b.special[i] ? ~std::uint64_t{0} : a.special;
      if (data.rows < 64)
        rows &= (std::uint64_t{1} << data.rows) - 1;
      for (int row = 0; row < data.rows; row += laneCount) {
        Strip strip = {a.values + row, a.exponents + row, a.stride,
                       b.values + i * data.depth, b.exponents + i * data.depth};
        rows = sixteenRows(data, rule, strip, inFloat, row, first + i, rows);
      }
      special[first + i] = rows;
      anySpecial |= rows;
    }
  }
  return anySpecial != 0;
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator
