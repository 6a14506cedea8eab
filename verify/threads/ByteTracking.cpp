#include "verify/threads/ByteTracking.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "tileir/reference/HostFormats.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify::threads {

//===--- Casts ------------------------------------------------------------===//

namespace {
struct CastTracker : Tracker {
  LaneRange source;
  unsigned from = 8, to = 8;

  void track(const Instruction &i, Thread &t) const override {
    const Lane *lanes = t.frame + source.first;
    if (std::all_of(lanes, lanes + source.count,
                    [](const Lane &lane) { return lane.mark.isExact(); }))
      return;
    ByteParts parts;
    if (from % 8 == 0 && to % 8 == 0)
      for (unsigned n = 0; n < source.count; ++n)
        appendParts(isPoison(lanes[n]) ? Mark() : lanes[n].mark, from / 8,
                    parts);
    for (unsigned n = 0; n < i.lanes; ++n) {
      Lane &lane = t.frame[i.result + n];
      if (!isPoison(lane))
        lane.mark = parts.empty()
                        ? Mark::unknown()
                        : markOf(ArrayRef(parts).slice(n * to / 8, to / 8));
    }
  }
};
} // namespace

std::shared_ptr<const Tracker> castTracker(Operation *op,
                                           const Compiler &compiler) {
  auto bits = [](Value value) {
    return bitsOf(getElementTypeOrSelf(value.getType()));
  };
  auto tracker = std::make_shared<CastTracker>();
  tracker->source = compiler.rangeOf(op->getOperand(0));
  tracker->from = bits(op->getOperand(0));
  tracker->to = bits(op->getResult(0));
  return tracker;
}

//===--- Upper bits -------------------------------------------------------===//

Inexact upperPart(const Inexact &x, unsigned fraction) {
  const auto bits = std::bit_cast<uint32_t>(float(x.value));
  const uint32_t lower = (1U << (23 - fraction)) - 1;
  const double value = std::bit_cast<float>(bits & ~lower);
  if (x.error == 0)
    return {value, std::fabs(x.value - value)};
  // Of any number near x: all that the bits below may be.
  const double largest = x.size() + 2 * enlarged(x.error);
  if (!(largest < 0x1p127))
    return {value, kUnbounded};
  const int exponent = std::max(std::ilogb(largest), -126);
  return {value, std::ldexp(1.0, exponent - int(fraction))};
}

static Value withoutCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<LLVM::BitcastOp, arith::BitcastOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Whether a value is subtracted from the number of `word`, as casts have it.
static bool isSubtracted(Value upper, Value word) {
  for (Operation *user : upper.getUsers()) {
    if (isa<LLVM::BitcastOp, arith::BitcastOp>(user) &&
        isSubtracted(user->getResult(0), word))
      return true;
    auto difference = dyn_cast<arith::SubFOp>(user);
    if (difference && difference.getRhs() == upper &&
        withoutCasts(difference.getLhs()) == withoutCasts(word))
      return true;
  }
  return false;
}

static std::optional<uint64_t> constantOf(Value value) {
  APInt bits;
  if (!matchPattern(value, m_ConstantInt(&bits)))
    return std::nullopt;
  return bits.getZExtValue();
}

/// How many bits of its fraction a mask leaves to an f32; none: it is another.
static std::optional<unsigned> fractionLeft(uint64_t mask) {
  if (mask == 0xffffe000)
    return 10;
  return mask == 0xffff0000 ? std::optional(7U) : std::nullopt;
}

/// Whether the code also computes what a word has besides its upper bits.
static bool isCutInParts(Value word, uint64_t mask) {
  for (Operation *user : word.getUsers())
    if (auto both = dyn_cast<arith::AndIOp>(user))
      if (constantOf(both.getRhs()) == mask && isSubtracted(both, word))
        return true;
  return false;
}

static Inexact singleAt(const Lane &lane) {
  return {F32Format::load(lane.bits), errorOf(lane, 32)};
}

