#include "tileir/reference/SetOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tileir/reference/Interval.h"
#include "tileir/reference/SetRules.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using llvm::APFloat;

namespace tilewright::reference {

namespace {
/// One element of a result that has a set.
struct SetCall {
  Operation *op;
  unsigned number;
  ArrayRef<Element> elements;
  ArrayRef<Permitted> x;
  const Element &computed;
  const FreedomOptions &options;

  SetRules rules() const {
    return {cast<FloatType>(computed.getType()), options};
  }
};
using SetFn = std::function<Permitted(const SetCall &)>;
} // namespace

//===--- Results ----------------------------------------------------------===//

Element settle(Element computed, Permitted set, bool areSingle) {
  if (computed.isPoison())
    return computed;
  // The computed number is permitted: what rounds twice is one of the ways.
  computed = computed.withSpread({});
  set = set.unite(computed.permitted());
  const bool isPoint = !set.isAny && !set.mayBeNaN && set.least == set.greatest;
  const bool hasOneZero = areSingle || !isa<FloatType>(computed.getType());
  if (set.isSingle() || (isPoint && hasOneZero))
    return computed;
  return computed.among(set);
}

/// Greater integers may not be doubles.
static constexpr double kMostExact = 0x1p53;

/// A set of integers of this type, as it is computed without a bound: any if
/// it leaves the type's range.
static Permitted inRange(Permitted set, Type type) {
  const int width = int(widthOf(type));
  const double end = width == 1 ? 1 : std::ldexp(1.0, width - 1);
  const double least = width == 1 ? 0 : -end;
  const double greatest = width == 1 ? 1 : end - 1;
  if (set.isAny || set.least < least || set.greatest > greatest ||
      set.least < -kMostExact || set.greatest > kMostExact)
    return Permitted::any();
  set.mayBeNaN = false;
  return set;
}

Element uniteElements(const Element &chosen, const Element &other) {
  if (chosen.isPoison())
    return chosen;
  if (other.isPoison() || !chosen.getType().isIntOrIndexOrFloat())
    return chosen.among(Permitted::any());
  if (!chosen.hasSpread() && !other.hasSpread() && chosen.permits(other))
    return chosen;
  Permitted set = chosen.permitted().unite(other.permitted());
  if (!isa<FloatType>(chosen.getType()))
    set = inRange(set, chosen.getType());
  return chosen.among(set);
}

//===--- Floats -----------------------------------------------------------===//

template <Permitted (SetRules::*rule)(const Permitted &, const Permitted &)
              const>
static Permitted rounded(const SetCall &call) {
  return (call.rules().*rule)(call.x[0], call.x[1]);
}

template <Permitted (*rule)(const Permitted &, const Permitted &)>
static Permitted chosen(const SetCall &call) {
  return rule(call.x[0], call.x[1]);
}

static Permitted functionOf(const SetCall &call) {
  StringRef name = call.op->getName().stripDialect();
  if (name == "sincos")
    name = call.number == 0 ? "sin" : "cos";
  return call.rules().function(name, call.x[0]);
}

/// An op that is monotone, and exact: the same on both ends.
static Permitted integral(const SetCall &call) {
  const Permitted &x = call.x[0];
  if (x.isAny || !x.hasNumbers())
    return x;
  auto round = [&](double number) {
    if (isa<math::CeilOp>(call.op))
      return std::ceil(number);
    if (isa<math::FloorOp>(call.op))
      return std::floor(number);
    if (isa<math::TruncOp>(call.op))
      return std::trunc(number);
    return isa<math::RoundOp>(call.op) ? std::round(number)
                                       : std::nearbyint(number);
  };
  return {round(x.least), round(x.greatest), x.mayBeNaN, false};
}

/// The rest has the sign of the dividend, and is smaller than the divisor.
static Permitted remainder(const SetCall &call) {
  const Permitted &a = call.x[0], &b = call.x[1];
  if (a.isAny || b.isAny || !a.hasNumbers() || !b.hasNumbers())
    return Permitted::any();
  const Permitted size = absolute(b), from = absolute(a);
  const double most = std::min(size.greatest, from.greatest);
  const bool isInvalid = size.least == 0 || std::isinf(from.greatest);
  return {a.least < 0 ? -most : 0, a.greatest > 0 ? most : 0,
          a.mayBeNaN || b.mayBeNaN || isInvalid, false};
}

static Permitted copySign(const SetCall &call) {
  const Permitted size = absolute(call.x[0]);
  const Permitted &sign = call.x[1];
  if (size.isAny || sign.isAny || sign.mayBeNaN || size.mayBeNaN ||
      !sign.hasNumbers())
    return Permitted::any();
  if (sign.least > 0)
    return size;
  return sign.greatest < 0 ? negated(size) : size.unite(negated(size));
}

static Permitted clamp(const SetCall &call) {
  return minimum(maximum(call.x[0], call.x[1]), call.x[2]);
}

static Permitted fused(const SetCall &call) {
  return call.rules().multiplyAdd(call.x[0], call.x[1], call.x[2]);
}

//===--- Comparisons ------------------------------------------------------===//

/// 0 or 1, or both.
static Permitted truth(bool canHold, bool canFail) {
  return canHold && canFail ? Permitted::any() : Permitted::value(canHold);
}

/// The outcomes of a comparison for which a predicate holds.
enum Outcome : unsigned { kEqual = 1, kGreater = 2, kLess = 4, kUnordered = 8 };

static unsigned outcomesOf(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::AlwaysFalse:
    return 0;
  case P::OEQ:
    return kEqual;
  case P::OGT:
    return kGreater;
  case P::OGE:
    return kGreater | kEqual;
  case P::OLT:
    return kLess;
  case P::OLE:
    return kLess | kEqual;
  case P::ONE:
    return kLess | kGreater;
  case P::ORD:
    return kLess | kEqual | kGreater;
  case P::UEQ:
    return kUnordered | kEqual;
  case P::UGT:
    return kUnordered | kGreater;
  case P::UGE:
    return kUnordered | kGreater | kEqual;
  case P::ULT:
    return kUnordered | kLess;
  case P::ULE:
    return kUnordered | kLess | kEqual;
  case P::UNE:
    return kUnordered | kLess | kGreater;
  case P::UNO:
    return kUnordered;
  case P::AlwaysTrue:
    return kUnordered | kLess | kEqual | kGreater;
  }
  llvm_unreachable("all predicates are listed");
}

