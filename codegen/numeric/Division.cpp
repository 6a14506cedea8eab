//===- Division.cpp - Integer division without undefined behaviour --------===//
//
// A division by zero is poison at the tile level, in its lane only: lanes that
// are never stored hold anything, also zeros. LLVM's divisions are undefined
// behaviour there, and those of x86 trap.
//
//===----------------------------------------------------------------------===//
#include "codegen/numeric/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::numeric {

Value frozen(OpBuilder &b, Location loc, Value value) {
  Type type = value.getType();
  if (!getElementTypeOrSelf(type).isIndex())
    return LLVM::FreezeOp::create(b, loc, value);
  Value bits = arith::IndexCastOp::create(
      b, loc, typeLike(value, b.getI64Type()), value);
  bits = LLVM::FreezeOp::create(b, loc, bits);
  return arith::IndexCastOp::create(b, loc, type, bits);
}

static bool isSigned(Operation *op) {
  return isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
             arith::FloorDivSIOp>(op);
}

/// Whether the divisor is a constant by which any integer can be divided: not
/// 0, and not -1 where the least integer divided by it does not fit.
static bool dividesAny(Value divisor, bool isSigned) {
  if (auto splat = divisor.getDefiningOp<vector::BroadcastOp>())
    divisor = splat.getSource();
  Attribute constant;
  if (!matchPattern(divisor, m_Constant(&constant)))
    return false;
  auto isGood = [&](const APInt &number) {
    return !number.isZero() && !(isSigned && number.isAllOnes());
  };
  if (auto number = dyn_cast<IntegerAttr>(constant))
    return isGood(number.getValue());
  auto numbers = dyn_cast<DenseIntElementsAttr>(constant);
  return numbers && llvm::all_of(numbers.getValues<APInt>(), isGood);
}

bool isIntegerDivision(Operation *op) {
  return isSigned(op) ||
         isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
}

/// By 1 instead of 0. Signed ones also by 1 instead of -1, of which the
/// remainder is 0, too, and the quotient is put right after: -x, which wraps.
Value Elementwise::emitDivision(Operation *op, Value x, Value y) {
  if (dividesAny(y, isSigned(op)))
    return clone(op, {x, y})[0];
  bool isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
  auto number = [&](int64_t value) -> Value {
    Type element = getElementTypeOrSelf(y.getType());
    TypedAttr attr = b.getIntegerAttr(element, value);
    if (auto vector = dyn_cast<VectorType>(y.getType()))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(b, loc, attr);
  };
  // The only divisor of one bit is 1, or -1.
  if (getElementTypeOrSelf(y.getType()).isInteger(1))
    return isRemainder ? number(0) : x;
  // LLVM would conclude from poison that a divisor is not 0 where it is.
  y = frozen(b, loc, y);
  Value zero = number(0), one = number(1);
  Value moved =
      isSigned(op) ? arith::AddIOp::create(b, loc, y, one).getResult() : y;
  Value isSpecial = arith::CmpIOp::create(
      b, loc,
      isSigned(op) ? arith::CmpIPredicate::ule : arith::CmpIPredicate::eq,
      moved, isSigned(op) ? one : zero);
  Value usable = arith::SelectOp::create(b, loc, isSpecial, one, y);
  Value result = clone(op, {x, usable})[0];
  if (isRemainder || !isSigned(op))
    return result;
  Value negated = arith::SubIOp::create(b, loc, zero, x);
  return arith::SelectOp::create(b, loc, isSpecial, negated, result);
}

} // namespace tilewright::numeric
