//===- Relation.cpp - What a pass keeps of a program's meaning ------------===//
#include "tilewright/mlir/Relation.h"

#include "support/Format.h"
#include <charconv>
#include <cmath>

namespace tilewright {

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

} // namespace tilewright