/// Of the upper bits of an f32. With the rest computed beside it, what exactly
/// is split between the two does not matter: no error is made here.
static Mark upperMark(const Lane &lane, unsigned fraction, bool isCut) {
  const Inexact x = singleAt(lane);
  const double lost = upperPart(x, fraction).error;
  if (isCut)
    return x.error < kUnbounded ? Mark::upperBits({0.0}, {lost})
                                : Mark::unknown();
  return Mark::error(enlarged(x.error + lost));
}

//===--- Integers ---------------------------------------------------------===//

namespace {
struct BytesTracker : Tracker {
  enum class Kind : uint8_t {
    other,
    extend,
    truncate,
    left,
    right,
    bitAnd,
    bitOr,
    bitXor
  };
  Kind kind = Kind::other;
  std::shared_ptr<const Tracker> otherwise;
  LaneRange a, b;
  unsigned bits = 64, resultBits = 64;
  /// Of an f32 whose upper bits a mask takes.
  std::optional<unsigned> fraction;
  bool isCut = false;
  /// Whether both operands are the same number.
  bool isSame = false;

  void track(const Instruction &i, Thread &t) const override;

private:
  [[nodiscard]] Mark markAt(const Lane &x, const Lane &y) const;
  [[nodiscard]] Mark moved(const Lane &x, const Lane &y) const;
  [[nodiscard]] Mark combined(const Lane &x, const Lane &y) const;
};
} // namespace

void BytesTracker::track(const Instruction &i, Thread &t) const {
  if (bits % 8 || resultBits % 8)
    return otherwise->track(i, t);
  static const Lane none = {};
  for (unsigned n = 0; n < i.lanes; ++n) {
    const Lane &x = t.frame[a.first + n];
    const Lane &y = b.count ? t.frame[b.first + n] : none;
    Lane &lane = t.frame[i.result + n];
    if (isPoison(lane))
      continue;
    const bool isExact =
        x.mark.isExact() && y.mark.isExact() && !(fraction && isCut);
    lane.mark = isExact ? Mark() : markAt(x, y);
  }
}

Mark BytesTracker::markAt(const Lane &x, const Lane &y) const {
  if (fraction)
    return upperMark(x, *fraction, isCut);
  // What differs is the sign of zeros: a zero.
  if (isSame)
    return Mark::error(std::max(errorOf(x, bits), errorOf(y, bits)) *
                       (kind == Kind::bitXor && x.bits == y.bits ? 0 : 1));
  if (kind == Kind::bitAnd || kind == Kind::bitOr || kind == Kind::bitXor)
    return combined(x, y);
  return y.mark.isExact() ? moved(x, y) : Mark::unknown();
}

Mark BytesTracker::moved(const Lane &x, const Lane &y) const {
  ByteParts parts;
  appendParts(x.mark, bits / 8, parts);
  const size_t size = resultBits / 8, by = y.bits / 8;
  if (y.bits % 8 || by >= size)
    return Mark::unknown();
  ByteParts made(size);
  for (size_t n = 0; n < parts.size(); ++n) {
    const size_t at = kind == Kind::left ? n + by : n - by;
    if (at < size)
      made[at] = parts[n];
  }
  return markOf(made);
}

/// Whether two values are what an instruction of x86 gives for two numbers, in
/// both orders: the same but for the signs of zeros and NaN, which the bits of
/// either one bring in.
static bool isInBothOrders(Operation *op) {
  auto left =
      withoutCasts(op->getOperand(0)).getDefiningOp<LLVM::CallIntrinsicOp>();
  auto right =
      withoutCasts(op->getOperand(1)).getDefiningOp<LLVM::CallIntrinsicOp>();
  return left && right && left.getIntrin() == right.getIntrin() &&
         left.getIntrin().starts_with("llvm.x86.") &&
         left.getArgs().size() >= 2 && right.getArgs().size() >= 2 &&
         left.getArgs()[0] == right.getArgs()[1] &&
         left.getArgs()[1] == right.getArgs()[0];
}

