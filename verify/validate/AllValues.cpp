#include "verify/validate/AllValues.h"

#include "verify/validate/Elements.h"

namespace tilewright::verify {

using runtime::HostTensor;
using runtime::Shape;

/// Of the value of all inputs together.
static constexpr unsigned mostBits = 32;
/// Of the tensors whose sizes are open.
static constexpr int64_t mostElements = 1 << 14;

AllValues::AllValues(const Program &before, const SizeSpace &space)
    : signature(before.signature()), sizes(space.count(), 1),
      shapes(space.shapes(sizes)) {}

std::optional<AllValues> AllValues::of(const Program &before,
                                       const Program &after,
                                       const SizeSpace &space) {
  if (after.orderCount() != 1 || before.signature().inputs.empty())
    return std::nullopt;
  AllValues all(before, space);
  all.isByIndex = before.isElementwise() && after.isElementwise();
  if (!all.isByIndex && space.count() > 0)
    return std::nullopt;
  if (all.isByIndex && space.count() > 0) {
    for (int64_t size = 2; size <= mostElements; size *= 2) {
      std::vector<int64_t> larger(space.count(), 1);
      larger.front() = size;
      std::vector<Shape> grown = space.shapes(larger);
      if (elementCount(grown.front()) > mostElements)
        break;
      all.sizes = larger;
      all.shapes = grown;
    }
  }
  uint64_t bits = 0;
  for (size_t i = 0; i < all.shapes.size(); ++i) {
    const uint64_t count = all.isByIndex ? 1 : elementCount(all.shapes[i]);
    bits += std::min<uint64_t>(count, mostBits + 1) *
            bitWidth(all.signature.inputs[i].dtype);
  }
  if (bits > mostBits)
    return std::nullopt;
  all.bits = unsigned(bits);
  if (all.isByIndex)
    all.perRun = uint64_t(elementCount(all.shapes.front()));
  if (all.perRun == 0)
    return std::nullopt;
  return all;
}

StatusOr<std::optional<std::vector<HostTensor>>> AllValues::next() {
  const uint64_t end = uint64_t(1) << bits;
  if (!pieces.empty()) {
    current = pieces.back();
    pieces.pop_back();
  } else if (begun < end) {
    current = {begun, std::min(end, begun + perRun)};
    begun = current.last;
  } else {
    return std::optional<std::vector<HostTensor>>();
  }
  std::vector<HostTensor> inputs;
  unsigned offset = 0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const runtime::DType dtype = signature.inputs[i].dtype;
    TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor &input = inputs.emplace_back(),
                                HostTensor::allocate(dtype, shapes[i]));
    const unsigned width = bitWidth(dtype);
    const uint64_t mask = (uint64_t(1) << width) - 1;
    for (size_t n = 0; n < input.size(); ++n) {
      const uint64_t value = current.first + n % current.size();
      const uint64_t own = isByIndex ? value : current.first;
      setBits(input, n, (own >> offset) & mask);
      if (!isByIndex)
        offset += width;
    }
    if (isByIndex)
      offset += width;
  }
  return std::optional(std::move(inputs));
}

void AllValues::count(const Comparison::Result &result) {
  if (result.isDefined || result.isUndecided || current.size() == 1) {
    isOpen |= result.isUndecided;
    done += current.size();
    return;
  }
  // One element is enough to make a run undefined.
  const uint64_t middle = current.first + current.size() / 2;
  pieces.push_back({middle, current.last});
  pieces.push_back({current.first, middle});
}

} // namespace tilewright::verify
