#include "verify/threads/PartBounds.h"

using namespace mlir;

namespace tilewright::verify::threads {

void appendParts(const Mark &mark, unsigned bytes, ByteParts &to) {
  if (mark.isExact()) {
    to.append(bytes, BytePart());
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
      return Mark::unknown();
    bounds[n / each] = parts[n].bound;
    n += size;
  }
  return bounds.size() == 1 ? Mark::error(bounds[0]) : Mark::parts(bounds);
}

} // namespace tilewright::verify::threads
