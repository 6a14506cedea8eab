#include "tileir/reference/Permitted.h"

#include "tileir/reference/Interval.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <bit>
#include <cmath>

namespace tilewright::reference {

//===--- Permitted --------------------------------------------------------===//

Permitted Permitted::value(double number) {
  return std::isnan(number) ? nan() : numbers(number, number);
}

Permitted Permitted::any() { return {-kInfinity, kInfinity, true, true}; }

Permitted Permitted::nan() { return {kInfinity, -kInfinity, true, false}; }

bool Permitted::contains(double number) const {
  if (isAny || std::isnan(number))
    return mayBeNaN;
  return least <= number && number <= greatest;
}

bool Permitted::isSingle() const {
  if (isAny)
    return false;
  return hasNumbers() ? !mayBeNaN && least == greatest && least != 0 : mayBeNaN;
}

Permitted Permitted::unite(const Permitted &other) const {
  return {std::min(least, other.least), std::max(greatest, other.greatest),
          mayBeNaN || other.mayBeNaN, isAny || other.isAny};
}

std::string Permitted::text() const {
  if (isAny)
    return "any";
  std::string text;
  llvm::raw_string_ostream out(text);
  if (hasNumbers())
    out << '[' << llvm::format("%.9g", least) << ", "
        << llvm::format("%.9g", greatest) << ']';
  if (mayBeNaN)
    out << (hasNumbers() ? " or nan" : "nan");
  return text;
}

//===--- Spread -----------------------------------------------------------===//

/// Of a double without a sign, the exponent and 19 bits behind it.
static constexpr unsigned kFieldBits = 30;
static constexpr unsigned kDropped = 63 - kFieldBits;
static constexpr uint64_t kField = (uint64_t(1) << kFieldBits) - 1;

/// A distance, rounded up. The computed number is one of its set, in spite of
/// any mistake: a distance below 0, or NaN, is none.
static uint64_t packDistance(double distance) {
  if (!(distance > 0))
    return 0;
  const auto bits = std::bit_cast<uint64_t>(distance);
  const bool isLost = bits & ((uint64_t(1) << kDropped) - 1);
  return (bits >> kDropped) + isLost;
}

static double unpackDistance(uint64_t field) {
  return std::bit_cast<double>((field & kField) << kDropped);
}

/// An end of an interval around no finite number: a sign and one bit less.
/// Rounded up if `up`, else down.
static uint64_t packEnd(double end, bool up) {
  const auto bits = std::bit_cast<uint64_t>(end);
  const bool isLost = bits & ((uint64_t(1) << (kDropped + 1)) - 1);
  const bool isAway = isLost && std::signbit(end) != up;
  return (bits >> (kDropped + 1)) + isAway;
}

static double unpackEnd(uint64_t field) {
  return std::bit_cast<double>((field & kField) << (kDropped + 1));
}

Spread Spread::any() { return Spread(kTag | kAny | kNaN); }

Spread Spread::of(const Permitted &set, double computed) {
  if (set.isAny)
    return any();
  uint64_t down, up;
  if (std::isfinite(computed)) {
    down = packDistance(addUp(computed, -set.least));
    up = packDistance(addUp(set.greatest, -computed));
  } else {
    down = packEnd(set.least, /*up=*/false);
    up = packEnd(set.greatest, /*up=*/true);
  }
  return Spread(kTag | down << 2 | up << (2 + kFieldBits) |
                (set.mayBeNaN ? kNaN : 0));
}

Permitted Spread::around(double computed) const {
  if (!word)
    return Permitted::value(computed);
  if (isAny())
    return Permitted::any();
  const uint64_t down = word >> 2, up = word >> (2 + kFieldBits);
  Permitted set;
  set.mayBeNaN = (word & kNaN) != 0;
  if (std::isfinite(computed)) {
    set.least = addDown(computed, -unpackDistance(down));
    set.greatest = addUp(computed, unpackDistance(up));
  } else {
    set.least = unpackEnd(down);
    set.greatest = unpackEnd(up);
  }
  return set;
}

} // namespace tilewright::reference
