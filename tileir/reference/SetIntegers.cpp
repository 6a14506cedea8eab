// Sets of integers, and conversions between them and floats.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tileir/reference/Interval.h"
#include "tileir/reference/SetTable.h"
#include "llvm/ADT/APSInt.h"
#include <cmath>

using namespace mlir;
using llvm::APFloat;

namespace tilewright::reference {

/// Greater integers may not be doubles.
static constexpr double kMostExact = 0x1p53;

Permitted inRange(Permitted set, Type type) {
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

static void addWholeSets(SetTable &table) {
  table["arith.addi"] = integer<exactSum>;
  table["arith.subi"] = integer<difference>;
  table["arith.muli"] = integer<exactProduct>;
  table["arith.maxsi"] = integer<maximum>;
  table["arith.minsi"] = integer<minimum>;
  for (const char *name : {"arith.extsi", "arith.extui", "arith.trunci",
                           "arith.index_cast", "arith.index_castui"})
    table[name] = sameInteger;
}

/// The bits of one number; several have no order in another type.
static Permitted sameBits(const SetCall &call) {
  return call.elements[0].hasSpread() ? Permitted::any()
                                      : call.computed.permitted();
}

/// The input times its scale, or divided by it: a power of two, which is exact.
static Permitted scaled(const SetCall &call) {
  if (call.elements[1].hasSpread())
    return Permitted::any();
  const Permitted scale = Permitted::value(
      asDouble(roundFloat(call.elements[1].real(), APFloat::Float8E8M0FNU())));
  if (isa<arith::ScalingExtFOp>(call.op))
    return call.rules().multiply(call.x[0], scale);
  // The quotient is rounded in the input's type first.
  const SetRules wide(cast<FloatType>(call.elements[0].getType()),
                      call.options);
  const tile::Rounding rounding = truncationOf(call.op);
  return call.rules().round(wide.divide(call.x[0], scale),
                            rounding == tile::Rounding::nearest_even ? 0.5 : 1,
                            {rounding});
}

static void addCastSets(SetTable &table) {
  RoundingRule toZero;
  toZero.rounding = tile::Rounding::toward_zero;
  auto add = [&](const char *name, const Conversion &conversion) {
    table[name] = [conversion](const SetCall &call) {
      return cast(call, conversion);
    };
  };
  add("arith.extf", {});
  table["arith.bitcast"] = sameBits;
  table["arith.scaling_extf"] = scaled;
  table["arith.scaling_truncf"] = scaled;
  add("arith.fptosi", {toZero, false, false});
  add("arith.fptoui", {toZero, false, true});
  add("arith.sitofp", {});
  add("arith.uitofp", {{}, true, false});
  table["arith.truncf"] = [](const SetCall &call) {
    return cast(call, {{truncationOf(call.op)}});
  };
}

void addIntegerSets(SetTable &table) {
  addWholeSets(table);
  addCastSets(table);
}

} // namespace tilewright::reference
