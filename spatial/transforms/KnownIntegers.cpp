//===- KnownIntegers.cpp - Integers of a body that are known --------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "spatial/transforms/AluBuilder.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilewright::spatial {

/// What an op gives, before it is wrapped to the result's type. `a` and `b` are
/// its operands as unsigned numbers.
static std::optional<int64_t> foldBinary(StringRef name, ArrayRef<int64_t> in,
                                         uint64_t a, uint64_t b) {
  using Result = std::optional<int64_t>;
  const int64_t x = in[0], y = in[1];
  if (name.contains("div") || name.contains("rem")) {
    if (y == 0)
      return std::nullopt;
    return llvm::StringSwitch<Result>(name)
        .Case("divsi", x / y)
        .Case("remsi", x % y)
        .Case("divui", static_cast<int64_t>(a / b))
        .Case("remui", static_cast<int64_t>(a % b))
        .Case("floordivsi", llvm::divideFloorSigned(x, y))
        .Case("ceildivsi", llvm::divideCeilSigned(x, y))
        .Default(std::nullopt);
  }
  return llvm::StringSwitch<Result>(name)
      .Case("addi", static_cast<int64_t>(static_cast<uint64_t>(x) +
                                         static_cast<uint64_t>(y)))
      .Case("subi", static_cast<int64_t>(static_cast<uint64_t>(x) -
                                         static_cast<uint64_t>(y)))
      .Case("muli", static_cast<int64_t>(static_cast<uint64_t>(x) *
                                         static_cast<uint64_t>(y)))
      .Case("maxsi", std::max(x, y))
      .Case("minsi", std::min(x, y))
      .Case("maxui", static_cast<int64_t>(std::max(a, b)))
      .Case("minui", static_cast<int64_t>(std::min(a, b)))
      .Case("andi", x & y)
      .Case("ori", x | y)
      .Case("xori", x ^ y)
      .Default(std::nullopt);
}

static std::optional<int64_t> foldInteger(Operation *op, ArrayRef<int64_t> in) {
  if (isa<arith::SelectOp>(op))
    return in[0] ? in[1] : in[2];
  Type type = op->getOperand(0).getType();
  Type resultType = op->getResult(0).getType();
  if (!type.isIntOrIndex() || !resultType.isIntOrIndex())
    return std::nullopt;
  const unsigned width = widthOf(type), resultWidth = widthOf(resultType);
  const uint64_t mask = llvm::maskTrailingOnes<uint64_t>(width);
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return arith::applyCmpPredicate(compare.getPredicate(),
                                    APInt(width, in[0] & mask),
                                    APInt(width, in[1] & mask));
  std::optional<int64_t> result;
  if (in.size() == 1) {
    if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op))
      result = static_cast<int64_t>(in[0] & mask);
    else if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
      result = width == 1 ? -in[0] : in[0];
    else if (isa<arith::TruncIOp>(op))
      result = in[0];
  } else if (in.size() == 2) {
    result = foldBinary(op->getName().stripDialect(), in, in[0] & mask,
                        in[1] & mask);
  }
  if (!result)
    return std::nullopt;
  // Truth values are 0 and 1.
  return resultWidth == 1 ? *result & 1
                          : llvm::SignExtend64(*result, resultWidth);
}

std::optional<std::vector<int64_t>> foldKnown(Operation *inner,
                                              ArrayRef<VectorScalar> operands) {
  if (operands.empty())
    return std::nullopt;
  size_t size = 1;
  for (const VectorScalar &operand : operands) {
    if (!operand.isKnown())
      return std::nullopt;
    size = std::max(size, operand.known.size());
  }
  std::vector<int64_t> known(size);
  for (size_t i = 0; i < size; ++i) {
    SmallVector<int64_t, 3> in;
    for (const VectorScalar &operand : operands)
      in.push_back(operand.known[operand.known.size() == 1 ? 0 : i]);
    std::optional<int64_t> result = foldInteger(inner, in);
    if (!result)
      return std::nullopt;
    known[i] = *result;
  }
  return known;
}

std::optional<std::vector<int64_t>> KnownScalars::get(Value value) {
  if (auto found = scalars.find(value); found != scalars.end())
    return found->second.known;
  Operation *inner = value.getDefiningOp();
  if (!inner)
    return std::nullopt;
  std::optional<std::vector<int64_t>> known;
  IntegerAttr number;
  if (matchPattern(value, m_Constant(&number))) {
    known = {number.getType().isInteger(1) ? number.getValue().getBoolValue()
                                           : number.getInt()};
  } else if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    known.emplace();
    for (int64_t point : points.numbers)
      known->push_back(point < 0 ? 0
                                 : points.index(point, static_cast<unsigned>(
                                                           index.getDim())));
  } else {
    SmallVector<VectorScalar, 3> operands;
    for (Value operand : inner->getOperands()) {
      std::optional<std::vector<int64_t>> part = get(operand);
      if (!part)
        return std::nullopt;
      operands.emplace_back().known = std::move(*part);
    }
    known = foldKnown(inner, operands);
  }
  if (known)
    scalars[value].known = *known;
  return known;
}

} // namespace tilewright::spatial
