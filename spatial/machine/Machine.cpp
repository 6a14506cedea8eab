#include "spatial/machine/Machine.h"

#include <algorithm>
#include <iterator>

namespace tilewright::spatial {

/// In the order of Grade and UnitKind.
static constexpr std::string_view gradeNames[] = {
    "public", "second", "measured", "derived", "assumed"};
static constexpr std::string_view unitNames[] = {"mem", "mxm", "vxm", "sxm",
                                                 "c2c"};

std::string_view gradeName(Grade grade) {
  return gradeNames[static_cast<size_t>(grade)];
}

std::optional<Grade> gradeFromName(std::string_view name) {
  const auto *found = std::ranges::find(gradeNames, name);
  if (found == std::end(gradeNames))
    return std::nullopt;
  return static_cast<Grade>(found - std::begin(gradeNames));
}

std::string_view unitName(UnitKind kind) {
  return unitNames[static_cast<size_t>(kind)];
}

std::optional<UnitKind> unitFromName(std::string_view name) {
  const auto *found = std::ranges::find(unitNames, name);
  if (found == std::end(unitNames))
    return std::nullopt;
  return static_cast<UnitKind>(found - std::begin(unitNames));
}

std::vector<int64_t> Machine::positionsOf(UnitKind kind) const {
  std::vector<int64_t> positions;
  for (size_t i = 0; i < units.size(); ++i)
    if (units[i].kind == kind)
      positions.push_back(static_cast<int64_t>(i));
  return positions;
}

int64_t Machine::assumedNumbers() const {
  return std::ranges::count(numbers, Grade::assumed, &GradedNumber::grade);
}

} // namespace tilewright::spatial
