// Arithmetic and functions of arith and math on sets of floats.
#include "mlir/Dialect/Math/IR/Math.h"
#include "tileir/reference/SetTable.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace tilewright::reference {

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

void addFloatSets(SetTable &table) {
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
  for (StringRef name : SetRules::functions())
    table[("math." + name).str()] = functionOf;
}

} // namespace tilewright::reference
