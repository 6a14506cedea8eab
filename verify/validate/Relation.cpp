#include "verify/validate/Relation.h"

#include "support/Format.h"
#include "verify/validate/Elements.h"
#include <charconv>
#include <cmath>

namespace tilewright::verify {

StatusOr<Relation> Relation::parse(std::string_view text) {
  if (text == "exact")
    return Relation{Kind::exact};
  if (text == "reassociated")
    return Relation{Kind::reassociated};
  if (text == "bounded")
    return Relation{Kind::bounded};
  if (text.starts_with("near=")) {
    const std::string_view number = text.substr(5);
    double distance = -1;
    auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), distance);
    if (error == std::errc() && end == number.data() + number.size() &&
        distance >= 0 && std::isfinite(distance))
      return Relation{Kind::near, distance};
  }
  return Status::invalidInput(
      format("expected exact, reassociated, bounded or near=R with a number R "
             "that is not negative, found '{}'",
             {std::string(text)}));
}

std::string Relation::text() const {
  switch (kind) {
  case Kind::exact:
    return "exact";
  case Kind::reassociated:
    return "reassociated";
  case Kind::bounded:
    return "bounded";
  case Kind::near:
    return format("near={}", {distance});
  }
  return "";
}

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
