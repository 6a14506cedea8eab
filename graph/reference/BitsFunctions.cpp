// Fast ways for the ops that most bodies are made of: on the host's numbers. A
// test compares them with the functions of reference::Element.
#include "graph/reference/Body.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tileir/reference/HostFormats.h"

using namespace mlir;

namespace tilewright::graph::reference {

//===--- Formats ----------------------------------------------------------===//

namespace {
using F32 = numerics::F32Format;
using F64 = numerics::F64Format;
using F16 = numerics::F16Format;
using BF16 = numerics::BF16Format;

/// A function of two floats.
template <typename F,
          typename F::Number (*fn)(typename F::Number, typename F::Number)>
uint64_t onFloats(uint64_t a, uint64_t b) {
  return F::store(fn(F::load(a), F::load(b)));
}
template <typename F, bool (*fn)(typename F::Number, typename F::Number)>
uint64_t compareFloats(uint64_t a, uint64_t b) {
  return fn(F::load(a), F::load(b));
}
/// A float as one of another type, rounded once.
template <typename From, typename To>
uint64_t convertFloat(uint64_t a, uint64_t) {
  return To::store(static_cast<typename To::Number>(From::load(a)));
}
} // namespace

//===--- Floats -----------------------------------------------------------===//

template <typename F> static F addOf(F a, F b) { return a + b; }
template <typename F> static F differenceOf(F a, F b) { return a - b; }
template <typename F> static F productOf(F a, F b) { return a * b; }
template <typename F> static F quotientOf(F a, F b) { return a / b; }
template <typename F> static bool isEqual(F a, F b) { return a == b; }
template <typename F> static bool isGreater(F a, F b) { return a > b; }
template <typename F> static bool isAtLeast(F a, F b) { return a >= b; }
template <typename F> static bool isLess(F a, F b) { return a < b; }
template <typename F> static bool isAtMost(F a, F b) { return a <= b; }
template <typename F> static bool isOther(F a, F b) { return !(a == b); }
template <typename F> static bool isUnordered(F a, F b) {
  return std::isnan(a) || std::isnan(b);
}

template <typename F> static BitsFn floatComparison(arith::CmpFPredicate p) {
  using N = typename F::Number;
  switch (p) {
  case arith::CmpFPredicate::OEQ:
    return compareFloats<F, isEqual<N>>;
  case arith::CmpFPredicate::OGT:
    return compareFloats<F, isGreater<N>>;
  case arith::CmpFPredicate::OGE:
    return compareFloats<F, isAtLeast<N>>;
  case arith::CmpFPredicate::OLT:
    return compareFloats<F, isLess<N>>;
  case arith::CmpFPredicate::OLE:
    return compareFloats<F, isAtMost<N>>;
  case arith::CmpFPredicate::UNE:
    return compareFloats<F, isOther<N>>;
  case arith::CmpFPredicate::UNO:
    return compareFloats<F, isUnordered<N>>;
  default:
    return nullptr;
  }
}

template <typename F> static BitsFn floatFunction(Operation *op) {
  using N = typename F::Number;
  if (isa<arith::AddFOp>(op))
    return onFloats<F, addOf<N>>;
  if (isa<arith::SubFOp>(op))
    return onFloats<F, differenceOf<N>>;
  if (isa<arith::MulFOp>(op))
    return onFloats<F, productOf<N>>;
  if (isa<arith::DivFOp>(op))
    return onFloats<F, quotientOf<N>>;
  if (isa<arith::MaximumFOp>(op))
    return onFloats<F, numerics::maximumOf<N>>;
  if (isa<arith::MinimumFOp>(op))
    return onFloats<F, numerics::minimumOf<N>>;
  if (isa<arith::MaxNumFOp>(op))
    return onFloats<F, numerics::maxnumOf<N>>;
  if (isa<arith::MinNumFOp>(op))
    return onFloats<F, numerics::minnumOf<N>>;
  if (auto comparison = dyn_cast<arith::CmpFOp>(op))
    return floatComparison<F>(comparison.getPredicate());
  return nullptr;
}

template <typename From> static BitsFn conversionFrom(Type to) {
  if (to.isF64())
    return convertFloat<From, F64>;
  if (to.isF32())
    return convertFloat<From, F32>;
  if (to.isF16())
    return convertFloat<From, F16>;
  return to.isBF16() ? convertFloat<From, BF16> : nullptr;
}

/// An op on floats of this format.
template <typename F> static BitsFn functionOf(Operation *op) {
  auto narrowing = dyn_cast<arith::TruncFOp>(op);
  if (isa<arith::ExtFOp>(op) || (narrowing && !narrowing.getRoundingmode()))
    return conversionFrom<F>(op->getResult(0).getType());
  return floatFunction<F>(op);
}

//===--- Integers ---------------------------------------------------------===//

template <unsigned width> static uint64_t addInts(uint64_t a, uint64_t b) {
  return (a + b) & llvm::maskTrailingOnes<uint64_t>(width);
}
template <unsigned width> static uint64_t subtractInts(uint64_t a, uint64_t b) {
  return (a - b) & llvm::maskTrailingOnes<uint64_t>(width);
}
template <unsigned width> static uint64_t multiplyInts(uint64_t a, uint64_t b) {
  return (a * b) & llvm::maskTrailingOnes<uint64_t>(width);
}
static uint64_t sameBits(uint64_t a, uint64_t) { return a; }
static uint64_t andBits(uint64_t a, uint64_t b) { return a & b; }
static uint64_t orBits(uint64_t a, uint64_t b) { return a | b; }
static uint64_t xorBits(uint64_t a, uint64_t b) { return a ^ b; }

template <unsigned width, typename Compare>
static uint64_t compareInts(uint64_t a, uint64_t b) {
  return Compare()(llvm::SignExtend64<width>(a), llvm::SignExtend64<width>(b));
}

template <unsigned width> static BitsFn intComparison(arith::CmpIPredicate p) {
  switch (p) {
  case arith::CmpIPredicate::eq:
    return compareInts<width, std::equal_to<>>;
  case arith::CmpIPredicate::ne:
    return compareInts<width, std::not_equal_to<>>;
  case arith::CmpIPredicate::slt:
    return compareInts<width, std::less<>>;
  case arith::CmpIPredicate::sle:
    return compareInts<width, std::less_equal<>>;
  case arith::CmpIPredicate::sgt:
    return compareInts<width, std::greater<>>;
  case arith::CmpIPredicate::sge:
    return compareInts<width, std::greater_equal<>>;
  default:
    return nullptr;
  }
}

/// Without flags: with them a result may be poison.
template <typename Op> static bool wraps(Operation *op) {
  auto arithmetic = dyn_cast<Op>(op);
  return arithmetic &&
         arithmetic.getOverflowFlags() == arith::IntegerOverflowFlags::none;
}

template <unsigned width> static BitsFn intFunction(Operation *op) {
  if (wraps<arith::AddIOp>(op))
    return addInts<width>;
  if (wraps<arith::SubIOp>(op))
    return subtractInts<width>;
  if (wraps<arith::MulIOp>(op))
    return multiplyInts<width>;
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return intComparison<width>(comparison.getPredicate());
  return nullptr;
}

BitsFn bitsFunction(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1)
    return nullptr;
  Type type = op->getOperand(0).getType();
  if (isa<arith::BitcastOp, arith::ExtUIOp>(op) && type.isIntOrIndexOrFloat() &&
      numerics::widthOf(type) <= 64)
    return sameBits;
  if (type.isF32())
    return functionOf<F32>(op);
  if (type.isF64())
    return functionOf<F64>(op);
  if (type.isF16())
    return functionOf<F16>(op);
  if (type.isBF16())
    return functionOf<BF16>(op);
  if (!type.isIntOrIndex())
    return nullptr;
  if (isa<arith::AndIOp>(op))
    return andBits;
  if (isa<arith::OrIOp>(op))
    return orBits;
  if (isa<arith::XOrIOp>(op))
    return xorBits;
  switch (numerics::widthOf(type)) {
  case 64:
    return intFunction<64>(op);
  case 32:
    return intFunction<32>(op);
  case 16:
    return intFunction<16>(op);
  case 8:
    return intFunction<8>(op);
  default:
    return nullptr;
  }
}

} // namespace tilewright::graph::reference
