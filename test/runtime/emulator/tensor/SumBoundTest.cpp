// Chains of mma with f16 and bf16 stay within the bound of tile.dot
// (docs/spec.md), whatever the operands are.
#include "Matrices.h"
#include "test/codegen/kernels/DotBound.h"

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace tilewright::emulator;
using enum ElementType;
using tilewright::kerneltest::truncatedSumBound;

namespace {

constexpr int rows = 16, columns = 8, depth = 512;

/// A sum of doubles without rounding: 2^-640 to 2^383, in digits of 32 bits.
class ExactSum {
public:
  void add(double value) {
    int exponent;
    auto digits =
        static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    int place = exponent - 53 + 640;
    auto shifted = static_cast<__int128>(digits) << (digits ? place % 32 : 0);
    for (int i = digits ? place / 32 : 0; shifted; ++i) {
      // The last one is a sign.
      bool isLast = shifted >= -1 && shifted < 1;
      limbs[i] += isLast ? static_cast<std::int64_t>(shifted)
                         : static_cast<std::int64_t>(shifted & 0xffffffff);
      shifted = isLast ? 0 : shifted >> 32;
    }
  }

  /// The magnitude, rounded to about 50 bits.
  [[nodiscard]] double magnitude() const {
    std::array<std::int64_t, 32> digits = normalized(limbs);
    if (digits.back() < 0) {
      for (std::int64_t &digit : digits)
        digit = -digit;
      digits = normalized(digits);
    }
    double sum = 0;
    for (int i = 31; i >= 0; --i)
      sum += std::ldexp(static_cast<double>(digits[i]), 32 * i - 640);
    return sum;
  }

private:
  /// All digits but the last are from 0 to 2^32 - 1.
  static std::array<std::int64_t, 32>
  normalized(std::array<std::int64_t, 32> digits) {
    for (int i = 0; i < 31; ++i) {
      digits[i + 1] += digits[i] >> 32;
      digits[i] &= 0xffffffff;
    }
    return digits;
  }