/// Bytes that the other side keeps as they are, or makes zero.
Mark BytesTracker::combined(const Lane &x, const Lane &y) const {
  const uint64_t sign = uint64_t(1) << (bits - 1);
  const Lane &known = x.mark.isExact() ? x : y;
  const Lane &open = x.mark.isExact() ? y : x;
  // An absolute value, and a negation.
  const bool isWhole = known.mark.isExact() && open.mark.count() == 1;
  if (isWhole && ((kind == Kind::bitAnd && known.bits == sign - 1) ||
                  (kind == Kind::bitXor && known.bits == sign)))
    return open.mark;
  ByteParts left, right;
  appendParts(x.mark, bits / 8, left);
  appendParts(y.mark, bits / 8, right);
  ByteParts made(bits / 8);
  const uint64_t keeps = kind == Kind::bitAnd ? 255 : 0;
  for (unsigned n = 0; n < bits / 8; ++n) {
    if (!left[n].bytes && !right[n].bytes)
      continue;
    if (left[n].bytes && right[n].bytes)
      return Mark::unknown();
    const uint64_t byte = (left[n].bytes ? y : x).bits >> 8 * n & 255;
    if (byte == keeps)
      made[n] = left[n].bytes ? left[n] : right[n];
    else if (byte != 0 || kind != Kind::bitAnd)
      return Mark::unknown();
  }
  return markOf(made);
}

/// x, if the value is x rounded to bf16 in integers: the upper half of the bits
/// of x, to which something was added; NaN is chosen apart.
static Value roundedToBfloat(Operation *op) {
  auto narrow = dyn_cast<arith::TruncIOp>(op);
  auto shift =
      narrow ? narrow.getIn().getDefiningOp<arith::ShRUIOp>() : nullptr;
  auto choice =
      shift ? shift.getLhs().getDefiningOp<arith::SelectOp>() : nullptr;
  auto compare =
      choice ? choice.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!compare || constantOf(shift.getRhs()) != 16 ||
      compare.getPredicate() != arith::CmpFPredicate::UNO ||
      !getElementTypeOrSelf(compare.getLhs().getType()).isF32() ||
      !getElementTypeOrSelf(narrow.getType()).isInteger(16))
    return nullptr;
  return compare.getLhs();
}

bool isRoundingToBfloat(Operation *op) { return bool(roundedToBfloat(op)); }

namespace {
struct BfloatTracker : Tracker {
  LaneRange x;
  NumberFormat format;
  explicit BfloatTracker(MLIRContext *context)
      : format(BFloat16Type::get(context)) {}
  void track(const Instruction &i, Thread &t) const override {
    for (unsigned n = 0; n < i.lanes; ++n) {
      const Lane &source = t.frame[x.first + n];
      Lane &lane = t.frame[i.result + n];
      if (isPoison(lane) || isPoison(source))
        continue;
      const Inexact number = singleAt(source);
      const double made = BF16Format::load(lane.bits);
      const bool isRounded = BF16Format::store(number.value) == lane.bits ||
                             (std::isnan(made) && std::isnan(number.value));
      lane.mark = isRounded ? markBy(errorOfRounding,
                                     {number, made, format, "truncf", {}})
                            : Mark::unknown();
    }
  }
};
} // namespace

static BytesTracker::Kind kindOf(Operation *op) {
  using Kind = BytesTracker::Kind;
  return llvm::StringSwitch<Kind>(op->getName().getStringRef())
      .Cases({"arith.extui", "llvm.zext", "arith.index_castui"}, Kind::extend)
      .Cases({"arith.trunci", "llvm.trunc"}, Kind::truncate)
      .Cases({"arith.shli", "llvm.shl"}, Kind::left)
      .Cases({"arith.shrui", "llvm.lshr"}, Kind::right)
      .Cases({"arith.andi", "llvm.and"}, Kind::bitAnd)
      .Cases({"arith.ori", "llvm.or"}, Kind::bitOr)
      .Cases({"arith.xori", "llvm.xor"}, Kind::bitXor)
      .Default(Kind::other);
}

