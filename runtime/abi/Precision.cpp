#include "tilewright/manifest/Precision.h"

#include "support/Format.h"
#include <algorithm>

namespace tilewright::runtime {

/// By Precision.
static constexpr std::string_view precisionNames[] = {
    "ieee", "tf32", "tf32x3", "bf16x3", "bf16x6", "fast"};

std::string_view precisionName(Precision precision) {
  return precisionNames[static_cast<size_t>(precision)];
}

const std::vector<std::string> &f32PrecisionNames() {
  static const std::vector<std::string> ofF32(std::begin(precisionNames),
                                              std::begin(precisionNames) +
                                                  size_t(Precision::fast));
  return ofF32;
}

StatusOr<Precision> parseF32Precision(std::string_view name) {
  const std::vector<std::string> &known = f32PrecisionNames();
  auto found = std::ranges::find(known, name);
  if (found == known.end())
    return Status::invalidInput(format(
        "precision: expected one of {}, found '{}'", {joined(known), name}));
  return Precision(found - known.begin());
}

} // namespace tilewright::runtime
