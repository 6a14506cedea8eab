#include "verify/threads/Mark.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::verify::threads {

Mark Mark::parts(ArrayRef<double> bounds) {
  uint64_t payload = 0;
  for (auto [n, bound] : llvm::enumerate(bounds)) {
    const uint64_t one = bounds.size() == 2   ? Half::encode(bound)
                         : bounds.size() == 4 ? Quarter::encode(bound)
                                              : Eighth::encode(bound);
    payload |= one << (4 + n * 60 / bounds.size());
  }
  if (payload == 0)
    return {};
  return tagged(bounds.size() == 2   ? two
                : bounds.size() == 4 ? four
                                     : eight,
                payload);
}

Mark Mark::upperBits(ArrayRef<double> bounds, ArrayRef<double> rests) {
  if (bounds.size() == 1)
    return tagged(upper, Half::encode(bounds[0]) << 4 | Half::encode(rests[0])
                                                            << 34);
  return tagged(twoUpper, Quarter::encode(bounds[0]) << 4 |
                              Quarter::encode(bounds[1]) << 19 |
                              Quarter::encode(rests[0]) << 34 |
                              Quarter::encode(rests[1]) << 49);
}

Mark Mark::half(double bound, bool isUpperHalf, Where where) {
  constexpr uint64_t rest = 255;
  const auto bits = std::bit_cast<uint64_t>(bound);
  const uint64_t kept = bound < kUnknownError
                            ? std::min((bits + rest) & ~rest, kInfinite)
                            : kInfinite;
  return tagged(torn, kept | uint64_t(isUpperHalf) << 4 | uint64_t(where) << 5);
}

unsigned Mark::count() const {
  switch (kind()) {
  case two:
  case twoUpper:
    return 2;
  case four:
    return 4;
  case eight:
    return 8;
  case whole:
  case torn:
  case upper:
    return 1;
  }
  llvm_unreachable("all kinds are listed");
}

double Mark::bound(unsigned part) const {
  if (!hasBounds())
    return 0;
  switch (kind()) {
  case whole:
    return std::bit_cast<double>(word & ~kTagMask);
  case torn:
    return std::bit_cast<double>(word & ~uint64_t(255));
  case two:
    return Half::decode(field(part, 30));
  case four:
    return Quarter::decode(field(part, 15));
  // Of 60 bits each of 8 parts has 7.
  case eight:
    return Eighth::decode(word >> (4 + part * 60 / 8) & Eighth::kLast);
  case upper:
    return Half::decode(field(0, 30));
  case twoUpper:
    return Quarter::decode(field(part, 15));
  }
  llvm_unreachable("all kinds are listed");
}

double Mark::rest(unsigned part) const {
  if (!hasBounds() || kind() < upper)
    return 0;
  return kind() == upper ? Half::decode(field(1, 30))
                         : Quarter::decode(field(2 + part, 15));
}

Mark Mark::ofPart(unsigned part, unsigned wanted) const {
  if (!hasBounds())
    return *this;
  if (count() != wanted || isHalf())
    return isExact() ? Mark() : unknown();
  return isUpper() ? upperBits({bound(part)}, {rest(part)})
                   : error(bound(part));
}

bool Mark::isWithoutError() const {
  for (unsigned part = 0, all = count(); part < all; ++part)
    if (bound(part) != 0)
      return false;
  return true;
}

} // namespace tilewright::verify::threads
