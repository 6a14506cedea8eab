// The vectorized kernels against the rule as it is written for reading.
#include "Matrices.h"
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace tilewright::emulator;
using enum ElementType;

namespace {

/// How elements are drawn.
enum class Draw {
  nearOne,
  anyFinite,
  /// Zeros, subnormal numbers, the largest ones, infinities and NaN.
  edges,
  /// Products among the subnormal numbers of f32.
  tiny,
  /// Products about the largest f32, which may cancel.
  huge,
  /// Positive, with all fraction bits set: sums as large as can be.
  full,
};
constexpr Draw draws[] = {Draw::nearOne, Draw::anyFinite, Draw::edges,
                          Draw::tiny,    Draw::huge,      Draw::full};

/// The exponent field of a number near 2^exponent, as far as the format goes.
std::uint32_t fieldNear(const ElementFacts &facts, int exponent) {
  int most = (1 << facts.exponentBits) - 1 -
             (facts.special == SpecialValues::ieee ? 1 : 0);
  return static_cast<std::uint32_t>(
      std::clamp(exponent + facts.bias(), 0, most));
}

std::uint32_t randomFloat(ElementType type, Draw draw, std::mt19937 &random) {
  ElementFacts facts = elementFacts(type);
  int fractionBits = type == tf32 ? 23 : facts.fractionBits;
  auto mask = [](int bits) { return (1u << bits) - 1; };
  auto bits = static_cast<std::uint32_t>(random());
  std::uint32_t sign = bits & 1, fraction = bits >> 8 & mask(fractionBits);
  std::uint32_t field = random() & mask(facts.exponentBits);
  bool ieee = facts.special == SpecialValues::ieee;
  if (draw == Draw::nearOne)
    field = static_cast<std::uint32_t>(facts.bias()) - bits % 3 % 2;
  // An accumulator is as large as a product.
  int share = type == f32 ? 1 : 2;
  auto spread = static_cast<int>(bits >> 3 & 7) - 4;
  if (draw == Draw::tiny)
    field = fieldNear(facts, -140 / share + spread);
  if (draw == Draw::huge)
    field = fieldNear(facts, 126 / share + spread / 2);
  if (draw == Draw::full) {
    field = fieldNear(facts, 0);
    fraction = mask(fractionBits);
    sign = 0;
  }
  if (draw == Draw::anyFinite && ieee && field == mask(facts.exponentBits))
    field = 0;
  if (draw == Draw::edges)
    switch (bits >> 1 & 7) {
    case 0:
      field = fraction = 0;
      break;
    case 1:
      // Subnormal numbers; the smallest too.
      field = 0;
      fraction = bits & 16 ? 1 : fraction;
      break;
    case 2:
      field = mask(facts.exponentBits) - ieee;
      fraction = mask(fractionBits) - (facts.special == SpecialValues::nanOnly);
      break;
    case 3:
      // One in 64 is an infinity or NaN.
      if (bits >> 4 & 7)
        break;
      field = mask(facts.exponentBits);
      fraction = bits & 128 ? mask(fractionBits) : 0;
      break;
    default:
      break;
    }
  return (sign << facts.exponentBits | field) << fractionBits | fraction;
}

void fill(Matrix &matrix, Draw draw, std::mt19937 &random) {
  for (int row = 0; row < matrix.rows; ++row)
    for (int column = 0; column < matrix.columns; ++column)
      matrix.set(row, column, randomFloat(matrix.type, draw, random));
}

struct Counts {
  long checked = 0;
  long wrong = 0;
};

/// Random operations of one rule, on all instruction sets.
void compare(const Rule &rule, int rows, int columns, int rounds,
             std::mt19937 &random, Counts &counts) {
  const MatrixOperation &op = rule.operation;
  for (int round = 0; round < rounds; ++round) {
    Draw draw = draws[round % 6], drawC = draws[round / 6 % 6];
    Matrix a(op.a, rows, op.depth), b(op.b, op.depth, columns);
    Matrix c(op.c, rows, columns), d(op.d, rows, columns);
    fill(a, draw, random);
    fill(b, draw, random);
    fill(c, drawC, random);
    bool zero = round % 7 == 0;
    for (const NamedIsa &named : availableIsas()) {
      if (!multiplyAccumulate(rule, rows, columns, a.data(), b.data(),
                              zero ? nullptr : c.data(), d.data(), named.isa)
               .ok())
        ++counts.wrong;
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
          std::uint64_t start = zero ? 0 : c.get(row, column);
          ++counts.checked;
          counts.wrong += d.get(row, column) !=
                          dotProduct(rule, a.row(row), b.column(column),
                                     static_cast<std::uint32_t>(start));
        }
    }
  }
}

} // namespace

