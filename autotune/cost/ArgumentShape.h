// The inputs of a cost besides the kernel: the sizes of its arguments.
#ifndef TILEWRIGHT_AUTOTUNE_COST_ARGUMENTSHAPE_H
#define TILEWRIGHT_AUTOTUNE_COST_ARGUMENTSHAPE_H

#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright::autotune {

/// One argument of a launch, in the order of the kernel's.
struct ArgumentShape {
  /// All dimensions of a view; empty for others. Dynamic strides are those of a
  /// dense row-major array.
  std::vector<int64_t> dims;
  /// The value of an integer or index; without one, loops that depend on it
  /// are guessed.
  std::optional<int64_t> scalar;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_COST_ARGUMENTSHAPE_H
