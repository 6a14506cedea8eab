// The open sizes of a program's inputs, and which of them depend on each other.
#pragma once

#include "verify/validate/Program.h"
#include <functional>

namespace tilewright::verify {

/// Values for the open sizes of a program.
class SizeSpace {
public:
  /// Every open size alone.
  explicit SizeSpace(const Signature &signature);

  /// How many sizes can be chosen.
  [[nodiscard]] size_t count() const { return groups.size(); }
  /// The shapes of all inputs for a choice of sizes.
  [[nodiscard]] std::vector<runtime::Shape>
  shapes(std::span<const int64_t> sizes) const;
  /// Makes one size of those of which the program wants that they are equal.
  /// `isDefined` says whether the program is defined for some sizes. Returns
  /// false where no sizes are found for which it is.
  bool
  learn(const std::function<bool(std::span<const runtime::Shape>)> &isDefined);

  /// Sizes near which a program may behave differently, smallest first.
  static std::vector<int64_t> candidates(const Hints &hints);

private:
  struct Dimension {
    size_t input, dim;
  };

  std::vector<runtime::Shape> fixed;
  /// Sizes that are equal.
  std::vector<std::vector<Dimension>> groups;
};

} // namespace tilewright::verify
