// The open sizes of a program's inputs, and which of them depend on each other.
#pragma once

#include "verify/validate/Program.h"
#include <functional>

namespace tilewright::verify {

/// The elements of all inputs together.
double elementsIn(std::span<const runtime::Shape> shapes);

/// Values for the open sizes of a program.
class SizeSpace {
public:
  /// Every open size alone, or with those of the same name.
  explicit SizeSpace(const Signature &signature);

  /// How many sizes can be chosen.
  [[nodiscard]] size_t count() const { return groups.size(); }
  /// The shapes of all inputs for a choice of sizes.
  [[nodiscard]] std::vector<runtime::Shape>
  shapes(std::span<const int64_t> sizes) const;
  using IsDefined = std::function<bool(std::span<const runtime::Shape>)>;
  /// Makes one size of those of which the program wants that they are equal,
  /// and leaves as they are those that it takes in no other way. `isDefined`
  /// says whether the program is defined for some sizes; it is for those of
  /// `known`, if there are any. Returns false where no sizes are found for
  /// which it is.
  bool learn(const IsDefined &isDefined,
             std::span<const runtime::Shape> known = {});

  /// Sizes near which a program may behave differently, smallest first.
  static std::vector<int64_t> candidates(const Hints &hints);

private:
  struct Dimension {
    size_t input, dim;
  };

  class Learner;

  std::vector<runtime::Shape> fixed;
  /// Sizes that are equal.
  std::vector<std::vector<Dimension>> groups;
};

} // namespace tilewright::verify
