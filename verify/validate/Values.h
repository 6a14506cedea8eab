// Elements that find out how programs differ.
#pragma once

#include "verify/validate/Program.h"
#include <random>

namespace tilewright::verify {

/// How a tensor is filled.
enum class Filling : uint8_t {
  zeros,
  ones,
  /// Whole numbers from -4 to 4: sums of them are exact.
  small,
  /// All elements different, so that an exchange of two is seen.
  ramp,
  normal,
  positive,
  /// Of integers: from 0 to a size of this run, so that they can be indices.
  indices,
  /// Values in the program and next to them.
  constants,
  /// Two or three different values.
  ties,
  /// NaN, infinities, zeros, subnormals, the largest; the extremes of integers.
  specials,
  /// A special value everywhere.
  oneSpecial,
  /// Normal numbers with one special value in each 8th.
  rareSpecials,
  /// Around the largest and the smallest numbers, whose sums and products
  /// overflow or vanish.
  extremes,
  /// Whole numbers and a half; powers of two and next to them.
  halves,
  /// All exponents, and any bits.
  bits,
  /// One element that is not zero.
  single,
  /// A large number and small differences.
  offset,
  /// Between two neighbours of a narrower type, or just beside.
  midpoints,
  /// One large number, and others that it swallows in a narrower type.
  imbalanced,
  /// All as large as a number in the program.
  scaled
};
inline constexpr unsigned fillingCount = unsigned(Filling::scaled) + 1;

/// What is known of a run when its tensors are filled.
struct FillContext {
  const Hints &hints;
  /// The sizes of all tensors.
  std::vector<int64_t> sizes;
  std::mt19937_64 &random;
};

/// Fills a tensor.
void fill(runtime::HostTensor &tensor, Filling filling, FillContext &context);

} // namespace tilewright::verify
