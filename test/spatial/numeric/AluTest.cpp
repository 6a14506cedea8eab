// Operations on f32 and i32 at their edges, and the types of results.
#include "spatial/numeric/Functions.h"
#include "spatial/numeric/Numeric.h"

#include "tilewright/runtime/HalfFloats.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace tilewright::spatial;
using tilewright::BFloat16;
using tilewright::Float16;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

Lane lane(float x) { return std::bit_cast<Lane>(x); }
Lane lane(int32_t x) { return static_cast<Lane>(x); }

/// One lane of an operation.
template <typename... T>
Lane of(AluOp op, DType type, DType valueType, T... operands) {
  const Lane lanes[] = {lane(operands)...};
  std::vector<std::span<const Lane>> spans;
  for (const Lane &operand : lanes)
    spans.push_back({&operand, 1});
  Lane result = 0;
  evaluateAlu(op, type, spans, valueType, {&result, 1});
  return result;
}
template <typename... T> float floatOf(AluOp op, T... operands) {
  return std::bit_cast<float>(of(op, DType::F32, DType::F32, operands...));
}
template <typename... T> int32_t intOf(AluOp op, T... operands) {
  return static_cast<int32_t>(of(op, DType::I32, DType::I32, operands...));
}
bool isNegativeZero(float x) { return x == 0 && std::signbit(x); }

} // namespace

TEST_CASE("f32: minimum and maximum pass NaN on and order zeros") {
  CHECK(isNegativeZero(floatOf(AluOp::min, 0.0F, -0.0F)));
  CHECK(isNegativeZero(floatOf(AluOp::min, -0.0F, 0.0F)));
  CHECK(!isNegativeZero(floatOf(AluOp::max, -0.0F, 0.0F)));
  CHECK(!isNegativeZero(floatOf(AluOp::max, 0.0F, -0.0F)));
  CHECK(isNegativeZero(floatOf(AluOp::max, -0.0F, -0.0F)));
  for (AluOp op : {AluOp::min, AluOp::max}) {
    CHECK(std::isnan(floatOf(op, notANumber, 1.0F)));
    CHECK(std::isnan(floatOf(op, 1.0F, notANumber)));
  }
  CHECK(floatOf(AluOp::min, -3.0F, -2.0F) == -3);
  CHECK(floatOf(AluOp::max, -3.0F, -2.0F) == -2);
}

TEST_CASE("f32: every NaN that is made has the same bits") {
  const Lane nan = 0x7fc00000;
  CHECK(of(AluOp::sub, DType::F32, DType::F32, infinity, infinity) == nan);
  CHECK(of(AluOp::divide, DType::F32, DType::F32, 0.0F, 0.0F) == nan);
  CHECK(of(AluOp::move, DType::F32, DType::F16,
           std::bit_cast<float>(0xff812345)) == nan);
  CHECK(of(AluOp::move, DType::F32, DType::BF16,
           std::bit_cast<float>(0xff812345)) == nan);
}

TEST_CASE("f32: comparisons, selection, conversion") {
  auto compare = [](AluOp op, float x, float y) {
    return of(op, DType::F32, DType::Bool, x, y);
  };
  CHECK(compare(AluOp::lt, 1, 2) == 1);
  CHECK(compare(AluOp::ge, 1, 2) == 0);
  CHECK(compare(AluOp::eq, -0.0F, 0.0F) == 1);
  CHECK(compare(AluOp::eq, notANumber, notANumber) == 0);
  CHECK(compare(AluOp::ne, notANumber, notANumber) == 1);
  CHECK(compare(AluOp::le, notANumber, 1) == 0);
  CHECK(compare(AluOp::gt, 3, 2) == 1);
  CHECK(floatOf(AluOp::select, 1, 2.0F, 3.0F) == 2);
  CHECK(floatOf(AluOp::select, 0, 2.0F, 3.0F) == 3);
  auto convert = [](float x) {
    return static_cast<int32_t>(of(AluOp::convert, DType::F32, DType::I32, x));
  };
  CHECK(convert(-1.9F) == -1);
  CHECK(convert(3e9F) == INT32_MAX);
  CHECK(convert(-3e9F) == INT32_MIN);
  CHECK(convert(-0x1p31F) == INT32_MIN);
  CHECK(convert(notANumber) == 0);
  CHECK(convert(infinity) == INT32_MAX);
  CHECK(of(AluOp::convert, DType::I32, DType::F32, 0x1000001) == lane(0x1p24F));
  CHECK(of(AluOp::convert, DType::F32, DType::I8, -200.0F) == lane(-128));
}

TEST_CASE("i32: arithmetic wraps, division by zero is zero") {
  CHECK(intOf(AluOp::add, INT32_MAX, 1) == INT32_MIN);
  CHECK(intOf(AluOp::sub, INT32_MIN, 1) == INT32_MAX);
  CHECK(intOf(AluOp::mul, 0x10000, 0x10000) == 0);
  CHECK(intOf(AluOp::fma, 0x10000, 0x8000, 1) == INT32_MIN + 1);
  CHECK(intOf(AluOp::divide, -7, 2) == -3);
  CHECK(intOf(AluOp::divide, 5, 0) == 0);
  CHECK(intOf(AluOp::divide, INT32_MIN, -1) == INT32_MIN);
  CHECK(intOf(AluOp::abs, INT32_MIN) == INT32_MIN);
  CHECK(intOf(AluOp::abs, -3) == 3);
  CHECK(intOf(AluOp::min, -3, 2) == -3);
  CHECK(intOf(AluOp::max, -3, 2) == 2);
  CHECK(intOf(AluOp::shl, 1, 33) == 2);
  CHECK(intOf(AluOp::shr, -8, 1) == -4);
  CHECK(intOf(AluOp::shr, -8, 32) == -8);
  CHECK(intOf(AluOp::select, 2, 5, 6) == 5);
  CHECK(of(AluOp::lt, DType::I32, DType::Bool, -1, 1) == 1);
}

