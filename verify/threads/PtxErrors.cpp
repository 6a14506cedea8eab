#include "verify/threads/PtxErrors.h"

#include "tileir/reference/HostFormats.h"
#include "verify/threads/Tracking.h"

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify::threads {

Mark markOfCombined(Combining combining, Type type, ArrayRef<Lane> x,
                    uint64_t made) {
  auto real = dyn_cast<FloatType>(type);
  const ErrorRule rule =
      combining == Combining::add   ? ErrorRule(errorOfSum)
      : combining == Combining::sub ? ErrorRule(errorOfDifference)
      : combining == Combining::mul ? ErrorRule(errorOfProduct)
                                    : nullptr;
  const bool isExact = x[0].mark.isExact() && x[1].mark.isExact();
  if (!real || !rule)
    return isExact ? Mark() : Mark::unknown();
  const NumberFormat format(real);
  const unsigned bits = bitsOf(type);
  const Inexact numbers[] = {{format.load(x[0].bits), errorOf(x[0], bits)},
                             {format.load(x[1].bits), errorOf(x[1], bits)}};
  return markBy(rule, {numbers, format.load(made), format, "", {}});
}

static double asDouble(APFloat number) {
  bool isLost = false;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &isLost);
  return number.convertToDouble();
}

/// Of one number that became this.
static double narrowingError(const llvm::fltSemantics &to, const Lane &lane,
                             double rounded) {
  const double value = F32Format::load(lane.bits);
  const double error = errorOf(lane, 32);
  if (error == 0)
    return std::isnan(value) ? 0 : std::fabs(rounded - value);
  const double most =
      std::min(std::fabs(value) + 2 * error, asDouble(APFloat::getLargest(to)));
  const int exponent =
      std::max(std::ilogb(most), APFloat::semanticsMinExponent(to));
  const double unit =
      std::ldexp(1.0, exponent - int(APFloat::semanticsPrecision(to)) + 1);
  return enlarged(std::fabs(rounded - value) + 3 * error + unit);
}

Mark markOfNarrow(const llvm::fltSemantics &to, ArrayRef<Lane> x,
                  uint64_t made) {
  auto boundOf = [&](const Lane &lane, uint64_t byte) {
    return narrowingError(to, lane, asDouble(APFloat(to, APInt(8, byte))));
  };
  return Mark::parts({boundOf(x[1], made & 255), boundOf(x[0], made >> 8)});
}

Mark markOfWide(const Lane &x) {
  if (x.mark.isExact())
    return {};
  return x.mark.count() == 2 ? x.mark : Mark::unknown();
}

} // namespace tilewright::verify::threads
