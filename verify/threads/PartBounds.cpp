#include "verify/threads/PartBounds.h"

using namespace mlir;

namespace tilewright::verify::threads {

void appendParts(const Mark &mark, unsigned bytes, ByteParts &to) {
  if (mark.isExact()) {
    to.append(bytes, BytePart());
    return;
  }
  if (mark.isHalf()) {
    const bool isAll = mark.where() == Mark::Where::all;
    const unsigned half = isAll ? bytes : bytes / 2;
    const unsigned begin = mark.where() == Mark::Where::upper ? half : 0;
    const size_t first = to.size();
    to.append(bytes, BytePart());
    for (unsigned n = 0; n < half; ++n)
      to[first + begin + n] = {uint8_t(2 * half),
                               uint8_t(n + (mark.isUpperHalf() ? half : 0)),
                               mark.bound(0)};
    return;
  }
  const unsigned count = mark.count(), each = bytes / count;
  for (unsigned n = 0; n < bytes; ++n) {
    const double bound = each ? mark.bound(n / each) : mark.bound(0);
    to.push_back(bound == 0 ? BytePart()
                            : BytePart{uint8_t(std::max(each, 1U)),
                                       uint8_t(each ? n % each : 0), bound});
  }
}

/// The number that begins at the first byte, as many bytes as it has; 0 if it
/// is torn.
static unsigned wholeNumber(ArrayRef<BytePart> parts) {
  const BytePart &first = parts.front();
  if (first.index != 0 || first.bytes > parts.size())
    return 0;
  for (unsigned n = 0; n < first.bytes; ++n)
    if (parts[n] != BytePart{first.bytes, uint8_t(n), first.bound})
      return 0;
  return first.bytes;
}

/// Of a lane that has nothing but half of a number; unknown for others.
static Mark markOfHalf(ArrayRef<BytePart> parts) {
  const auto isPart = [](const BytePart &part) { return part.bytes != 0; };
  const size_t first = size_t(llvm::find_if(parts, isPart) - parts.begin());
  const size_t count = size_t(llvm::count_if(parts, isPart));
  const BytePart begin = parts[first];
  if (begin.bytes != 2 * count || begin.index % count != 0 ||
      (first != 0 && first != count) ||
      (count != parts.size() && 2 * count != parts.size()))
    return Mark::unknown();
  for (size_t n = 0; n < count; ++n)
    if (parts[first + n] !=
        BytePart{begin.bytes, uint8_t(begin.index + n), begin.bound})
      return Mark::unknown();
  return Mark::half(begin.bound, begin.index != 0,
                    count == parts.size() ? Mark::Where::all
                    : first == 0          ? Mark::Where::lower
                                          : Mark::Where::upper);
}

Mark markOf(ArrayRef<BytePart> parts) {
  unsigned each = unsigned(parts.size());
  for (const BytePart &part : parts)
    if (part.bytes)
      each = std::min<unsigned>(each, part.bytes);
  SmallVector<double, 8> bounds(parts.size() / each);
  for (unsigned n = 0; n < parts.size();) {
    if (parts[n].bytes == 0) {
      ++n;
      continue;
    }
    const unsigned size = wholeNumber(parts.drop_front(n));
    if (size != each || n % each != 0)
      return markOfHalf(parts);
    bounds[n / each] = parts[n].bound;
    n += size;
  }
  return bounds.size() == 1 ? Mark::error(bounds[0]) : Mark::parts(bounds);
}

} // namespace tilewright::verify::threads
