#include "spatial/numeric/Functions.h"
#include "spatial/numeric/Numeric.h"
#include "spatial/numeric/Rounding.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace tilewright::spatial {

namespace {

/// Lanes that are computed at once. Numbers are expanded to so many.
constexpr size_t blockLanes = 256;

struct Block {
  std::array<const Lane *, 3> operands = {};
  Lane *result = nullptr;
  size_t count = 0;
};

/// Calls `function` on the lanes of each operand, as CONVERT gives them.
template <size_t N, auto CONVERT, typename Function>
void eachLane(const Block &block, Function function) {
  auto [a, b, c] = block.operands;
  for (size_t i = 0; i < block.count; ++i)
    if constexpr (N == 1)
      block.result[i] = laneOf(function(CONVERT(a[i])));
    else if constexpr (N == 2)
      block.result[i] = laneOf(function(CONVERT(a[i]), CONVERT(b[i])));
    else
      block.result[i] =
          laneOf(function(CONVERT(a[i]), CONVERT(b[i]), CONVERT(c[i])));
}
template <size_t N, typename Function>
void floats(const Block &block, Function function) {
  eachLane<N, floatOf>(block, function);
}
template <size_t N, typename Function>
void integers(const Block &block, Function function) {
  eachLane<N, intOf>(block, function);
}

/// What is the same in both types but for the type.
template <auto CONVERT> bool evaluateCommon(AluOp op, const Block &block) {
  switch (op) {
  case AluOp::lt:
    eachLane<2, CONVERT>(block, [](auto x, auto y) { return int32_t(x < y); });
    return true;
  case AluOp::le:
    eachLane<2, CONVERT>(block, [](auto x, auto y) { return int32_t(x <= y); });
    return true;
  case AluOp::gt:
    eachLane<2, CONVERT>(block, [](auto x, auto y) { return int32_t(x > y); });
    return true;
  case AluOp::ge:
    eachLane<2, CONVERT>(block, [](auto x, auto y) { return int32_t(x >= y); });
    return true;
  case AluOp::eq:
    eachLane<2, CONVERT>(block, [](auto x, auto y) { return int32_t(x == y); });
    return true;
  case AluOp::ne:
    eachLane<2, CONVERT>(block, [](auto x, auto y) { return int32_t(x != y); });
    return true;
  case AluOp::move:
    integers<1>(block, [](int32_t x) { return x; });
    return true;
  case AluOp::select:
    integers<3>(block, [](int32_t condition, int32_t x, int32_t y) {
      return condition ? x : y;
    });
    return true;
  default:
    return false;
  }
}

/// Operations of f32 that an IEEE machine has.
bool evaluateFloatArithmetic(AluOp op, const Block &block) {
  switch (op) {
  case AluOp::add:
    floats<2>(block, [](float x, float y) { return x + y; });
    return true;
  case AluOp::sub:
    floats<2>(block, [](float x, float y) { return x - y; });
    return true;
  case AluOp::mul:
    floats<2>(block, [](float x, float y) { return x * y; });
    return true;
  case AluOp::fma:
    floats<3>(block, fusedMultiplyAdd);
    return true;
  case AluOp::divide:
    floats<2>(block, [](float x, float y) { return x / y; });
    return true;
  case AluOp::sqrt:
    floats<1>(block, [](float x) { return std::sqrt(x); });
    return true;
  case AluOp::abs:
    integers<1>(block, [](int32_t bits) { return bits & 0x7fffffff; });
    return true;
  // Of two zeros, the bits say which is less.
  case AluOp::min:
    floats<2>(block, [](float x, float y) {
      Lane equal = laneOf(x) | laneOf(y);
      float least = x < y ? x : y < x ? y : floatOf(equal);
      return x != x ? x : y != y ? y : least;
    });
    return true;
  case AluOp::max:
    floats<2>(block, [](float x, float y) {
      Lane equal = laneOf(x) & laneOf(y);
      float most = x > y ? x : y > x ? y : floatOf(equal);
      return x != x ? x : y != y ? y : most;
    });
    return true;
  default:
    return false;
  }
}

/// Cuts, saturates; 0 of NaN.
int32_t toInteger(float x) {
  if (x != x)
    return 0;
  if (x >= 0x1p31f)
    return INT32_MAX;
  return x < -0x1p31f ? INT32_MIN : static_cast<int32_t>(x);
}

bool evaluateFloatFunction(AluOp op, const Block &block) {
  switch (op) {
  case AluOp::convert:
    floats<1>(block, toInteger);
    return true;
  case AluOp::floor:
    floats<1>(block, [](float x) { return std::floor(x); });
    return true;
  case AluOp::ceil:
    floats<1>(block, [](float x) { return std::ceil(x); });
    return true;
  case AluOp::trunc:
    floats<1>(block, [](float x) { return std::trunc(x); });
    return true;
  case AluOp::round:
    // Beyond 2^23 all are integers.
    floats<1>(block, [](float x) {
      float size = std::fabs(x), rounded = (size + 0x1p23f) - 0x1p23f;
      return std::copysign(size < 0x1p23f ? rounded : size, x);
    });
    return true;
  case AluOp::rsqrt:
    floats<1>(block, [](float x) {
      return static_cast<float>(1 / std::sqrt(static_cast<double>(x)));
    });
    return true;
  case AluOp::exp:
    floats<1>(block, expOf);
    return true;
  case AluOp::log:
    floats<1>(block, logOf);
    return true;
  case AluOp::tanh:
    floats<1>(block, tanhOf);
    return true;
  case AluOp::erf:
    floats<1>(block, erfOf);
    return true;
  case AluOp::sin:
    floats<1>(block, [](float x) { return sineOf(x, 0); });
    return true;
  case AluOp::cos:
    floats<1>(block, [](float x) { return sineOf(x, 1); });
    return true;
  case AluOp::pow:
    floats<2>(block, powOf);
    return true;
  default:
    return false;
  }
}

bool evaluateIntegerArithmetic(AluOp op, const Block &block) {
  // Wrapping is defined of unsigned integers.
  constexpr auto wrapping = [](Lane lane) { return lane; };
  auto result = [](Lane x) { return intOf(x); };
  switch (op) {
  case AluOp::add:
    eachLane<2, wrapping>(block, [=](Lane x, Lane y) { return result(x + y); });
    return true;
  case AluOp::sub:
    eachLane<2, wrapping>(block, [=](Lane x, Lane y) { return result(x - y); });
    return true;
  case AluOp::mul:
    eachLane<2, wrapping>(block, [=](Lane x, Lane y) { return result(x * y); });
    return true;
  case AluOp::fma:
    eachLane<3, wrapping>(
        block, [=](Lane x, Lane y, Lane z) { return result(x * y + z); });
    return true;
  case AluOp::min:
    integers<2>(block, [](int32_t x, int32_t y) { return x < y ? x : y; });
    return true;
  case AluOp::max:
    integers<2>(block, [](int32_t x, int32_t y) { return x > y ? x : y; });
    return true;
  case AluOp::abs:
    eachLane<1, wrapping>(
        block, [=](Lane x) { return result(intOf(x) < 0 ? Lane(0) - x : x); });
    return true;
  case AluOp::divide:
    integers<2>(block, [=](int32_t x, int32_t y) {
      if (y == -1)
        return result(Lane(0) - laneOf(x));
      return y == 0 ? 0 : x / y;
    });
    return true;
  case AluOp::convert:
    integers<1>(block, [](int32_t x) { return static_cast<float>(x); });
    return true;
  default:
    return false;
  }
}

bool evaluateBits(AluOp op, const Block &block) {
  switch (op) {
  case AluOp::logicalAnd:
    integers<2>(block, [](int32_t x, int32_t y) { return x & y; });
    return true;
  case AluOp::logicalOr:
    integers<2>(block, [](int32_t x, int32_t y) { return x | y; });
    return true;
  case AluOp::logicalXor:
    integers<2>(block, [](int32_t x, int32_t y) { return x ^ y; });
    return true;
  case AluOp::logicalNot:
    integers<1>(block, [](int32_t x) { return ~x; });
    return true;
  case AluOp::shl:
    integers<2>(block, [](int32_t x, int32_t y) {
      return intOf(laneOf(x) << (y & 31));
    });
    return true;
  case AluOp::shr:
    integers<2>(block, [](int32_t x, int32_t y) { return x >> (y & 31); });
    return true;
  default:
    return false;
  }
}

/// and, or, xor and not with a result of i1: an operand that is not zero is
/// true.
bool evaluateTruth(AluOp op, const Block &block) {
  auto truth = [](bool x) { return int32_t(x); };
  switch (op) {
  case AluOp::logicalAnd:
    integers<2>(block, [=](int32_t x, int32_t y) { return truth(x && y); });
    return true;
  case AluOp::logicalOr:
    integers<2>(block, [=](int32_t x, int32_t y) { return truth(x || y); });
    return true;
  case AluOp::logicalXor:
    integers<2>(block, [=](int32_t x, int32_t y) { return truth(!x != !y); });
    return true;
  case AluOp::logicalNot:
    integers<1>(block, [=](int32_t x) { return truth(!x); });
    return true;
  default:
    return false;
  }
}

bool evaluateBlock(AluOp op, DType type, DType valueType, const Block &block) {
  if (type == DType::F32)
    return evaluateFloatArithmetic(op, block) ||
           evaluateCommon<floatOf>(op, block) ||
           evaluateFloatFunction(op, block);
  if (valueType == DType::Bool && evaluateTruth(op, block))
    return true;
  return evaluateIntegerArithmetic(op, block) ||
         evaluateCommon<intOf>(op, block) || evaluateBits(op, block);
}

} // namespace

void evaluateAlu(AluOp op, DType type,
                 std::span<const std::span<const Lane>> operands,
                 DType valueType, std::span<Lane> result) {
  assert(operands.size() == static_cast<size_t>(aluOperands(op)));
  std::array<std::array<Lane, blockLanes>, 3> numbers;
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].size() == 1)
      numbers[i].fill(operands[i][0]);
  for (size_t first = 0; first < result.size(); first += blockLanes) {
    Block block;
    block.count = std::min(blockLanes, result.size() - first);
    block.result = result.data() + first;
    for (size_t i = 0; i < operands.size(); ++i)
      block.operands[i] = operands[i].size() == 1 ? numbers[i].data()
                                                  : operands[i].data() + first;
    // What has no meaning for the type is zero.
    if (!evaluateBlock(op, type, valueType, block))
      std::fill_n(block.result, block.count, 0);
  }
  roundLanes(valueType, result);
}

} // namespace tilewright::spatial