TEST_CASE("aligned sums are those of the rule, element by element") {
  std::mt19937 random(11);
  Counts all;
  for (int target : {70, 75, 80, 89, 90, 100, 120})
    for (auto instruction : {MatrixInstruction::mma, MatrixInstruction::wmma,
                             MatrixInstruction::wgmma})
      for (ElementType type : {f16, bf16, tf32, e4m3, e5m2, e3m2, e2m3, e2m1})
        for (ElementType c : {f16, f32})
          for (ElementType d : {f16, f32})
            for (bool sparse : {false, true}) {
              MatrixOperation op;
              op.instruction = instruction;
              op.a = op.b = type;
              // One mixed pair of types of 8 bits.
              if (type == e4m3 && sparse)
                op.b = e5m2;
              op.c = c;
              op.d = d;
              op.sparse = sparse;
              op.depth = (type == tf32                  ? 8
                          : type == f16 || type == bf16 ? 16
                                                        : 32)
                         << sparse;
              auto rule = findRule(*tensorArchitecture(target), op);
              if (!rule.ok())
                continue;
              INFO("sm_" << target << " " << instructionName(instruction) << " "
                         << elementFacts(type).name << " "
                         << elementFacts(c).name << " "
                         << elementFacts(d).name);
              Counts counts;
              compare(*rule, 16, 8, 72, random, counts);
              compare(*rule, 8, 3, 36, random, counts);
              compare(*rule, 48, 19, 3, random, counts);
              compare(*rule, 16, 67, 1, random, counts);
              rule->exponentFloor = -126;
              compare(*rule, 16, 8, 12, random, counts);
              CHECK(counts.wrong == 0);
              all.checked += counts.checked;
            }
  // No word is left out: all rules of findRule are tried.
  CHECK(all.checked > 1000000);
}

TEST_CASE("C and D may be one array") {
  std::mt19937 random(12);
  MatrixOperation op;
  auto rule = findRule(TensorArchitecture::hopper, op);
  REQUIRE(rule.ok());
  Matrix a(f16, 64, 16), b(f16, 16, 72), c(f32, 64, 72), d(f32, 64, 72);
  fill(a, Draw::edges, random);
  fill(b, Draw::edges, random);
  fill(c, Draw::edges, random);
  REQUIRE(
      multiplyAccumulate(*rule, 64, 72, a.data(), b.data(), c.data(), d.data())
          .ok());
  REQUIRE(
      multiplyAccumulate(*rule, 64, 72, a.data(), b.data(), c.data(), c.data())
          .ok());
  CHECK(std::memcmp(c.data(), d.data(), 64 * 72 * 4) == 0);
}

TEST_CASE("special values of a sum") {
  // f16: 1.0, -1.0, the largest, infinity, NaN; f32 likewise.
  auto sum = [](std::uint32_t a0, std::uint32_t b0, std::uint32_t a1,
                std::uint32_t b1, std::uint32_t c) {
    MatrixOperation op;
    op.depth = 8;
    auto rule = findRule(TensorArchitecture::ampere, op);
    Matrix a(f16, 16, 8), b(f16, 8, 1), start(f32, 16, 1), d(f32, 16, 1);
    a.set(0, 0, a0), a.set(0, 1, a1), b.set(0, 0, b0), b.set(1, 0, b1);
    start.set(0, 0, c);
    CHECK(multiplyAccumulate(*rule, 16, 1, a.data(), b.data(), start.data(),
                             d.data())
              .ok());
    return static_cast<std::uint32_t>(d.get(0, 0));
  };
  const std::uint32_t one = 0x3c00, minusOne = 0xbc00, infinity = 0x7c00;
  const std::uint32_t nan = 0x7e00, floatInfinity = 0x7f800000;
  CHECK(sum(one, infinity, one, one, 0) == floatInfinity);
  CHECK(sum(minusOne, infinity, one, one, 0) == (floatInfinity | 1u << 31));
  CHECK(sum(one, infinity, minusOne, infinity, 0) == 0x7fffffff);
  CHECK(sum(0, infinity, one, one, 0) == 0x7fffffff);
  CHECK(sum(one, nan, one, one, 0) == 0x7fffffff);
  CHECK(sum(one, one, one, one, 0xffc00001) == 0x7fffffff);
  CHECK(sum(minusOne, infinity, one, one, floatInfinity) == 0x7fffffff);
  // Cancellation, and zeros of either sign.
  CHECK(sum(one, one, minusOne, one, 0) == 0);
  CHECK(sum(0x8000, one, 0x8000, one, 0x80000000) == 0);
  // Rounded toward zero: 1 + 2^-24 * 1.5; the largest f32 stays.
  CHECK(sum(one, one, 0x1, 0x2, 0x33c00000) == 0x3f800000);
  CHECK(sum(one, one, one, one, 0x7f7fffff) == 0x7f7fffff);
}