std::shared_ptr<const Tracker> bytesTracker(Operation *op,
                                            const Compiler &compiler) {
  if (Value x = roundedToBfloat(op)) {
    auto tracker = std::make_shared<BfloatTracker>(op->getContext());
    tracker->x = compiler.rangeOf(x);
    return tracker;
  }
  auto tracker = std::make_shared<BytesTracker>();
  tracker->kind = kindOf(op);
  tracker->otherwise = defaultTracker(op, compiler);
  if (tracker->kind == BytesTracker::Kind::other)
    return tracker->otherwise;
  tracker->a = compiler.rangeOf(op->getOperand(0));
  if (op->getNumOperands() > 1)
    tracker->b = compiler.rangeOf(op->getOperand(1));
  tracker->bits = bitsOf(getElementTypeOrSelf(op->getOperand(0).getType()));
  tracker->resultBits =
      bitsOf(getElementTypeOrSelf(op->getResult(0).getType()));
  tracker->isSame = (tracker->kind == BytesTracker::Kind::bitOr ||
                     tracker->kind == BytesTracker::Kind::bitXor) &&
                    isInBothOrders(op);
  if (tracker->kind != BytesTracker::Kind::bitAnd || tracker->bits != 32)
    return tracker;
  std::optional<uint64_t> mask = constantOf(op->getOperand(1));
  // Masks that have other uses are of integers.
  if (mask && fractionLeft(*mask) &&
      isa<BlockArgument, OpResult>(op->getOperand(0))) {
    tracker->isCut = isCutInParts(op->getOperand(0), *mask);
    if (tracker->isCut)
      tracker->fraction = fractionLeft(*mask);
  }
  return tracker;
}

//===--- Permutations -----------------------------------------------------===//

namespace {
struct PermuteTracker : Tracker {
  LaneRange low, high, selector;
  /// Whether the rests of the two words are computed, too.
  bool areCut = false;
  /// Whether the words are the bits of f32.
  bool areSingle = false;
  static constexpr uint64_t kUpperHalves = 0x7632;

  void track(const Instruction &i, Thread &t) const override {
    Lane &lane = t.frame[i.result];
    if (!isPoison(lane))
      lane.mark = markAt(t.frame[low.first], t.frame[high.first],
                         t.frame[selector.first]);
  }
  [[nodiscard]] Mark markAt(const Lane &a, const Lane &b,
                            const Lane &by) const {
    if (!by.mark.isExact())
      return Mark::unknown();
    if (areCut || (areSingle && by.bits == kUpperHalves))
      return upperHalves(a, b);
    if (a.mark.isExact() && b.mark.isExact())
      return {};
    ByteParts parts, made;
    appendParts(a.mark, 4, parts);
    appendParts(b.mark, 4, parts);
    for (unsigned n = 0; n < 4; ++n) {
      const uint64_t chosen = by.bits >> 4 * n & 15;
      if ((chosen & 8) && parts[chosen & 7].bytes)
        return Mark::unknown();
      made.push_back(chosen & 8 ? BytePart() : parts[chosen]);
    }
    return markOf(made);
  }
  [[nodiscard]] Mark upperHalves(const Lane &a, const Lane &b) const {
    const Inexact x = singleAt(a), y = singleAt(b);
    const double lostX = upperPart(x, 7).error, lostY = upperPart(y, 7).error;
    if (!areCut)
      return Mark::parts(
          {enlarged(x.error + lostX), enlarged(y.error + lostY)});
    if (!(x.error < kUnbounded && y.error < kUnbounded))
      return Mark::unknown();
    return Mark::upperBits({0.0, 0.0}, {lostX, lostY});
  }
};
} // namespace

std::shared_ptr<const Tracker> permuteTracker(Operation *op,
                                              const Compiler &compiler) {
  auto tracker = std::make_shared<PermuteTracker>();
  tracker->low = compiler.rangeOf(op->getOperand(0));
  tracker->high = compiler.rangeOf(op->getOperand(1));
  tracker->selector = compiler.rangeOf(op->getOperand(2));
  auto isSingle = [](Value word) {
    return withoutCasts(word).getType().isF32();
  };
  tracker->areSingle =
      isSingle(op->getOperand(0)) && isSingle(op->getOperand(1));
  tracker->areCut =
      constantOf(op->getOperand(2)) == PermuteTracker::kUpperHalves &&
      isCutInParts(op->getOperand(0), 0xffff0000) &&
      isCutInParts(op->getOperand(1), 0xffff0000);
  return tracker;
}

} // namespace tilewright::verify::threads
