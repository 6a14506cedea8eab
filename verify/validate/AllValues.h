// All inputs of programs that have but few.
#pragma once

#include "verify/validate/Compare.h"
#include "verify/validate/Sizes.h"

namespace tilewright::verify {

/// Where an element of a result depends on one index of the inputs alone, all
/// values that the inputs may have at an index; else all inputs. One run has as
/// many of them as the tensors have elements.
class AllValues {
public:
  /// None if they are too many to count, sizes are open and matter, or
  /// `after` may run in several ways.
  static std::optional<AllValues>
  of(const Program &before, const Program &after, const SizeSpace &space);

  /// Inputs that were not tried yet; none: all have been.
  StatusOr<std::optional<std::vector<runtime::HostTensor>>> next();
  /// What came of the last ones.
  void count(const Comparison::Result &result);

  /// The open sizes.
  [[nodiscard]] const std::vector<int64_t> &openSizes() const { return sizes; }
  /// Whether something was left out because nothing is known of its run.
  [[nodiscard]] bool hasGaps() const { return isOpen; }
  /// How many there are, and which part of them has been tried.
  [[nodiscard]] double number() const { return double(uint64_t(1) << bits); }
  [[nodiscard]] double share() const { return double(done) / number(); }

private:
  /// Values from the first to before the last one.
  struct Range {
    uint64_t first, last;
    [[nodiscard]] uint64_t size() const { return last - first; }
  };
  AllValues(const Program &before, const SizeSpace &space);

  const Signature &signature;
  std::vector<int64_t> sizes;
  std::vector<runtime::Shape> shapes;
  /// Whether a value is that of one index, or of all of them.
  bool isByIndex = false;
  /// Of a value, and how many a run has.
  unsigned bits = 0;
  uint64_t perRun = 1;
  Range current = {0, 0};
  /// Parts of a run that was not defined.
  std::vector<Range> pieces;
  uint64_t begun = 0, done = 0;
  bool isOpen = false;
};

} // namespace tilewright::verify