TEST_CASE("integer sums") {
  std::mt19937 random(13);
  auto value = [](ElementType type, std::uint64_t bits) {
    int width = elementFacts(type).registerBits;
    bool isSigned = type == s8 || type == s4;
    auto number = static_cast<std::int64_t>(bits & ((1u << width) - 1));
    return isSigned && number >> (width - 1) ? number - (1 << width) : number;
  };
  const std::pair<ElementType, ElementType> pairs[] = {
      {s8, s8}, {u8, u8}, {s8, u8}, {u8, s8}, {s4, s4}, {u4, s4}, {u4, u4}};
  for (auto [typeA, typeB] : pairs)
    for (bool saturate : {false, true})
      for (int rows : {8, 16, 48}) {
        MatrixOperation op;
        op.a = typeA;
        op.b = typeB;
        op.c = op.d = s32;
        op.saturate = saturate;
        op.depth = typeA == s8 || typeA == u8 ? 32 : 128;
        auto rule = findRule(TensorArchitecture::ampere, op);
        REQUIRE(rule.ok());
        Matrix a(op.a, rows, op.depth), b(op.b, op.depth, 8);
        Matrix c(s32, rows, 8), d(s32, rows, 8);
        for (int at = 0; at < rows * op.depth; ++at)
          a.set(at % rows, at / rows, random());
        for (int at = 0; at < op.depth * 8; ++at)
          b.set(at % op.depth, at / op.depth, random());
        // The first column's largest sum must not be off by one.
        for (int k = 0; k < op.depth; ++k)
          b.set(k, 0,
                typeB == s8   ? 0x80
                : typeB == s4 ? 8
                              : 0xff), //
              a.set(0, k,
                    typeA == s8   ? 0x80
                    : typeA == s4 ? 8
                                  : 0xff);
        for (int at = 0; at < rows * 8; ++at)
          c.set(at % rows, at / rows,
                at % 3 == 0   ? 0x7fffff00 + random() % 256
                : at % 3 == 1 ? 0x80000000 + random() % 256
                              : random());
        for (const NamedIsa &named : availableIsas()) {
          INFO(named.name << " " << elementFacts(typeA).name);
          REQUIRE(multiplyAccumulate(*rule, rows, 8, a.data(), b.data(),
                                     c.data(), d.data(), named.isa)
                      .ok());
          int wrong = 0;
          for (int row = 0; row < rows; ++row)
            for (int column = 0; column < 8; ++column) {
              std::int64_t sum = static_cast<std::int32_t>(c.get(row, column));
              for (int k = 0; k < op.depth; ++k)
                sum +=
                    value(op.a, a.get(row, k)) * value(op.b, b.get(k, column));
              if (saturate)
                sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
              wrong += static_cast<std::uint32_t>(sum) != d.get(row, column);
            }
          CHECK(wrong == 0);
        }
      }
}

TEST_CASE("counts of bits") {
  std::mt19937 random(14);
  for (auto combine : {BitOperation::exclusiveOr, BitOperation::conjunction}) {
    MatrixOperation op;
    op.a = op.b = b1;
    op.c = op.d = s32;
    op.depth = 256;
    op.bitOperation = combine;
    auto rule = findRule(TensorArchitecture::hopper, op);
    REQUIRE(rule.ok());
    Matrix a(b1, 16, 8), b(b1, 8, 8), c(s32, 16, 8), d(s32, 16, 8);
    for (Matrix *matrix : {&a, &b, &c})
      for (int row = 0; row < matrix->rows; ++row)
        for (int column = 0; column < matrix->columns; ++column)
          matrix->set(row, column, random());
    for (const NamedIsa &named : availableIsas()) {
      REQUIRE(multiplyAccumulate(*rule, 16, 8, a.data(), b.data(), c.data(),
                                 d.data(), named.isa)
                  .ok());
      for (int at = 0; at < 128; ++at) {
        auto sum = static_cast<std::uint32_t>(c.get(at % 16, at / 16));
        for (int bit = 0; bit < 256; ++bit) {
          bool x = a.get(at % 16, bit / 32) >> bit % 32 & 1;
          bool y = b.get(bit / 32, at / 16) >> bit % 32 & 1;
          sum += combine == BitOperation::conjunction ? x && y : x != y;
        }
        CHECK(d.get(at % 16, at / 16) == sum);
      }
    }
  }
}

