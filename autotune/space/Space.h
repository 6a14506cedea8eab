// The schedules among which a search chooses.
#ifndef TILEWRIGHT_AUTOTUNE_SPACE_SPACE_H
#define TILEWRIGHT_AUTOTUNE_SPACE_SPACE_H

#include "autotune/space/Random.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::autotune {

/// One parameter: a name, and its legal values, ordered so that neighbours are
/// similar.
struct Parameter {
  std::string name;
  std::vector<int64_t> values;
  /// The index of the value that the default takes.
  size_t defaultIndex = 0;
  /// How values are written, where not as numbers.
  std::string_view (*nameOf)(int64_t value) = nullptr;

  [[nodiscard]] std::string text(int64_t value) const;
};

/// For each parameter the index of its value.
using Point = std::vector<size_t>;

/// All combinations of the values of some parameters. Independent of kernel and
/// target: a point is a schedule's text, `name=value` in the order of the
/// parameters.
class TILEWRIGHT_PRIVATE_API Space {
public:
  Space() = default;
  explicit Space(std::vector<Parameter> parameters)
      : all(std::move(parameters)) {}

  [[nodiscard]] const std::vector<Parameter> &parameters() const { return all; }
  /// The number of points; 2^63 - 1 if there are more.
  [[nodiscard]] uint64_t size() const;
  /// The point with the number `index`, which is less than the size.
  [[nodiscard]] Point at(uint64_t index) const;
  /// The space in which all parameters but these have only the default's value;
  /// with no names, this one. Unknown names are ignored. Errors: all are
  /// unknown.
  [[nodiscard]] StatusOr<Space>
  only(const std::vector<std::string> &names) const;
  /// What the default takes.
  [[nodiscard]] Point defaultPoint() const;
  [[nodiscard]] Point random(Random &random) const;
  /// The points that differ in one parameter, by one step up or down.
  [[nodiscard]] std::vector<Point> neighbours(const Point &point) const;

  [[nodiscard]] int64_t value(const Point &point, size_t parameter) const {
    return all[parameter].values[point[parameter]];
  }
  [[nodiscard]] std::string text(const Point &point) const;
  /// Parses the output of text(); a missing parameter keeps the default's
  /// value. Errors: no such parameter, not one of its values.
  [[nodiscard]] StatusOr<Point> parse(std::string_view text) const;

private:
  std::vector<Parameter> all;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_SPACE_SPACE_H
