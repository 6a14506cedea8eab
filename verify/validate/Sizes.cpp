#include "verify/validate/Sizes.h"

#include <algorithm>
#include <functional>
#include <map>

namespace tilewright::verify {

using runtime::Shape;

SizeSpace::SizeSpace(const Signature &signature) {
  std::map<std::string, size_t> named;
  for (size_t i = 0; i < signature.inputs.size(); ++i) {
    const Port &port = signature.inputs[i];
    fixed.push_back(port.shape);
    for (size_t d = 0; d < port.shape.size(); ++d) {
      if (port.shape[d] >= 0)
        continue;
      const std::string name = port.sizeNames.empty() ? "" : port.sizeNames[d];
      const auto [found, isNew] = named.try_emplace(name, groups.size());
      if (isNew || name.empty())
        groups.push_back({{i, d}});
      else
        groups[found->second].push_back({i, d});
    }
  }
}

std::vector<Shape> SizeSpace::shapes(std::span<const int64_t> sizes) const {
  std::vector<Shape> shapes = fixed;
  for (size_t g = 0; g < groups.size(); ++g)
    for (const Dimension &each : groups[g])
      shapes[each.input][each.dim] = sizes[g];
  return shapes;
}

double elementsIn(std::span<const Shape> shapes) {
  double count = 0;
  for (const Shape &shape : shapes) {
    double product = 1;
    for (int64_t size : shape)
      product *= double(size);
    count += product;
  }
  return count;
}

/// Finds the sizes that the program wants to be equal. Groups here are numbers
/// of those of the space.
class SizeSpace::Learner {
public:
  Learner(const SizeSpace &space, const IsDefined &isDefined)
      : space(space), isDefinedAt(isDefined) {}
  /// Sizes for which the program is defined, from which others go out.
  bool findBase();
  void takeBase(std::span<const Shape> known);
  [[nodiscard]] std::vector<int64_t> baseSizes() const { return base; }
  /// Sets of groups that can change together, and those that cannot, alone.
  struct Together {
    std::vector<size_t> groups;
    bool isFree;
  };
  std::vector<Together> findTogether();

private:
  bool isDefined(const std::vector<int64_t> &sizes);
  bool isFree(const std::vector<size_t> &changed);
  Together completed(size_t group, std::vector<size_t> &bound);

  const SizeSpace &space;
  const IsDefined &isDefinedAt;
  std::vector<int64_t> base;
  /// Elements that may still be made: a run is taken for 1000 more.
  double left = 1e7;
};

bool SizeSpace::Learner::isDefined(const std::vector<int64_t> &sizes) {
  const std::vector<Shape> shapes = space.shapes(sizes);
  const double cost = elementsIn(shapes) + 1000;
  if (cost > left)
    return false;
  left -= cost;
  return isDefinedAt(shapes);
}

bool SizeSpace::Learner::findBase() {
  for (int64_t size : {4, 8, 3, 16, 1, 64, 2, 5}) {
    base.assign(space.count(), size);
    if (isDefined(base))
      return true;
  }
  return false;
}

void SizeSpace::Learner::takeBase(std::span<const Shape> known) {
  for (const std::vector<Dimension> &group : space.groups)
    base.push_back(known[group.front().input][group.front().dim]);
  // Where only the given values do, nothing can be found out with others.
  if (!isDefined(base))
    left = 0;
}

/// Whether these groups can change if all others stay.
bool SizeSpace::Learner::isFree(const std::vector<size_t> &changed) {
  auto works = [&](auto change) {
    std::vector<int64_t> sizes = base;
    for (size_t group : changed)
      sizes[group] = change(base[group]);
    return isDefined(sizes);
  };
  return works([](int64_t size) { return size + 1; }) ||
         works([](int64_t size) { return 2 * size; }) ||
         works([](int64_t size) { return size == 1 ? 0 : 1; });
}

/// The groups of `bound` with which this one can change: one of them, or else
/// as few as can be left over from all.
SizeSpace::Learner::Together
SizeSpace::Learner::completed(size_t group, std::vector<size_t> &bound) {
  std::vector<size_t> equal;
  for (size_t other : bound)
    if (base[other] == base[group])
      equal.push_back(other);
  std::vector<size_t> found;
  for (size_t other : equal)
    if (found.empty() && isFree({group, other}))
      found = {group, other};
  if (found.empty()) {
    found = equal;
    found.insert(found.begin(), group);
    if (equal.empty() || !isFree(found))
      return {{group}, false};
    for (size_t other : equal) {
      std::vector<size_t> fewer = found;
      std::erase(fewer, other);
      if (isFree(fewer))
        found = std::move(fewer);
    }
  }
  std::erase_if(bound, [&](size_t other) {
    return std::ranges::find(found, other) != found.end();
  });
  return {std::move(found), true};
}

std::vector<SizeSpace::Learner::Together> SizeSpace::Learner::findTogether() {
  std::vector<Together> together;
  std::vector<size_t> bound;
  for (size_t group = 0; group < base.size(); ++group)
    if (isFree({group}))
      together.push_back({{group}, true});
    else
      bound.push_back(group);
  while (!bound.empty()) {
    const size_t group = bound.front();
    bound.erase(bound.begin());
    together.push_back(completed(group, bound));
  }
  std::ranges::sort(together, {}, &Together::groups);
  return together;
}

bool SizeSpace::learn(const IsDefined &isDefined,
                      std::span<const Shape> known) {
  Learner learner(*this, isDefined);
  if (!known.empty())
    learner.takeBase(known);
  else if (!learner.findBase())
    return false;
  const std::vector<int64_t> base = learner.baseSizes();
  std::vector<std::vector<Dimension>> merged;
  for (const Learner::Together &together : learner.findTogether()) {
    std::vector<Dimension> members;
    for (size_t group : together.groups)
      members.insert(members.end(), groups[group].begin(), groups[group].end());
    if (together.isFree)
      merged.push_back(std::move(members));
    else
      for (const Dimension &each : members)
        fixed[each.input][each.dim] = base[together.groups.front()];
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
