//===- ConvertOps.cpp - From one type of scalars to another ---------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tileir/reference/ElementOps.h"
#include "verify/threads/ByteTracking.h"
#include "verify/threads/Lanes.h"

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify::threads {

//===--- Integers ---------------------------------------------------------===//

// Bits of Instruction::number.
static constexpr int64_t kSigned = 1, kUnsigned = 2;

static Maybe truncateInt(uint64_t a, const Instruction &i) {
  const uint64_t made = a & i.resultMask();
  if ((i.number & kUnsigned) && made != a)
    return std::nullopt;
  if ((i.number & kSigned) &&
      asSigned(made, i.resultBits) != asSigned(a, i.bits))
    return std::nullopt;
  return made;
}
static uint64_t extendSigned(uint64_t a, const Instruction &i) {
  return uint64_t(asSigned(a, i.bits)) & i.resultMask();
}
static uint64_t extendUnsigned(uint64_t a, const Instruction &i) {
  return a & i.resultMask();
}
/// The flag says that the number is not negative.
static Maybe extendNonNegative(uint64_t a, const Instruction &i) {
  return asSigned(a, i.bits) < 0 ? Maybe() : Maybe(a);
}

template <typename Op> static LogicalResult buildTruncate(Op op, Compiler &c) {
  using Flags = decltype(op.getOverflowFlags());
  Instruction instruction = c.begin(op);
  instruction.run = runUnary<truncateInt>;
  if (bitEnumContainsAny(op.getOverflowFlags(), Flags::nsw))
    instruction.number |= kSigned;
  if (bitEnumContainsAny(op.getOverflowFlags(), Flags::nuw))
    instruction.number |= kUnsigned;
  c.emit(std::move(instruction));
  return success();
}

static LogicalResult buildExtend(LLVM::ZExtOp op, Compiler &c) {
  Instruction instruction = c.begin(op);
  instruction.run =
      op.getNonNeg() ? runUnary<extendNonNegative> : runUnary<extendUnsigned>;
  c.emit(std::move(instruction));
  return success();
}

//===--- Floats -----------------------------------------------------------===//

namespace {
template <typename From> struct Convert {
  template <typename To> struct Into {
    static uint64_t compute(uint64_t a, const Instruction &) {
      return To::store(typename To::Number(From::load(a)));
    }
    static Run run() { return runUnary<compute>; }
  };
};
template <typename From> struct ToSingle {
  static Run run() { return Convert<From>::template Into<F32Format>::run(); }
};
template <typename From> struct ToDouble {
  static Run run() { return Convert<From>::template Into<F64Format>::run(); }
};
template <typename From> struct ToHalf {
  static Run run() { return Convert<From>::template Into<F16Format>::run(); }
};
template <typename From> struct ToBfloat {
  static Run run() { return Convert<From>::template Into<BF16Format>::run(); }
};
} // namespace

/// Null where the host lacks one of the formats.
static Run conversion(Type from, Type to) {
  to = getElementTypeOrSelf(to);
  if (to.isF32())
    return byFormat<ToSingle>(from);
  if (to.isF64())
    return byFormat<ToDouble>(from);
  if (to.isF16())
    return byFormat<ToHalf>(from);
  return to.isBF16() ? byFormat<ToBfloat>(from) : nullptr;
}

static LogicalResult buildFloat(Operation *op, Compiler &c) {
  const Run run =
      conversion(op->getOperand(0).getType(), op->getResult(0).getType());
  auto narrowing = dyn_cast<arith::TruncFOp>(op);
  const bool isElse = !run || (narrowing && narrowing.getRoundingmode());
  if (isElse && !elementFunctions(op).empty())
    return buildElementwise(op, c);
  if (isElse)
    return errorAt(op) << "the reference of threads has no conversion of "
                       << op->getOperand(0).getType() << " to "
                       << op->getResult(0).getType();
  Instruction instruction = c.begin(op);
  instruction.run = run;
  c.emit(std::move(instruction));
  return success();
}

static const llvm::fltSemantics &semanticsOf(Type type) {
  return cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
}

/// Rounded toward zero; poison if the integer does not fit.
template <bool isSigned>
static Maybe floatToInt(uint64_t a, const Instruction &i) {
  const APFloat number(semanticsOf(i.op->getOperand(0).getType()),
                       APInt(i.bits, a));
  llvm::APSInt made(i.resultBits, !isSigned);
  bool isExact = false;
  const auto status =
      number.convertToInteger(made, APFloat::rmTowardZero, &isExact);
  if (status & APFloat::opInvalidOp)
    return std::nullopt;
  return made.getZExtValue();
}

/// number: whether a negative one is poison.
template <bool isSigned>
static Maybe intToFloat(uint64_t a, const Instruction &i) {
  if (i.number && asSigned(a, i.bits) < 0)
    return std::nullopt;
  APFloat number(semanticsOf(i.op->getResult(0).getType()));
  number.convertFromAPInt(APInt(i.bits, a), isSigned,
                          APFloat::rmNearestTiesToEven);
  return number.bitcastToAPInt().getZExtValue();
}

static LogicalResult buildUnsigned(LLVM::UIToFPOp op, Compiler &c) {
  Instruction instruction = c.begin(op);
  instruction.run = runUnary<intToFloat<false>>;
  instruction.number = op.getNonNeg();
  c.emit(std::move(instruction));
  return success();
}

//===--- Bits -------------------------------------------------------------===//

/// The same bits, the first element in the lowest ones.
static Outcome runBitcast(const Instruction &i, Thread &t) {
  const unsigned from = i.bits, to = i.resultBits;
  const Lane *source = t.frame + i.a;
  Lane *target = t.frame + i.result;
  for (unsigned n = 0; n < i.lanes; ++n) {
    uint64_t made = 0;
    Operation *poison = nullptr;
    // From bit `at` of the value on.
    for (unsigned done = 0; done < to;) {
      const unsigned at = n * to + done, offset = at % from;
      const unsigned count = std::min(from - offset, to - done);
      const Lane &lane = source[at / from];
      if (!poison)
        poison = lane.mark;
      made |= (lane.bits >> offset & Instruction::maskOf(count)) << done;
      done += count;
    }
    target[n] = {poison ? 0 : made, poison};
  }
  return Outcome::next;
}

static unsigned bitsOfLane(Value value) {
  SmallVector<Type> scalars;
  (void)scalarsOf(value.getType(), scalars);
  return scalars.empty() ? 0 : bitsOf(scalars.front());
}

LogicalResult buildBitcast(Operation *op, Compiler &c) {
  if (bitsOfLane(op->getOperand(0)) == bitsOfLane(op->getResult(0))) {
    c.alias(op->getResult(0), c.laneOf(op->getOperand(0)));
    return success();
  }
  Instruction instruction = c.begin(op);
  instruction.run = runBitcast;
  instruction.tracker = castTracker(op, c);
  c.emit(std::move(instruction));
  return success();
}

/// The same lanes under another type.
static LogicalResult buildCast(UnrealizedConversionCastOp op, Compiler &c) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return errorAt(op) << "the reference of threads knows casts of one value";
  return buildBitcast(op, c);
}