TEST_CASE("f64 is a chain of fused multiply-adds in order of k") {
  std::mt19937 random(15);
  std::normal_distribution<double> normal;
  auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  for (int depth : {4, 16}) {
    MatrixOperation op;
    op.a = op.b = op.c = op.d = f64;
    op.depth = depth;
    Matrix a(f64, 16, depth), b(f64, depth, 8), c(f64, 16, 8), d(f64, 16, 8);
    for (Matrix *matrix : {&a, &b, &c})
      for (int row = 0; row < matrix->rows; ++row)
        for (int column = 0; column < matrix->columns; ++column)
          matrix->set(row, column, bits(normal(random)));
    auto rule = findRule(TensorArchitecture::hopper, op);
    REQUIRE(rule.ok());
    for (const NamedIsa &named : availableIsas()) {
      REQUIRE(multiplyAccumulate(*rule, 16, 8, a.data(), b.data(), c.data(),
                                 d.data(), named.isa)
                  .ok());
      int wrong = 0;
      for (int at = 0; at < 128; ++at) {
        auto sum = std::bit_cast<double>(c.get(at % 16, at / 16));
        for (int k = 0; k < depth; ++k)
          sum = std::fma(std::bit_cast<double>(a.get(at % 16, k)),
                         std::bit_cast<double>(b.get(k, at / 16)), sum);
        wrong += bits(sum) != d.get(at % 16, at / 16);
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("f64 rounds as it is told") {
  // 1 + 2^-60 is just above 1; -1 - 2^-60 just below -1.
  auto result = [](double c, Rounding rounding) {
    MatrixOperation op;
    op.a = op.b = op.c = op.d = f64;
    op.depth = 4;
    op.rounding = rounding;
    auto rule = findRule(TensorArchitecture::ampere, op);
    Matrix a(f64, 8, 4), b(f64, 4, 8), start(f64, 8, 8), d(f64, 8, 8);
    a.set(0, 0, std::bit_cast<std::uint64_t>(std::copysign(0x1p-30, c)));
    b.set(0, 0, std::bit_cast<std::uint64_t>(0x1p-30));
    start.set(0, 0, std::bit_cast<std::uint64_t>(c));
    CHECK(multiplyAccumulate(*rule, 8, 8, a.data(), b.data(), start.data(),
                             d.data())
              .ok());
    return std::bit_cast<double>(d.get(0, 0));
  };
  double above = std::nextafter(1.0, 2.0);
  CHECK(result(1, Rounding::nearestEven) == 1);
  CHECK(result(1, Rounding::towardZero) == 1);
  CHECK(result(1, Rounding::down) == 1);
  CHECK(result(1, Rounding::up) == above);
  CHECK(result(-1, Rounding::down) == -above);
  CHECK(result(-1, Rounding::up) == -1);
  CHECK(std::isnan(result(NAN, Rounding::up)));
}

TEST_CASE("sizes that are not supported are named") {
  auto rule = findRule(TensorArchitecture::hopper, MatrixOperation{});
  std::uint64_t none[1];
  CHECK(multiplyAccumulate(*rule, 24, 8, none, none, none, none).message() ==
        "a tensor-core operation of 24 rows, 8 columns and depth 16 is not "
        "supported");
}

//===--- Rules ------------------------------------------------------------===//

TEST_CASE("targets and their families") {
  CHECK(*tensorArchitecture(80) == TensorArchitecture::ampere);
  CHECK(*tensorArchitecture(86) == TensorArchitecture::ampere);
  CHECK(*tensorArchitecture(89) == TensorArchitecture::ada);
  CHECK(*tensorArchitecture(90) == TensorArchitecture::hopper);
  CHECK(*tensorArchitecture(100) == TensorArchitecture::blackwell);
  CHECK(*tensorArchitecture(120) == TensorArchitecture::rtxBlackwell);
  CHECK_THAT(tensorArchitecture(60).status().message(),
             Catch::Matchers::StartsWith(
                 "tensor cores of sm_60 are not known; known are sm_70, "));
}

TEST_CASE("an operation without a rule is named") {
  MatrixOperation op;
  op.a = op.b = bf16;
  op.c = op.d = f16;
  CHECK(findRule(TensorArchitecture::hopper, op).status().message() ==
        "no tensor-core arithmetic is known for mma bf16 * bf16 + f16 -> f16 "
        "with K = 16 on Hopper");
  op.a = op.b = e4m3;
  op.depth = 32;
  op.c = op.d = f32;
  CHECK_FALSE(findRule(TensorArchitecture::ampere, op).ok());
  CHECK(findRule(TensorArchitecture::ada, op).ok());
  op.a = f16;
  CHECK_FALSE(findRule(TensorArchitecture::ada, op).ok());
  op.b = bf16;
  CHECK_FALSE(findRule(TensorArchitecture::ada, op).ok());
  op.b = f16;
  CHECK(findRule(TensorArchitecture::ada, op).ok());
  // f16 and f32 together are for wmma alone.
  op.c = f16;
  CHECK_FALSE(findRule(TensorArchitecture::ada, op).ok());
  op.instruction = MatrixInstruction::wmma;
  CHECK(findRule(TensorArchitecture::ada, op).ok());
  op.c = s32;
  CHECK_FALSE(findRule(TensorArchitecture::ada, op).ok());
}
