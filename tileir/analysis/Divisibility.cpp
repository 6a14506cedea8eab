//===- Divisibility.cpp - What divides an index ---------------------------===//
#include "tileir/analysis/Divisibility.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::tile {

static constexpr int64_t greatest = int64_t(1) << 30;
/// How many ops deep values are followed.
static constexpr unsigned maxDepth = 12;

/// The largest power of two that divides `value`.
static int64_t powerIn(int64_t value) {
  const auto bits = uint64_t(value);
  return value == 0 ? greatest
                    : int64_t(std::min<uint64_t>(bits & (~bits + 1), greatest));
}

static int64_t divisor(Value value, unsigned depth);

/// The attribute `name` of a kernel's argument; null where `value` is none.
template <typename Attr>
static Attr argumentAttribute(Value value, StringRef name) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return {};
  auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
  return kernel ? kernel.getArgAttrOfType<Attr>(argument.getArgNumber(), name)
                : Attr();
}

/// The divisor that a kernel argument's attribute `name` guarantees.
static int64_t assumed(Value argument, StringRef name) {
  auto number = argumentAttribute<IntegerAttr>(argument, name);
  return number ? powerIn(number.getInt()) : 1;
}

/// Of the number at `dim` of an argument's list attribute.
static int64_t assumed(Value view, StringRef name, unsigned dim) {
  auto list = argumentAttribute<DenseI64ArrayAttr>(view, name);
  return list ? powerIn(list[dim]) : 1;
}

static int64_t ofBlockArgument(BlockArgument argument, unsigned depth) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (loop && argument == loop.getInductionVar())
    return std::min(divisor(loop.getLowerBound(), depth),
                    divisor(loop.getStep(), depth));
  return assumed(argument, TileDialect::kDivisibleAttr);
}

/// Of an affine expression's value, by the divisors of its operands.
static int64_t ofExpression(AffineExpr expression, unsigned dims,
                            ArrayRef<int64_t> operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return powerIn(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return operands[dims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expression);
  int64_t lhs = ofExpression(binary.getLHS(), dims, operands);
  int64_t rhs = ofExpression(binary.getRHS(), dims, operands);
  if (binary.getKind() == AffineExprKind::Mul)
    return std::min(lhs * rhs, greatest);
  if (binary.getKind() == AffineExprKind::Add ||
      binary.getKind() == AffineExprKind::Mod)
    return std::min(lhs, rhs);
  return 1;
}

static int64_t divisor(Value value, unsigned depth) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return powerIn(constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value))
    return depth ? ofBlockArgument(argument, depth - 1) : 1;
  if (depth-- == 0)
    return 1;
  auto of = [&](unsigned operand) {
    return divisor(value.getDefiningOp()->getOperand(operand), depth);
  };
  return llvm::TypeSwitch<Operation *, int64_t>(value.getDefiningOp())
      .Case<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp,
            arith::RemSIOp>([&](auto) { return std::min(of(0), of(1)); })
      .Case([&](arith::MulIOp) { return std::min(of(0) * of(1), greatest); })
      .Case([&](arith::SelectOp) { return std::min(of(1), of(2)); })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp,
            arith::TruncIOp>([&](auto) { return of(0); })
      .Case([&](AssumeOp op) {
        int64_t assumption = op.getDivisor() ? powerIn(*op.getDivisor()) : 1;
        return std::max(assumption, of(0));
      })
      .Case([&](DimOp op) { return divisorOfDim(op.getView(), op.getDim()); })
      .Case([&](StrideOp op) {
        return divisorOfStride(op.getView(), op.getDim());
      })
      .Case([&](affine::AffineApplyOp op) {
        SmallVector<int64_t> operands;
        for (unsigned i = 0; i < op->getNumOperands(); ++i)
          operands.push_back(of(i));
        return ofExpression(op.getAffineMap().getResult(0),
                            op.getAffineMap().getNumDims(), operands);
      })
      .Default([](Operation *) { return 1; });
}

int64_t divisorOf(Value value) { return divisor(value, maxDepth); }

int64_t divisorOfDim(TypedValue<ViewType> view, unsigned dim) {
  int64_t size = view.getType().getShape()[dim];
  if (!ShapedType::isDynamic(size))
    return powerIn(size);
  return assumed(view, TileDialect::kDimDivisibleAttr, dim);
}

int64_t divisorOfStride(TypedValue<ViewType> view, unsigned dim) {
  ViewType type = view.getType();
  int64_t known = type.getKnownStride(dim);
  if (!ShapedType::isDynamic(known))
    return powerIn(known);
  int64_t given = assumed(view, TileDialect::kStrideDivisibleAttr, dim);
  if (type.hasExplicitStrides())
    return given;
  int64_t product = 1;
  for (unsigned d = dim + 1; d < type.getShape().size(); ++d)
    product = std::min(product * divisorOfDim(view, d), greatest);
  return std::max(product, given);
}

int64_t alignmentOf(TypedValue<ViewType> view) {
  int64_t natural =
      std::max<int64_t>(getStorageBits(view.getType().getElementType()) / 8, 1);
  return std::max(natural, assumed(view, TileDialect::kAlignAttr));
}

} // namespace tilewright::tile