/// The outcomes that numbers of two sets may have.
static unsigned outcomesOf(const Permitted &a, const Permitted &b) {
  unsigned outcomes = a.mayBeNaN || b.mayBeNaN ? kUnordered : 0;
  if (!a.hasNumbers() || !b.hasNumbers())
    return outcomes;
  outcomes |= a.least < b.greatest ? kLess : 0;
  outcomes |= a.greatest > b.least ? kGreater : 0;
  const bool overlap = a.least <= b.greatest && b.least <= a.greatest;
  return outcomes | (overlap ? kEqual : 0);
}

static Permitted compareFloats(const SetCall &call) {
  const unsigned holds =
      outcomesOf(cast<arith::CmpFOp>(call.op).getPredicate());
  const unsigned found = outcomesOf(call.x[0], call.x[1]);
  return truth((found & holds) != 0, (found & ~holds) != 0);
}

static Permitted compareInts(const SetCall &call) {
  using P = arith::CmpIPredicate;
  const P predicate = cast<arith::CmpIOp>(call.op).getPredicate();
  const Permitted &a = call.x[0], &b = call.x[1];
  if (a.isAny || b.isAny)
    return Permitted::any();
  const bool isSigned = predicate <= P::sge;
  if (!isSigned && (a.least < 0 || b.least < 0))
    return Permitted::any();
  const unsigned found = outcomesOf(a, b);
  auto holdsFor = [&](unsigned outcomes) {
    return truth((found & outcomes) != 0, (found & ~outcomes) != 0);
  };
  switch (predicate) {
  case P::eq:
    return holdsFor(kEqual);
  case P::ne:
    return holdsFor(kLess | kGreater);
  case P::slt:
  case P::ult:
    return holdsFor(kLess);
  case P::sle:
  case P::ule:
    return holdsFor(kLess | kEqual);
  case P::sgt:
  case P::ugt:
    return holdsFor(kGreater);
  case P::sge:
  case P::uge:
    return holdsFor(kGreater | kEqual);
  }
  llvm_unreachable("all predicates are listed");
}

