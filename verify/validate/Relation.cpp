#include "verify/validate/Relation.h"

#include "verify/validate/Elements.h"
#include <cmath>

namespace tilewright::verify {

bool isSame(runtime::DType dtype, uint64_t before, uint64_t after) {
  return before == after || (isNan(dtype, before) && isNan(dtype, after));
}

/// The smallest normal number of a float type.
static double smallestNormal(runtime::DType dtype) {
  const llvm::fltSemantics &semantics = *semanticsOf(dtype);
  llvm::APFloat smallest = llvm::APFloat::getSmallestNormalized(semantics);
  bool losesInfo = false;
  smallest.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return smallest.convertToDouble();
}

bool isNear(runtime::DType dtype, uint64_t before, uint64_t after,
            double distance) {
  if (isSame(dtype, before, after))
    return true;
  if (!semanticsOf(dtype))
    return false;
  const double x = toDouble(dtype, before), y = toDouble(dtype, after);
  if (!std::isfinite(x) || !std::isfinite(y))
    return false;
  return std::abs(y - x) <=
         distance * std::max(std::abs(x), smallestNormal(dtype));
}

} // namespace tilewright::verify
