#include "verify/threads/Tracking.h"

#include "verify/threads/ByteTracking.h"
#include "verify/threads/SmallFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilewright::verify::threads {

double errorOf(const Lane &lane, unsigned bits) {
  const Mark &mark = lane.mark;
  if (mark.isExact())
    return 0;
  if (mark.isHalf())
    return kUnbounded;
  if (mark.count() == 1)
    return mark.bound(0);
  const bool isUpperHalf = bits == 32 && mark.count() == 2 &&
                           mark.bound(0) == 0 && (lane.bits & 0xffff) == 0;
  return isUpperHalf ? mark.bound(1) : kUnbounded;
}

//===--- Default ----------------------------------------------------------===//

namespace {
struct DefaultTracker : Tracker {
  SmallVector<LaneRange, 3> operands;
  bool hasFloats = false;

  /// Whether result `n` of so many has only exact operands.
  [[nodiscard]] bool isExact(const Thread &t, unsigned n,
                             unsigned count) const {
    for (const LaneRange &range : operands) {
      const bool isByElement = range.count == count;
      const unsigned first = isByElement ? n : 0;
      const unsigned last = isByElement ? n + 1 : range.count;
      for (unsigned lane = first; lane < last; ++lane)
        if (t.frame[range.first + lane].mark.hasBounds() &&
            isOpen(t.frame[range.first + lane]))
          return false;
    }
    return true;
  }
  void track(const Instruction &i, Thread &t) const override {
    for (unsigned n = 0; n < i.lanes; ++n) {
      Lane &lane = t.frame[i.result + n];
      if (!isPoison(lane))
        lane.mark =
            hasFloats || !isExact(t, n, i.lanes) ? Mark::unknown() : Mark();
    }
  }
};
} // namespace

static bool hasFloat(TypeRange types) {
  SmallVector<Type> scalars;
  for (Type type : types)
    (void)scalarsOf(type, scalars);
  return llvm::any_of(scalars, [](Type type) { return isa<FloatType>(type); });
}

std::shared_ptr<const Tracker> defaultTracker(Operation *op,
                                              const Compiler &compiler) {
  if (op->getNumResults() == 0)
    return nullptr;
  auto tracker = std::make_shared<DefaultTracker>();
  for (Value operand : op->getOperands())
    tracker->operands.push_back(compiler.rangeOf(operand));
  tracker->hasFloats = hasFloat(op->getResultTypes());
  return tracker;
}

//===--- Rules ------------------------------------------------------------===//

namespace {
/// An operand, element by element.
struct ElementOperand {
  LaneRange lanes;
  /// None: an integer.
  std::optional<NumberFormat> format;
  unsigned bits = 64;
  bool isUnsigned = false;

  ElementOperand(Value value, const Compiler &compiler)
      : lanes(compiler.rangeOf(value)) {
    Type type = getElementTypeOrSelf(value.getType());
    bits = bitsOf(type);
    if (auto real = dyn_cast<FloatType>(type))
      format.emplace(real);
  }
  [[nodiscard]] const Lane &at(const Thread &t, unsigned n) const {
    return t.frame[lanes.first + (lanes.count == 1 ? 0 : n)];
  }
  [[nodiscard]] Inexact number(const Thread &t, unsigned n) const {
    const Lane &lane = at(t, n);
    const double error = errorOf(lane, bits);
    if (format)
      return {format->load(lane.bits), error};
    return {isUnsigned ? double(lane.bits)
                       : double(llvm::SignExtend64(lane.bits, bits)),
            error == 0 ? 0 : kUnbounded};
  }
};

struct RuleTracker : Tracker {
  ErrorRule rule = nullptr;
  StringRef name;
  SmallVector<ElementOperand, 3> operands;
  /// By result.
  SmallVector<NumberFormat, 1> results;

