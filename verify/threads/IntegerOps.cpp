//===- IntegerOps.cpp - Integers of arith and of the llvm dialect ---------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "verify/threads/Lanes.h"
#include "verify/threads/SmallFloats.h"
#include "verify/threads/Tracking.h"

using namespace mlir;

namespace tilewright::verify::threads {

//===--- Flags ------------------------------------------------------------===//

// Bits of Instruction::number.
static constexpr int64_t kNoSignedWrap = 1, kNoUnsignedWrap = 2, kExact = 4,
                         kDisjoint = 8, kIsLlvm = 16;

template <typename Op> static int64_t flagsOf(Op op) {
  int64_t flags = 0;
  if constexpr (requires { op.getOverflowFlags(); }) {
    using Flags = decltype(op.getOverflowFlags());
    if (bitEnumContainsAny(op.getOverflowFlags(), Flags::nsw))
      flags |= kNoSignedWrap;
    if (bitEnumContainsAny(op.getOverflowFlags(), Flags::nuw))
      flags |= kNoUnsignedWrap;
  }
  if constexpr (requires { op.getIsExact(); })
    flags |= op.getIsExact() ? kExact : 0;
  if constexpr (requires { op.getIsDisjoint(); })
    flags |= op.getIsDisjoint() ? kDisjoint : 0;
  return flags;
}

/// Adds the op; `flagged` is run where it has flags.
template <typename Op> static void add(OpTable &ops, Run plain, Run flagged) {
  ops.add<Op>([plain, flagged](Op op, Compiler &c) {
    Instruction instruction = c.begin(op);
    instruction.number = flagsOf(op);
    instruction.run = instruction.number ? flagged : plain;
    c.emit(std::move(instruction));
    return success();
  });
}

//===--- Sums and products ------------------------------------------------===//

using Int = uint64_t;
using I = const Instruction &;

static Int addInts(Int a, Int b, I i) { return (a + b) & i.mask(); }
static Int subInts(Int a, Int b, I i) { return (a - b) & i.mask(); }
static Int mulInts(Int a, Int b, I i) { return (a * b) & i.mask(); }

template <typename Wide> static bool fitsSigned(Wide wide, unsigned bits) {
  return wide >= -(Wide(1) << (bits - 1)) && wide < (Wide(1) << (bits - 1));
}

/// `fn` in 128 bits, with the flags.
template <auto fn> static Maybe flagged(Int a, Int b, I i) {
  const __int128 wide =
      fn(__int128(asSigned(a, i.bits)), __int128(asSigned(b, i.bits)));
  if ((i.number & kNoSignedWrap) && !fitsSigned(wide, i.bits))
    return std::nullopt;
  if (i.number & kNoUnsignedWrap) {
    const __int128 exact = fn(__int128(a), __int128(b));
    // A product of two 64-bit numbers may reach the sign: it is then above.
    if (exact < 0 || exact > __int128(i.mask()))
      return std::nullopt;
  }
  return Int(wide) & i.mask();
}
static __int128 sumOf(__int128 a, __int128 b) { return a + b; }
static __int128 differenceOf(__int128 a, __int128 b) { return a - b; }
static __int128 productOf(__int128 a, __int128 b) {
  return __int128(static_cast<unsigned __int128>(a) *
                  static_cast<unsigned __int128>(b));
}

//===--- Bits -------------------------------------------------------------===//

static Int andInts(Int a, Int b, I) { return a & b; }
static Int orInts(Int a, Int b, I) { return a | b; }
static Int xorInts(Int a, Int b, I) { return a ^ b; }
static Maybe orDisjoint(Int a, Int b, I) {
  return a & b ? Maybe() : Maybe(a | b);
}

static Maybe shiftLeft(Int a, Int b, I i) {
  if (b >= i.bits)
    return std::nullopt;
  const Int made = (a << b) & i.mask();
  if ((i.number & kNoUnsignedWrap) && made >> b != a)
    return std::nullopt;
  if ((i.number & kNoSignedWrap) &&
      asSigned(made, i.bits) >> b != asSigned(a, i.bits))
    return std::nullopt;
  return made;
}

static bool losesBits(Int a, Int b, I i) {
  return (i.number & kExact) && (a & ((Int(1) << b) - 1)) != 0;
}
static Maybe shiftRight(Int a, Int b, I i) {
  if (b >= i.bits || losesBits(a, b, i))
    return std::nullopt;
  return a >> b;
}
static Maybe shiftRightSigned(Int a, Int b, I i) {
  if (b >= i.bits || losesBits(a, b, i))
    return std::nullopt;
  return Int(asSigned(a, i.bits) >> b) & i.mask();
}

//===--- Divisions --------------------------------------------------------===//

/// How a quotient is rounded.
enum class Rounding : uint8_t { zero, up, down };

template <bool isSigned, bool wantsRest, Rounding rounding>
static Outcome runDivision(const Instruction &i, Thread &t) {
  for (unsigned n = 0; n < i.lanes; ++n) {
    const Lane &a = t.frame[i.a + n], &b = t.frame[i.b + n];
    if (isOpen(b))
      return poisonFault(i, t, b, "its divisor");
    if (b.bits == 0)
      return fault(i, t, "divides by zero");
    if (isPoison(a)) {
      t.frame[i.result + n] = a;
      continue;
    }
    const __int128 x =
        isSigned ? __int128(asSigned(a.bits, i.bits)) : __int128(a.bits);
    const __int128 y =
        isSigned ? __int128(asSigned(b.bits, i.bits)) : __int128(b.bits);
    __int128 quotient = x / y;
    const __int128 rest = x % y;
    if (isSigned && (i.number & kIsLlvm) && !fitsSigned(quotient, i.bits))
      return fault(i, t, "divides the least integer by -1");
    if (rounding == Rounding::up && rest != 0 && (rest < 0) == (y < 0))
      ++quotient;
    if (rounding == Rounding::down && rest != 0 && (rest < 0) != (y < 0))
      --quotient;
    const bool isPoisoned = (i.number & kExact) && rest != 0;
    t.frame[i.result + n] = {Int(wantsRest ? rest : quotient) & i.mask(),
                             isPoisoned ? i.op : nullptr};
  }
  return Outcome::next;
}

template <typename Op> static void addDivision(OpTable &ops, Run run) {
  ops.add<Op>([run](Op op, Compiler &c) {
    Instruction instruction = c.begin(op);
    instruction.number = flagsOf(op);
    if (isa<LLVM::LLVMDialect>(op->getDialect()))
      instruction.number |= kIsLlvm;
    instruction.run = run;
    c.emit(std::move(instruction));
    return success();
  });
}

//===--- Comparisons ------------------------------------------------------===//

template <typename Compare> static Int compareInts(Int a, Int b, I) {
  return Compare()(a, b);
}
template <typename Compare> static Int compareSigned(Int a, Int b, I i) {
  return Compare()(asSigned(a, i.bits), asSigned(b, i.bits));
}

/// The predicates of arith and of the llvm dialect have the same names.
template <typename P> static Run comparisonOf(P predicate) {
  switch (predicate) {
  case P::eq:
    return runBinary<compareInts<std::equal_to<>>>;
  case P::ne:
    return runBinary<compareInts<std::not_equal_to<>>>;
  case P::slt:
    return runBinary<compareSigned<std::less<>>>;
  case P::sle:
    return runBinary<compareSigned<std::less_equal<>>>;
  case P::sgt:
    return runBinary<compareSigned<std::greater<>>>;
  case P::sge:
    return runBinary<compareSigned<std::greater_equal<>>>;
  case P::ult:
    return runBinary<compareInts<std::less<>>>;
  case P::ule:
    return runBinary<compareInts<std::less_equal<>>>;
  case P::ugt:
    return runBinary<compareInts<std::greater<>>>;
  case P::uge:
    return runBinary<compareInts<std::greater_equal<>>>;
  }
  llvm_unreachable("all predicates are listed");
}

template <typename Op>
static LogicalResult buildComparison(Op op, Compiler &c) {
  Instruction instruction = c.begin(op);
  instruction.run = comparisonOf(op.getPredicate());
  c.emit(std::move(instruction));
  return success();
}

//===--- Others -----------------------------------------------------------===//

static Int maxSigned(Int a, Int b, I i) {
  return asSigned(a, i.bits) > asSigned(b, i.bits) ? a : b;
}
static Int minSigned(Int a, Int b, I i) {
  return asSigned(a, i.bits) < asSigned(b, i.bits) ? a : b;
}
static Int maxUnsigned(Int a, Int b, I) { return std::max(a, b); }
static Int minUnsigned(Int a, Int b, I) { return std::min(a, b); }
static Int countOnes(Int a, I) { return Int(llvm::popcount(a)); }
static Int leadingZeros(Int a, I i) {
  return Int(llvm::countl_zero(a)) - (64 - i.bits);
}
static Int trailingZeros(Int a, I i) {
  return std::min<Int>(Int(llvm::countr_zero(a)), i.bits);
}
static Int absolute(Int a, I i) {
  return asSigned(a, i.bits) < 0 ? (0 - a) & i.mask() : a;
}
static Int swapBytes(Int a, I i) { return llvm::byteswap(a) >> (64 - i.bits); }
static Int reverseBits(Int a, I i) {
  return llvm::reverseBits(a) >> (64 - i.bits);
}

/// (a : b) << c, its upper half.
static Int funnelLeft(Int a, Int b, Int c, I i) {
  const Int by = c % i.bits;
  return by ? ((a << by) | (b >> (i.bits - by))) & i.mask() : a;
}
static Int funnelRight(Int a, Int b, Int c, I i) {
  const Int by = c % i.bits;
  return by ? ((a << (i.bits - by)) | (b >> by)) & i.mask() : b;
}

static Int addSaturated(Int a, Int b, I i) {
  const __int128 limit = __int128(1) << (i.bits - 1);
  const __int128 sum = __int128(asSigned(a, i.bits)) + asSigned(b, i.bits);
  return Int(std::clamp<__int128>(sum, -limit, limit - 1)) & i.mask();
}
static Int addSaturatedUnsigned(Int a, Int b, I i) {
  const Int sum = (a + b) & i.mask();
  return sum < a ? i.mask() : sum;
}
static Int subSaturatedUnsigned(Int a, Int b, I) { return a < b ? 0 : a - b; }

/// Two results: what wraps, and whether it did; or the low and the high half.
template <auto fn, bool isSigned, bool wantsHigh>
static Outcome runExtended(const Instruction &i, Thread &t) {
  const unsigned count = i.lanes / 2;
  for (unsigned n = 0; n < count; ++n) {
    const Lane &a = t.frame[i.a + n], &b = t.frame[i.b + n];
    Lane *to = t.frame + i.result;
    if (isPoison(a) || isPoison(b)) {
      to[n] = to[n + count] = isPoison(a) ? a : b;
      continue;
    }
    const __int128 wide =
        isSigned ? fn(asSigned(a.bits, i.bits), asSigned(b.bits, i.bits))
                 : fn(__int128(a.bits), __int128(b.bits));
    to[n] = {Int(wide) & i.mask(), nullptr};
    const bool fits = isSigned ? fitsSigned(wide, i.bits)
                               : wide >= 0 && wide <= __int128(i.mask());
    to[n + count] = {wantsHigh
                         ? Int(static_cast<unsigned __int128>(wide) >> i.bits) &
                               i.mask()
                         : Int(!fits),
                     nullptr};
  }
  return Outcome::next;
}

/// Each lane of the chosen side alone counts.
static Outcome runSelect(const Instruction &i, Thread &t) {
  const bool isScalar = i.number != 0;
  for (unsigned n = 0; n < i.lanes; ++n) {
    const Lane &condition = t.frame[i.a + (isScalar ? 0 : n)];
    t.frame[i.result + n] = isPoison(condition)    ? Lane{0, condition.mark}
                            : (condition.bits & 1) ? t.frame[i.b + n]
                                                   : t.frame[i.c + n];
  }
  return Outcome::next;
}

template <typename Op> static LogicalResult buildSelect(Op op, Compiler &c) {
  Instruction instruction = c.begin(op);
  instruction.run = runSelect;
  std::shared_ptr<const Tracker> tracker = selectTracker(op, c);
  std::shared_ptr<const Tracker> conversion = smallFloatTracker(op, tracker, c);
  instruction.tracker = conversion ? conversion : tracker;
  instruction.number = !isa<VectorType>(op.getCondition().getType());
  c.emit(std::move(instruction));
  return success();
}

static void addBitOps(OpTable &ops) {
  ops.addRun<arith::AndIOp, LLVM::AndOp>(runBinary<andInts>);
  ops.addRun<arith::XOrIOp, LLVM::XOrOp>(runBinary<xorInts>);
  ops.addRun<arith::OrIOp>(runBinary<orInts>);
  add<LLVM::OrOp>(ops, runBinary<orInts>, runBinary<orDisjoint>);
  add<arith::ShLIOp>(ops, runBinary<shiftLeft>, runBinary<shiftLeft>);
  add<LLVM::ShlOp>(ops, runBinary<shiftLeft>, runBinary<shiftLeft>);
  add<arith::ShRUIOp>(ops, runBinary<shiftRight>, runBinary<shiftRight>);
  add<LLVM::LShrOp>(ops, runBinary<shiftRight>, runBinary<shiftRight>);
  const Run right = runBinary<shiftRightSigned>;
  add<arith::ShRSIOp>(ops, right, right);
  add<LLVM::AShrOp>(ops, right, right);
  ops.addRun<LLVM::CtPopOp>(runUnary<countOnes>);
  ops.addRun<LLVM::CountLeadingZerosOp>(runUnary<leadingZeros>);
  ops.addRun<LLVM::CountTrailingZerosOp>(runUnary<trailingZeros>);
  ops.addRun<LLVM::AbsOp>(runUnary<absolute>);
  ops.addRun<LLVM::ByteSwapOp>(runUnary<swapBytes>);
  ops.addRun<LLVM::BitReverseOp>(runUnary<reverseBits>);
  ops.addRun<LLVM::FshlOp>(runTernary<funnelLeft>);
  ops.addRun<LLVM::FshrOp>(runTernary<funnelRight>);
}

static void addDivisions(OpTable &ops) {
  using enum Rounding;
  addDivision<arith::DivSIOp>(ops, runDivision<true, false, zero>);
  addDivision<LLVM::SDivOp>(ops, runDivision<true, false, zero>);
  addDivision<arith::DivUIOp>(ops, runDivision<false, false, zero>);
  addDivision<LLVM::UDivOp>(ops, runDivision<false, false, zero>);
  addDivision<arith::RemSIOp>(ops, runDivision<true, true, zero>);
  addDivision<LLVM::SRemOp>(ops, runDivision<true, true, zero>);
  addDivision<arith::RemUIOp>(ops, runDivision<false, true, zero>);
  addDivision<LLVM::URemOp>(ops, runDivision<false, true, zero>);
  addDivision<arith::CeilDivSIOp>(ops, runDivision<true, false, up>);
  addDivision<arith::CeilDivUIOp>(ops, runDivision<false, false, up>);
  addDivision<arith::FloorDivSIOp>(ops, runDivision<true, false, down>);
}

void addIntegerOps(OpTable &ops) {
  add<arith::AddIOp>(ops, runBinary<addInts>, runBinary<flagged<sumOf>>);
  add<LLVM::AddOp>(ops, runBinary<addInts>, runBinary<flagged<sumOf>>);
  const Run difference = runBinary<flagged<differenceOf>>;
  add<arith::SubIOp>(ops, runBinary<subInts>, difference);
  add<LLVM::SubOp>(ops, runBinary<subInts>, difference);
  add<arith::MulIOp>(ops, runBinary<mulInts>, runBinary<flagged<productOf>>);
  add<LLVM::MulOp>(ops, runBinary<mulInts>, runBinary<flagged<productOf>>);
  addBitOps(ops);
  addDivisions(ops);
  ops.add<arith::CmpIOp>(buildComparison<arith::CmpIOp>);
  ops.add<LLVM::ICmpOp>(buildComparison<LLVM::ICmpOp>);
  ops.addRun<arith::MaxSIOp, LLVM::SMaxOp>(runBinary<maxSigned>);
  ops.addRun<arith::MinSIOp, LLVM::SMinOp>(runBinary<minSigned>);
  ops.addRun<arith::MaxUIOp, LLVM::UMaxOp>(runBinary<maxUnsigned>);
  ops.addRun<arith::MinUIOp, LLVM::UMinOp>(runBinary<minUnsigned>);
  ops.addRun<LLVM::SAddSat>(runBinary<addSaturated>);
  ops.addRun<LLVM::UAddSat>(runBinary<addSaturatedUnsigned>);
  ops.addRun<LLVM::USubSat>(runBinary<subSaturatedUnsigned>);
  ops.addRun<arith::AddUIExtendedOp, LLVM::UAddWithOverflowOp>(
      runExtended<sumOf, false, false>);
  ops.addRun<LLVM::SAddWithOverflowOp>(runExtended<sumOf, true, false>);
  ops.addRun<LLVM::UMulWithOverflowOp>(runExtended<productOf, false, false>);
  ops.addRun<LLVM::SMulWithOverflowOp>(runExtended<productOf, true, false>);
  ops.addRun<arith::MulUIExtendedOp>(runExtended<productOf, false, true>);
  ops.addRun<arith::MulSIExtendedOp>(runExtended<productOf, true, true>);
  ops.add<arith::SelectOp>(buildSelect<arith::SelectOp>);
  ops.add<LLVM::SelectOp>(buildSelect<LLVM::SelectOp>);
}

} // namespace tilewright::verify::threads