  std::array<std::int64_t, 32> limbs{};
};

double valueOf(ElementType type, std::uint64_t bits) {
  auto word = static_cast<std::uint32_t>(bits);
  return std::bit_cast<float>(type == f16    ? floatOfHalf(word)
                              : type == bf16 ? word << 16
                                             : word);
}

int leastExponent(ElementType type) { return type == f16 ? -14 : -126; }

/// Operands of one kind, and where the accumulators start.
struct Operands {
  Matrix a, b, c;
};

using Fill = void (*)(Operands &, std::mt19937 &);

double uniform(std::mt19937 &random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

/// An element of random bits with an exponent of the range; `low` may be one
/// less than the least, for subnormal numbers.
std::uint32_t randomBits(ElementType type, int low, int high,
                         std::mt19937 &random) {
  int fraction = elementFacts(type).fractionBits;
  int width = elementFacts(type).exponentBits;
  std::uint32_t field =
      elementFacts(type).bias() + low + random() % (high - low + 1);
  std::uint32_t sign = random() & 1;
  return sign << (width + fraction) | field << fraction |
         (random() & ((1u << fraction) - 1));
}

void fill(Matrix &matrix, int low, int high, std::mt19937 &random) {
  for (int i = 0; i < matrix.rows; ++i)
    for (int j = 0; j < matrix.columns; ++j)
      matrix.set(i, j, randomBits(matrix.type, low, high, random));
}

void fill(Matrix &matrix, double value) {
  for (int i = 0; i < matrix.rows; ++i)
    for (int j = 0; j < matrix.columns; ++j)
      matrix.set(i, j,
                 elementOfFloat(matrix.type,
                                std::bit_cast<std::uint32_t>(float(value))));
}

void numbersNearOne(Operands &o, std::mt19937 &random) {
  fill(o.a, -3, 0, random);
  fill(o.b, -3, 0, random);
  fill(o.c, -3, 3, random);
}

void largeRatios(Operands &o, std::mt19937 &random) {
  int most = o.a.type == f16 ? 10 : 50;
  fill(o.a, leastExponent(o.a.type), most, random);
  fill(o.b, leastExponent(o.a.type), most, random);
  fill(o.c, -60, 60, random);
}

/// Neighbours in k add up to nothing, or to the last bit of one of them.
void cancellation(Operands &o, std::mt19937 &random) {
  numbersNearOne(o, random);
  std::uint32_t sign = 1u << 15;
  for (int k = 0; k + 1 < depth; k += 2) {
    for (int i = 0; i < rows; ++i)
      o.a.set(i, k + 1, (o.a.get(i, k) ^ sign) + random() % 2);
    for (int j = 0; j < columns; ++j)
      o.b.set(k + 1, j, o.b.get(k, j));
  }
}

void subnormalOperands(Operands &o, std::mt19937 &random) {
  int least = leastExponent(o.a.type);
  fill(o.a, least - 1, least - 1, random);
  fill(o.b, 0, 12, random);
  fill(o.c, least - 30, least + 12, random);
}

void subnormalAndNormal(Operands &o, std::mt19937 &random) {
  int least = leastExponent(o.a.type);
  fill(o.a, least - 1, least + 2, random);
  fill(o.b, least - 1, 12, random);
  fill(o.c, -127, least, random);
}

/// Only of bf16: products below the least normal number of f32, and results.
void subnormalResults(Operands &o, std::mt19937 &random) {
  int low = o.a.type == bf16 ? -74 : -14;
  fill(o.a, low, low + 10, random);
  fill(o.b, low, low + 10, random);
  fill(o.c, -127, -126, random);
}

/// Each product is just below the last bit that Ampere keeps beside 1, and so
/// is lost: the accumulator stays as it is.
void lostProducts(Operands &o, std::mt19937 &) {
  int fraction = elementFacts(o.a.type).fractionBits;
  fill(o.a, std::ldexp(1 - std::ldexp(1, -fraction - 1), -12));
  fill(o.b, std::ldexp(1, -12));
  fill(o.c, 1);
}

/// The same, with a product that is kept and then lost to rounding.
void lostTwice(Operands &o, std::mt19937 &random) {
  lostProducts(o, random);
  for (int k = 0; k < depth; k += 8)
    for (int i = 0; i < rows; ++i)
      o.a.set(i, k,
              elementOfFloat(o.a.type, std::bit_cast<std::uint32_t>(
                                           float(std::ldexp(1, -12)))));
}

/// Integers, whose sums all are below 2^24.
void integers(Operands &o, std::mt19937 &random) {
  for (Matrix *matrix : {&o.a, &o.b, &o.c})
    for (int i = 0; i < matrix->rows; ++i)
      for (int j = 0; j < matrix->columns; ++j)
        matrix->set(
            i, j,
            elementOfFloat(matrix->type,
                           std::bit_cast<std::uint32_t>(
                               float(std::round(uniform(random, -128, 128))))));
}

/// The steps `first` to `first + count` of A (columns) or B (rows).
Matrix steps(const Matrix &from, bool isA, int first, int count) {
  Matrix part(from.type, isA ? rows : count, isA ? count : columns);
  for (int i = 0; i < part.rows; ++i)
    for (int j = 0; j < part.columns; ++j)
      part.set(i, j, isA ? from.get(i, first + j) : from.get(first + i, j));
  return part;
}

/// What one element of the result should be.
struct Element {
  ExactSum sum;
  double magnitude = 0;

  void add(const Operands &o, int row, int column, int k) {
    double a = valueOf(o.a.type, o.a.get(row, k));
    double b = valueOf(o.b.type, o.b.get(k, column));
    double least = std::ldexp(1, leastExponent(o.a.type));
    sum.add(a * b);
    if (a != 0 && b != 0)
      magnitude +=
          std::max(std::fabs(a), least) * std::max(std::fabs(b), least);
  }
};

/// The largest distance of a chain of instructions from the exact sums, as a
/// share of the bound, after 1, 2, 4, .. instructions: of one element a row.
double worstShare(const Rule &rule, const Operands &o) {
  std::vector<Element> exact(rows);
  Matrix d = o.c;
  for (int row = 0; row < rows; ++row) {
    double start = valueOf(f32, d.get(row, row % columns));
    exact[row].sum.add(start);
    exact[row].magnitude = std::fabs(start);
  }
  double worst = 0;
  int step = rule.operation.depth;
  for (int k = 0; k < depth; k += step) {
    Matrix a = steps(o.a, true, k, step), b = steps(o.b, false, k, step);
    REQUIRE(multiplyAccumulate(rule, rows, columns, a.data(), b.data(),
                               d.data(), d.data())
                .ok());
    for (int row = 0; row < rows; ++row) {
      for (int at = k; at < k + step; ++at)
        exact[row].add(o, row, row % columns, at);
      if (!std::has_single_bit(static_cast<unsigned>(k + step)))
        continue;
      ExactSum error = exact[row].sum;
      error.add(-valueOf(f32, d.get(row, row % columns)));
      double bound = truncatedSumBound(k + step, exact[row].magnitude);
      worst = std::max(worst, error.magnitude() / bound);
    }
  }
  return worst;
}

struct Instruction {
  TensorArchitecture architecture;
  ElementType type;
  int depth;
};

std::vector<Instruction> instructions() {
  using enum TensorArchitecture;
  std::vector<Instruction> all;
  for (TensorArchitecture each : {ampere, ada, hopper, blackwell, rtxBlackwell})
    for (ElementType type : {f16, bf16})
      for (int step : {8, 16})
        all.push_back({each, type, step});
  return all;
}

double worstShare(const Instruction &instruction, Fill fill, int seed) {
  MatrixOperation operation;
  operation.a = operation.b = instruction.type;
  operation.depth = instruction.depth;
  auto rule = findRule(instruction.architecture, operation);
  REQUIRE(rule.ok());
  std::mt19937 random(seed);
  Operands operands{Matrix(instruction.type, rows, depth),
                    Matrix(instruction.type, depth, columns),
                    Matrix(f32, rows, columns)};
  fill(operands, random);
  return worstShare(*rule, operands);
}

} // namespace

TEST_CASE("chains of mma are within the bound of a dot") {
  for (const Instruction &each : instructions()) {
    CAPTURE(architectureName(each.architecture), elementFacts(each.type).name,
            each.depth);
    int kind = 0;
    for (Fill fill :
         {numbersNearOne, largeRatios, cancellation, subnormalOperands,
          subnormalAndNormal, subnormalResults, lostProducts, lostTwice})
      for (int seed = 0; seed < 3; ++seed) {
        CAPTURE(kind / 3, seed);
        CHECK(worstShare(each, fill, ++kind) <= 1);
      }
  }
}

TEST_CASE("the bound of a dot is no larger than tensor cores need") {
  // 8 of the 11 units of each block of Ampere are lost.
  CHECK(worstShare({TensorArchitecture::ampere, f16, 16}, lostProducts, 0) >
        0.7);
}

TEST_CASE("chains of mma are exact for small integers") {
  for (const Instruction &each : instructions()) {
    CAPTURE(architectureName(each.architecture), elementFacts(each.type).name,
            each.depth);
    CHECK(worstShare(each, integers, 1) == 0);
  }
}