void addConvertOps(OpTable &ops) {
  ops.add<arith::TruncIOp>(buildTruncate<arith::TruncIOp>);
  ops.add<LLVM::TruncOp>(buildTruncate<LLVM::TruncOp>);
  ops.add<LLVM::ZExtOp>(buildExtend);
  ops.addRun<arith::ExtSIOp, arith::IndexCastOp, LLVM::SExtOp>(
      runUnary<extendSigned>);
  ops.addRun<arith::ExtUIOp, arith::IndexCastUIOp>(runUnary<extendUnsigned>);
  ops.add<arith::ExtFOp>(buildFloat);
  ops.add<arith::TruncFOp>(buildFloat);
  ops.add<LLVM::FPExtOp>(buildFloat);
  ops.add<LLVM::FPTruncOp>(buildFloat);
  ops.addRun<arith::FPToSIOp, LLVM::FPToSIOp>(runUnary<floatToInt<true>>);
  ops.addRun<arith::FPToUIOp, LLVM::FPToUIOp>(runUnary<floatToInt<false>>);
  ops.addRun<arith::SIToFPOp, LLVM::SIToFPOp>(runUnary<intToFloat<true>>);
  ops.addRun<arith::UIToFPOp>(runUnary<intToFloat<false>>);
  ops.add<LLVM::UIToFPOp>(buildUnsigned);
  ops.add<arith::BitcastOp>(buildBitcast);
  ops.add<LLVM::BitcastOp>(buildBitcast);
  ops.addRun<LLVM::PtrToIntOp, LLVM::IntToPtrOp, LLVM::AddrSpaceCastOp>(
      runUnary<extendUnsigned>);
  ops.add<UnrealizedConversionCastOp>(buildCast);
}

} // namespace tilewright::verify::threads