static Permitted classify(const SetCall &call) {
  const Permitted &x = call.x[0];
  if (x.isAny)
    return Permitted::any();
  const bool numbers = x.hasNumbers();
  const bool infinite =
      numbers && (std::isinf(x.least) || std::isinf(x.greatest));
  const bool finite = numbers && !(x.least == x.greatest && infinite);
  if (isa<math::IsNaNOp>(call.op))
    return truth(x.mayBeNaN, numbers);
  if (isa<math::IsInfOp>(call.op))
    return truth(infinite, finite || x.mayBeNaN);
  return truth(finite, infinite || x.mayBeNaN);
}

//===--- Integers, conversions --------------------------------------------===//

/// Bounds of integers are doubles, and exact up to 2^53.
template <Permitted (*rule)(const Permitted &, const Permitted &)>
static Permitted integer(const SetCall &call) {
  return inRange(rule(call.x[0], call.x[1]), call.computed.getType());
}

static Permitted difference(const Permitted &a, const Permitted &b) {
  return exactSum(a, negated(b));
}

/// An integer of another width with the same value.
static Permitted sameInteger(const SetCall &call) {
  const bool isUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp>(call.op);
  if (isUnsigned && call.x[0].least < 0)
    return Permitted::any();
  return inRange(call.x[0], call.computed.getType());
}

/// The integer that a number becomes; none if it does not fit.
static std::optional<double> toInteger(double number, unsigned width,
                                       const Conversion &conversion) {
  llvm::APSInt result(width, conversion.toUnsigned);
  bool isExact = false;
  auto status = APFloat(number).convertToInteger(
      result, roundingMode(conversion.rule.rounding), &isExact);
  if ((status & APFloat::opInvalidOp) && !conversion.rule.saturate)
    return std::nullopt;
  // Sets have signed numbers: a great unsigned one would be negative.
  const double value = result.roundToDouble(!conversion.toUnsigned);
  if (conversion.toUnsigned && value >= std::ldexp(1.0, int(width) - 1))
    return std::nullopt;
  return value;
}

static Permitted toIntegers(const Permitted &x, Type to,
                            const Conversion &conversion) {
  if (x.isAny || x.mayBeNaN || !x.hasNumbers())
    return Permitted::any();
  auto low = toInteger(x.least, widthOf(to), conversion);
  auto high = toInteger(x.greatest, widthOf(to), conversion);
  if (!low || !high)
    return Permitted::any();
  return inRange(Permitted::numbers(*low, *high), to);
}

Permitted convertSet(const Element &source, Type to,
                     const Conversion &conversion,
                     const FreedomOptions &options) {
  Permitted x = source.permitted();
  if (source.getType().isInteger(1) && x.isAny)
    x = Permitted::numbers(0, 1);
  const bool fromFloat = isa<FloatType>(source.getType());
  if (!fromFloat && conversion.fromUnsigned && x.least < 0)
    x = Permitted::any();
  // A single integer that no double holds is rounded to the nearest one.
  if (!fromFloat && !x.isAny && std::fabs(x.least) >= kMostExact)
    x = {nextDown(x.least), nextUp(x.greatest), false, false};
  if (!isa<FloatType>(to))
    return toIntegers(x, to, conversion);
  const bool isNearest = conversion.rule.rounding == RoundingRule().rounding;
  return SetRules(cast<FloatType>(to), options)
      .round(x, isNearest ? 0.5 : 1, conversion.rule);
}

static Permitted cast(const SetCall &call, const Conversion &conversion) {
  return convertSet(call.elements[0], call.computed.getType(), conversion,
                    call.options);
}

static void addIntegerSets(llvm::StringMap<SetFn> &table) {
  table["arith.addi"] = integer<exactSum>;
  table["arith.subi"] = integer<difference>;
  table["arith.muli"] = integer<exactProduct>;
  table["arith.maxsi"] = integer<maximum>;
  table["arith.minsi"] = integer<minimum>;
  table["arith.cmpi"] = compareInts;
  for (const char *name : {"arith.extsi", "arith.extui", "arith.trunci",
                           "arith.index_cast", "arith.index_castui"})
    table[name] = sameInteger;
}

