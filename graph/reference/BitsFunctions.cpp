// Fast ways for the ops that most bodies are made of: on the host's numbers,
// which IEEE 754 defines bit by bit (but for NaNs, of which any is right). A
// test compares them with the functions of reference::Element.
#include "graph/reference/Body.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <bit>
#include <cmath>

using namespace mlir;

namespace tilewright::graph::reference {

namespace {
/// The host's type, and the integer with its bits.
template <typename F> struct BitsOf;
template <> struct BitsOf<float> {
  using Type = uint32_t;
};
template <> struct BitsOf<double> {
  using Type = uint64_t;
};

template <typename F> F fromBits(uint64_t bits) {
  return std::bit_cast<F>(static_cast<typename BitsOf<F>::Type>(bits));
}
template <typename F> uint64_t toBits(F value) {
  return std::bit_cast<typename BitsOf<F>::Type>(value);
}

/// A function of two floats.
template <typename F, F (*fn)(F, F)> uint64_t onFloats(uint64_t a, uint64_t b) {
  return toBits<F>(fn(fromBits<F>(a), fromBits<F>(b)));
}
template <typename F, bool (*fn)(F, F)>
uint64_t compareFloats(uint64_t a, uint64_t b) {
  return fn(fromBits<F>(a), fromBits<F>(b));
}
} // namespace

template <typename F> static F addOf(F a, F b) { return a + b; }
template <typename F> static F differenceOf(F a, F b) { return a - b; }
template <typename F> static F productOf(F a, F b) { return a * b; }
template <typename F> static F quotientOf(F a, F b) { return a / b; }
/// NaN spreads, and 0 is greater than -0.
template <typename F> static F maximumOf(F a, F b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <typename F> static F minimumOf(F a, F b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

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
  switch (p) {
  case arith::CmpFPredicate::OEQ:
    return compareFloats<F, isEqual<F>>;
  case arith::CmpFPredicate::OGT:
    return compareFloats<F, isGreater<F>>;
  case arith::CmpFPredicate::OGE:
    return compareFloats<F, isAtLeast<F>>;
  case arith::CmpFPredicate::OLT:
    return compareFloats<F, isLess<F>>;
  case arith::CmpFPredicate::OLE:
    return compareFloats<F, isAtMost<F>>;
  case arith::CmpFPredicate::UNE:
    return compareFloats<F, isOther<F>>;
  case arith::CmpFPredicate::UNO:
    return compareFloats<F, isUnordered<F>>;
  default:
    return nullptr;
  }
}

template <typename F> static BitsFn floatFunction(Operation *op) {
  if (isa<arith::AddFOp>(op))
    return onFloats<F, addOf<F>>;
  if (isa<arith::SubFOp>(op))
    return onFloats<F, differenceOf<F>>;
  if (isa<arith::MulFOp>(op))
    return onFloats<F, productOf<F>>;
  if (isa<arith::DivFOp>(op))
    return onFloats<F, quotientOf<F>>;
  if (isa<arith::MaximumFOp>(op))
    return onFloats<F, maximumOf<F>>;
  if (isa<arith::MinimumFOp>(op))
    return onFloats<F, minimumOf<F>>;
  if (auto comparison = dyn_cast<arith::CmpFOp>(op))
    return floatComparison<F>(comparison.getPredicate());
  return nullptr;
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
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return nullptr;
  Type type = op->getOperand(0).getType();
  if (type.isF32())
    return floatFunction<float>(op);
  if (type.isF64())
    return floatFunction<double>(op);
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
  default:
    return nullptr;
  }
}

} // namespace tilewright::graph::reference