TEST_CASE("i32: logic is bitwise, and of truth values where the result is") {
  CHECK(intOf(AluOp::logicalAnd, 6, 3) == 2);
  CHECK(intOf(AluOp::logicalOr, 6, 3) == 7);
  CHECK(intOf(AluOp::logicalXor, 6, 3) == 5);
  CHECK(intOf(AluOp::logicalNot, 1) == -2);
  auto truth = [](AluOp op, auto... x) {
    return of(op, DType::I32, DType::Bool, x...);
  };
  CHECK(truth(AluOp::logicalAnd, 2, 1) == 1);
  CHECK(truth(AluOp::logicalAnd, 2, 0) == 0);
  CHECK(truth(AluOp::logicalXor, 2, 1) == 0);
  CHECK(truth(AluOp::logicalOr, 0, 4) == 1);
  CHECK(truth(AluOp::logicalNot, 1) == 0);
  CHECK(truth(AluOp::logicalNot, 0) == 1);
}

TEST_CASE("results saturate to i8 and u8, and are 1 unless zero as i1") {
  auto move = [](DType type, int32_t x) {
    return static_cast<int32_t>(of(AluOp::move, DType::I32, type, x));
  };
  CHECK(move(DType::I8, 200) == 127);
  CHECK(move(DType::I8, -200) == -128);
  CHECK(move(DType::U8, 300) == 255);
  CHECK(move(DType::U8, -1) == 0);
  CHECK(move(DType::Bool, -7) == 1);
}

TEST_CASE("rounding to f16 and bf16 is that of HalfFloats.h") {
  std::vector<Lane> bits;
  for (uint64_t i = 0; i < 0x100000000; i += 3571)
    bits.push_back(static_cast<Lane>(i));
  // All halves of two neighbours, where ties are.
  for (uint32_t half = 0; half < 0x10000; ++half)
    bits.push_back(lane(static_cast<float>(
                       Float16::fromBits(static_cast<uint16_t>(half)))) +
                   0x1000);
  std::vector<Lane> halves = bits, brains = bits;
  roundLanes(DType::F16, halves);
  roundLanes(DType::BF16, brains);
  size_t wrong = 0;
  for (size_t i = 0; i < bits.size(); ++i) {
    auto x = std::bit_cast<float>(bits[i]);
    if (x != x)
      continue;
    wrong += halves[i] != lane(static_cast<float>(Float16(x)));
    wrong += brains[i] != lane(static_cast<float>(BFloat16(x)));
  }
  CHECK(wrong == 0);
}

TEST_CASE("fma rounds once") {
  std::mt19937 random(1);
  size_t wrong = 0;
  for (int i = 0; i < 300000; ++i) {
    float x = std::bit_cast<float>(static_cast<uint32_t>(random()));
    float y = std::bit_cast<float>(static_cast<uint32_t>(random()));
    float z = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (i % 3 == 0) { // Near the product, so that digits cancel.
      z = -x * y + (i % 2 ? std::ldexp(x * y, -(i % 50)) : 0);
    } else if (i % 3 == 1) { // The product is often a tie.
      y = static_cast<float>(1 + i % 8);
      z = std::ldexp(x, -30 - i % 40) * (i % 2 ? 1.0F : -1.0F);
    }
    float expected = std::fma(x, y, z), found = fusedMultiplyAdd(x, y, z);
    wrong +=
        expected == expected ? lane(found) != lane(expected) : found == found;
  }
  CHECK(wrong == 0);
  CHECK(floatOf(AluOp::fma, 1 + 0x1p-12F, 1 + 0x1p-12F, -1.0F) ==
        0x1p-11F + 0x1p-24F);
}

TEST_CASE("numbers and elements of memory") {
  CHECK(numberLane(DType::F32, 0.1) == lane(0.1F));
  CHECK(numberLane(DType::I32, -5) == lane(-5));
  for (DType type : {DType::Bool, DType::I8, DType::U8, DType::I32, DType::F16,
                     DType::BF16, DType::F32}) {
    std::vector<std::byte> bytes(64), back(64);
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = std::byte(type == DType::Bool ? i % 2 : i * 37);
    std::vector<Lane> lanes(64 / tilewright::runtime::dtypeBytes(type));
    lanesOfElements(type, bytes, lanes);
    elementsOfLanes(type, lanes, back);
    CHECK(bytes == back);
  }
  const std::byte minusOne[] = {std::byte(255)};
  Lane element = 0;
  lanesOfElements(DType::I8, minusOne, {&element, 1});
  CHECK(element == lane(-1));
  lanesOfElements(DType::U8, minusOne, {&element, 1});
  CHECK(element == 255);
  lanesOfElements(DType::Bool, minusOne, {&element, 1});
  CHECK(element == 1);
}