static void addCastSets(llvm::StringMap<SetFn> &table) {
  RoundingRule toZero;
  toZero.rounding = tile::Rounding::toward_zero;
  auto add = [&](const char *name, const Conversion &conversion) {
    table[name] = [conversion](const SetCall &call) {
      return cast(call, conversion);
    };
  };
  add("arith.extf", {});
  add("arith.fptosi", {toZero, false, false});
  add("arith.fptoui", {toZero, false, true});
  add("arith.sitofp", {});
  add("arith.uitofp", {{}, true, false});
  table["arith.truncf"] = [](const SetCall &call) {
    return cast(call, {{truncationOf(call.op)}});
  };
}

static void addFloatSets(llvm::StringMap<SetFn> &table) {
  table["arith.addf"] = rounded<&SetRules::add>;
  table["arith.subf"] = rounded<&SetRules::subtract>;
  table["arith.mulf"] = rounded<&SetRules::multiply>;
  table["arith.divf"] = rounded<&SetRules::divide>;
  table["arith.remf"] = remainder;
  table["arith.negf"] = [](const SetCall &call) { return negated(call.x[0]); };
  table["arith.maximumf"] = chosen<maximum>;
  table["arith.minimumf"] = chosen<minimum>;
  table["arith.maxnumf"] = chosen<maxnum>;
  table["arith.minnumf"] = chosen<minnum>;
  table["arith.cmpf"] = compareFloats;
  table["math.absf"] = [](const SetCall &call) { return absolute(call.x[0]); };
  table["math.atan2"] = rounded<&SetRules::angle>;
  table["math.clampf"] = clamp;
  table["math.copysign"] = copySign;
  table["math.fma"] = fused;
  for (const char *name : {"math.powf", "math.fpowi"})
    table[name] = [](const SetCall &call) {
      return call.rules().power(call.x[0], call.x[1],
                                call.op->getName().stripDialect());
    };
  for (const char *name : {"math.ceil", "math.floor", "math.round",
                           "math.roundeven", "math.trunc"})
    table[name] = integral;
  for (const char *name : {"math.isfinite", "math.isinf", "math.isnan"})
    table[name] = classify;
}

static const SetFn *findSetFn(Operation *op) {
  static const llvm::StringMap<SetFn> table = [] {
    llvm::StringMap<SetFn> made;
    addIntegerSets(made);
    addCastSets(made);
    addFloatSets(made);
    for (StringRef name : SetRules::functions())
      made[("math." + name).str()] = functionOf;
    return made;
  }();
  auto found = table.find(op->getName().getStringRef());
  return found == table.end() ? nullptr : &found->second;
}

//===--- Ops --------------------------------------------------------------===//

/// A condition that has both values: the op for each of them.
static Element forBoth(Operation *op, unsigned number,
                       ArrayRef<Element> operands, unsigned which,
                       Element computed, const FreedomOptions &options) {
  SmallVector<Element, 3> chosen(operands);
  for (int value : {0, 1}) {
    chosen[which] = Element::ofInt(operands[which].getType(), value);
    FailureOr<Element> result =
        elementFunctions(op)[number](op, chosen, computed.getType());
    if (failed(result))
      return computed.among(Permitted::any());
    if (!result->isPoison() && isOpen(chosen, options))
      result = spreadResult(op, number, chosen, *result, options);
    computed = uniteElements(computed, *result);
  }
  return computed;
}

Element spreadResult(Operation *op, unsigned number, ArrayRef<Element> operands,
                     Element computed, const FreedomOptions &options) {
  if (computed.isPoison())
    return computed;
  SmallVector<Permitted, 3> sets;
  bool isSingle = true;
  for (auto [n, operand] : llvm::enumerate(operands)) {
    if (operand.getType().isInteger(1) && operand.hasSpread())
      return forBoth(op, number, operands, n, computed, options);
    sets.push_back(operand.permitted());
    isSingle &= !operand.hasSpread();
  }
  // Integers of given integers, and tests of given floats.
  if (isSingle && !isa<FloatType>(computed.getType()))
    return computed;
  const SetFn *rule = findSetFn(op);
  Permitted set = rule
                      ? (*rule)({op, number, operands, sets, computed, options})
                      : Permitted::any();
  return settle(std::move(computed), set, isSingle);
}

} // namespace tilewright::reference
