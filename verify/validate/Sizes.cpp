#include "verify/validate/Sizes.h"

#include <algorithm>
#include <functional>

namespace tilewright::verify {

using runtime::Shape;

SizeSpace::SizeSpace(const Signature &signature) {
  for (size_t i = 0; i < signature.inputs.size(); ++i) {
    fixed.push_back(signature.inputs[i].shape);
    for (size_t d = 0; d < fixed.back().size(); ++d)
      if (fixed.back()[d] < 0)
        groups.push_back({{i, d}});
  }
}

std::vector<Shape> SizeSpace::shapes(std::span<const int64_t> sizes) const {
  std::vector<Shape> shapes = fixed;
  for (size_t g = 0; g < groups.size(); ++g)
    for (const Dimension &each : groups[g])
      shapes[each.input][each.dim] = sizes[g];
  return shapes;
}

bool SizeSpace::learn(
    const std::function<bool(std::span<const Shape>)> &isDefined) {
  using Groups = std::vector<std::vector<Dimension>>;
  auto works = [&](const std::vector<size_t> &changed, int64_t size,
                   int64_t other) {
    std::vector<int64_t> sizes(groups.size(), size);
    for (size_t g : changed)
      sizes[g] = other;
    return isDefined(shapes(sizes));
  };
  int64_t base = 0;
  for (int64_t size : {4, 8, 3, 16, 1, 64, 2, 5})
    if (works({}, size, size)) {
      base = size;
      break;
    }
  if (base == 0)
    return false;
  auto isFree = [&](const std::vector<size_t> &changed) {
    return works(changed, base, base + 1) || works(changed, base, 2 * base);
  };
  // Sizes that cannot change alone change with another one, or all together.
  std::vector<size_t> bound;
  std::vector<std::vector<size_t>> together;
  for (size_t g = 0; g < groups.size(); ++g)
    if (!isFree({g}))
      bound.push_back(g);
    else
      together.push_back({g});
  while (!bound.empty()) {
    std::vector<size_t> group = {bound.front()};
    bound.erase(bound.begin());
    for (auto other = bound.begin(); other != bound.end() && !isFree(group);) {
      std::vector<size_t> more = group;
      more.push_back(*other);
      if (!isFree(more)) {
        ++other;
        continue;
      }
      group = more;
      other = bound.erase(other);
    }
    if (!isFree(group)) {
      group.insert(group.end(), bound.begin(), bound.end());
      bound.clear();
    }
    together.push_back(group);
  }
  std::sort(together.begin(), together.end());
  Groups merged;
  for (const std::vector<size_t> &members : together) {
    merged.emplace_back();
    for (size_t g : members)
      merged.back().insert(merged.back().end(), groups[g].begin(),
                           groups[g].end());
  }
  groups = std::move(merged);
  return true;
}

std::vector<int64_t> SizeSpace::candidates(const Hints &hints) {
  std::set<int64_t> sizes = {
      0,   1,   2,   3,    4,    5,    7,     8,     9,     13,   15,  16,
      17,  31,  32,  33,   63,   64,   65,    97,    127,   128,  129, 255,
      256, 257, 521, 1024, 1031, 4099, 32767, 32769, 65536, 65537};
  for (int64_t hint : hints.sizes)
    for (int64_t near :
         {hint - 1, hint, hint + 1, 2 * hint, 2 * hint + 1, 3 * hint - 1})
      sizes.insert(std::clamp<int64_t>(near, 0, 70000));
  return {sizes.begin(), sizes.end()};
}

} // namespace tilewright::verify