  void track(const Instruction &i, Thread &t) const override {
    const unsigned count = i.lanes / unsigned(results.size());
    SmallVector<Inexact, 3> x;
    for (unsigned n = 0; n < count; ++n) {
      x.clear();
      for (const ElementOperand &operand : operands)
        x.push_back(operand.number(t, n));
      for (auto [r, format] : llvm::enumerate(results)) {
        Lane &lane = t.frame[i.result + r * count + n];
        if (!isPoison(lane))
          lane.mark = markBy(rule, {x, format.load(lane.bits), format,
                                    r == 0 ? name : StringRef("cos"),
                                    t.launch.options.functions});
      }
    }
  }
};
} // namespace

/// A result that is no finite number, or has operands that are none.
static Mark markOfSpecial(const ErrorCall &call, bool hasInfinite) {
  const bool isSum = call.name == "addf" || call.name == "subf" ||
                     call.name == "maximumf" || call.name == "minimumf" ||
                     call.name == "maxnumf" || call.name == "minnumf";
  // A number near an infinity does not change the sum.
  if (call.isExact() ? hasInfinite || call.name == "divf" ||
                           call.name.starts_with("log") || std::isnan(call.made)
                     : isSum && hasInfinite)
    return {};
  return Mark::unknown();
}

Mark markBy(ErrorRule rule, ErrorCall call) {
  bool hasInfinite = false;
  for (const Inexact &each : call.x) {
    hasInfinite |= !std::isfinite(each.value);
    if (!(each.error < kUnbounded) && rule != errorOfFunction)
      return Mark::unknown();
  }
  if (!std::isfinite(call.made) || hasInfinite)
    return std::isfinite(call.made) && call.isExact()
               ? Mark()
               : markOfSpecial(call, hasInfinite);
  return Mark::error(rule(call));
}

std::shared_ptr<const Tracker> trackerOf(Operation *op, ErrorRule rule,
                                         StringRef name,
                                         const Compiler &compiler) {
  auto tracker = std::make_shared<RuleTracker>();
  tracker->rule = rule;
  tracker->name = name;
  for (Value operand : op->getOperands())
    tracker->operands.emplace_back(operand, compiler);
  if (op->getName().stripDialect() == "uitofp")
    tracker->operands.front().isUnsigned = true;
  for (Type type : op->getResultTypes()) {
    auto real = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    if (!real)
      return defaultTracker(op, compiler);
    tracker->results.emplace_back(real);
  }
  return tracker;
}

/// An op's name as arith or math has it.
static StringRef ruleName(Operation *op) {
  StringRef name = op->getName().stripDialect();
  (void)name.consume_front("intr.");
  return llvm::StringSwitch<StringRef>(name)
      .Case("fadd", "addf")
      .Case("fsub", "subf")
      .Case("fmul", "mulf")
      .Case("fdiv", "divf")
      .Case("fneg", "negf")
      .Case("fabs", "absf")
      .Case("fpext", "extf")
      .Case("fptrunc", "truncf")
      .Case("fmuladd", "fma")
      .Case("maximum", "maximumf")
      .Case("minimum", "minimumf")
      .Case("maxnum", "maxnumf")
      .Case("minnum", "minnumf")
      .Case("sincos", "sin")
      .Cases({"sitofp", "uitofp"}, "truncf")
      .Default(name);
}

/// tanh.approx of PTX: within 2^-11 of the result.
static double errorOfCoarseTanh(const ErrorCall &call) {
  const double error = *functionError("tanh", call.x[0]);
  return call.rounded(
      enlarged(error + 0x1p-11 * (std::fabs(call.made) * 1.001 + 2 * error)));
}

std::shared_ptr<const Tracker> elementTracker(Operation *op,
                                              const Compiler &compiler) {
  const StringRef name = ruleName(op);
  ErrorRule rule = errorRuleOf(name);
  if (auto quotient = dyn_cast<arith::DivFOp>(op))
    if (bitEnumContainsAny(quotient.getFastmath(), arith::FastMathFlags::arcp))
      rule = errorOfInverseProduct;
  if (auto tanh = dyn_cast<LLVM::TanhOp>(op))
    if (bitEnumContainsAny(tanh.getFastmathFlags(), LLVM::FastmathFlags::afn))
      rule = errorOfCoarseTanh;
  return rule ? trackerOf(op, rule, name, compiler)
              : defaultTracker(op, compiler);
}

