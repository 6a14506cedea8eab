// Between which values an expression lies, from those of its names.
#ifndef TILEWRIGHT_RUNTIME_ABI_INTERVAL_H
#define TILEWRIGHT_RUNTIME_ABI_INTERVAL_H

#include "tilewright/manifest/Expression.h"
#include <limits>

namespace tilewright::runtime {

/// The integers from `least` to `most`; the limits of int64_t stand for no
/// bound.
struct Interval {
  static constexpr int64_t none = std::numeric_limits<int64_t>::max();
  int64_t least = -none - 1;
  int64_t most = none;

  static Interval of(int64_t value) { return {value, value}; }
  [[nodiscard]] bool isBounded() const {
    return least != -none - 1 && most != none;
  }
};

/// An interval that contains the expression's value wherever each name has a
/// value of its own interval, and there is one. Unknown names may have any.
Interval intervalOf(const Expression &expression,
                    const std::map<std::string, Interval, std::less<>> &names);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_ABI_INTERVAL_H