std::shared_ptr<const Tracker> trackerOf(Operation *op,
                                         const Compiler &compiler) {
  if (op->getNumResults() == 0)
    return nullptr;
  std::shared_ptr<const Tracker> tracker =
      hasFloat(op->getOperandTypes()) || hasFloat(op->getResultTypes())
          ? elementTracker(op, compiler)
          : bytesTracker(op, compiler);
  std::shared_ptr<const Tracker> conversion =
      smallFloatTracker(op, tracker, compiler);
  return conversion ? conversion : tracker;
}

//===--- Comparisons and selections ---------------------------------------===//

/// Whether the errors of two numbers leave open which one is greater.
static bool mayCross(const Inexact &a, const Inexact &b) {
  const double reach = enlarged(2 * (a.error + b.error));
  return reach != 0 && !(std::fabs(a.value - b.value) > reach) &&
         !std::isnan(a.value) && !std::isnan(b.value);
}

namespace {
struct ComparisonTracker : Tracker {
  ElementOperand left, right;
  /// Whether a number is compared with itself, or asked for NaN: a bound says
  /// that it is none.
  bool isOfNaN = false;
  ComparisonTracker(ElementOperand left, ElementOperand right)
      : left(left), right(right) {}
  [[nodiscard]] bool isOpenBetween(const Inexact &a, const Inexact &b) const {
    if (isOfNaN)
      return !(a.error < kUnbounded && b.error < kUnbounded);
    return mayCross(a, b);
  }
  void track(const Instruction &i, Thread &t) const override {
    for (unsigned n = 0; n < i.lanes; ++n) {
      Lane &lane = t.frame[i.result + n];
      if (!isPoison(lane))
        lane.mark = isOpenBetween(left.number(t, n), right.number(t, n))
                        ? Mark::unknown()
                        : Mark();
    }
  }
};

struct SelectTracker : Tracker {
  LaneRange condition;
  ElementOperand yes, no;
  SelectTracker(LaneRange condition, ElementOperand yes, ElementOperand no)
      : condition(condition), yes(yes), no(no) {}

  void track(const Instruction &i, Thread &t) const override {
    for (unsigned n = 0; n < i.lanes; ++n) {
      const Lane &when =
          t.frame[condition.first + (condition.count == 1 ? 0 : n)];
      // Otherwise the mark of the chosen one was copied.
      if (isOpen(when) && !isPoison(when))
        t.frame[i.result + n].mark = either(t, n);
    }
  }
  [[nodiscard]] Mark either(const Thread &t, unsigned n) const {
    const Lane &a = yes.at(t, n), &b = no.at(t, n);
    if (isPoison(a) || isPoison(b))
      return Mark::unknown();
    const Inexact x = yes.number(t, n), y = no.number(t, n);
    if (a.bits == b.bits && x.error == 0 && y.error == 0)
      return {};
    if (!yes.format || !std::isfinite(x.value) || !std::isfinite(y.value))
      return Mark::unknown();
    return Mark::error(
        enlarged(std::fabs(x.value - y.value) + 2 * (x.error + y.error)));
  }
};
} // namespace

std::shared_ptr<const Tracker> comparisonTracker(Operation *op,
                                                 const Compiler &compiler) {
  auto tracker = std::make_shared<ComparisonTracker>(
      ElementOperand(op->getOperand(0), compiler),
      ElementOperand(op->getOperand(1), compiler));
  auto compare = dyn_cast<arith::CmpFOp>(op);
  tracker->isOfNaN =
      op->getOperand(0) == op->getOperand(1) ||
      (compare && (compare.getPredicate() == arith::CmpFPredicate::UNO ||
                   compare.getPredicate() == arith::CmpFPredicate::ORD));
  return tracker;
}

std::shared_ptr<const Tracker> selectTracker(Operation *op,
                                             const Compiler &compiler) {
  return std::make_shared<SelectTracker>(
      compiler.rangeOf(op->getOperand(0)),
      ElementOperand(op->getOperand(1), compiler),
      ElementOperand(op->getOperand(2), compiler));
}

} // namespace tilewright::verify::threads
