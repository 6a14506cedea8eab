//===- Tiling.cpp - How a group is tiled, as data -------------------------===//
#include "graph/lowering/Tiling.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir;

namespace tilewright::graph {

/// The longest tile along one dimension, and the most elements of a tile: more
/// only moves work from programs into loops.
static constexpr int64_t longestTile = 4096, mostElements = 1 << 20;
static constexpr size_t mostValues = 12;

namespace {
/// A size that can be chosen: where it is in the tiling, and of what.
struct Location {
  std::string name;
  /// Null for a dimension of the result.
  Operation *reduction;
  unsigned position;
  int64_t extent; // may be dynamic
  /// Whether neighbours are contiguous in memory.
  bool isInner;

  int64_t &in(TileSizes &sizes) const {
    return reduction ? sizes.steps[reduction][position] : sizes.tile[position];
  }
  int64_t greatest(const TileLimits &limits) const {
    if (ShapedType::isDynamic(extent))
      return longestTile;
    // What threads share may end beyond the dimension.
    return limits.isShared ? int64_t(llvm::bit_ceil(uint64_t(extent))) : extent;
  }
};
} // namespace

/// The dimensions of the result that may be tiled.
static SmallVector<unsigned> tiledDims(const Group &group) {
  SmallVector<unsigned> dims;
  if (group.isAlone || group.isGiven)
    return dims;
  auto type = cast<RankedTensorType>(group.result().getType());
  std::optional<unsigned> parts = group.partsDim();
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (type.getDimSize(dim) != 1 && !group.wholeLoops.test(dim) &&
        dim != parts)
      dims.push_back(dim);
  return dims;
}

static std::vector<Location> placesOf(const Group &group) {
  std::vector<Location> locations;
  if (group.isAlone || group.isGiven)
    return locations;
  auto type = cast<RankedTensorType>(group.result().getType());
  for (unsigned dim : tiledDims(group))
    locations.push_back({"tile" + std::to_string(dim), nullptr, dim,
                         type.getDimSize(dim), dim + 1 == type.getRank()});
  if (!group.root)
    return locations;
  SmallVector<int64_t> ranges =
      cast<linalg::GenericOp>(group.root).getStaticLoopRanges();
  for (auto [i, loop] : llvm::enumerate(steppedLoops(group, group.root)))
    if (ranges[loop] != 1)
      locations.push_back(
          {"step" + std::to_string(i), group.root, loop, ranges[loop], false});
  return locations;
}

/// Sizes worth trying along one dimension: powers of two and one and a half
/// times them, the whole, its even parts; whole vectors along the innermost.
static std::vector<int64_t> valuesOf(const Location &location, int64_t chosen,
                                     const TileLimits &limits) {
  bool isKnown = !ShapedType::isDynamic(location.extent);
  int64_t greatest = std::min(location.greatest(limits), longestTile);
  constexpr int64_t vector = 16;
  std::set<int64_t> values;
  for (int64_t size = location.isInner ? vector : 1; size <= greatest;
       size *= 2) {
    values.insert(size);
    if (size >= vector && size * 3 / 2 <= greatest)
      values.insert(size * 3 / 2);
  }
  if (isKnown)
    for (int64_t parts = 1; parts <= 4; ++parts)
      if (location.extent % parts == 0 && location.extent / parts <= greatest)
        values.insert(location.extent / parts);
  values.insert(chosen);
  // Too many: those go that are farthest from what is chosen, but never the
  // whole.
  auto distance = [&](int64_t value) {
    return std::max(value, chosen) /
           std::max<int64_t>(1, std::min(value, chosen));
  };
  while (values.size() > mostValues) {
    auto last = std::prev(values.end());
    if (isKnown && *last == location.extent)
      --last;
    values.erase(distance(*values.begin()) > distance(*last) ? values.begin()
                                                             : last);
  }
  return {values.begin(), values.end()};
}

std::vector<TilingParameter> tilingParameters(const Group &group,
                                              const TileLimits &limits) {
  std::vector<TilingParameter> parameters;
  std::vector<Location> locations = placesOf(group);
  if (locations.empty())
    return parameters;
  TileSizes sizes;
  sizes.tile = chooseTile(group, limits);
  chooseSteps(group, limits, sizes);
  for (const Location &location : locations) {
    int64_t chosen = location.in(sizes);
    parameters.push_back(
        {location.name, valuesOf(location, chosen, limits), chosen});
  }
  SmallVector<unsigned> dims = tiledDims(group);
  if (dims.size() > 1)
    parameters.push_back({"grid", {dims.begin(), dims.end()}, dims.back()});
  return parameters;
}

static InFlightDiagnostic reject(const Group &group) {
  return group.last->emitError("schedule: ");
}

static LogicalResult setSize(const Group &group, const TileLimits &limits,
                             const Location &location, int64_t value,
                             TileSizes &sizes) {
  int64_t greatest = location.greatest(limits);
  if (value < 1 || value > greatest)
    return reject(group) << "expected " << location.name << " to be from 1 to "
                         << greatest << ", found " << value;
  location.in(sizes) = value;
  return success();
}

/// The names of the parameters of `group`, for messages.
static std::string namesOf(const Group &group) {
  std::vector<std::string> names;
  for (const Location &location : placesOf(group))
    names.push_back(location.name);
  if (tiledDims(group).size() > 1)
    names.emplace_back("grid");
  return names.empty() ? "none" : llvm::join(names, ", ");
}

static LogicalResult setGrid(const Group &group, int64_t value,
                             TileSizes &sizes) {
  SmallVector<unsigned> dims = tiledDims(group);
  if (!llvm::is_contained(dims, value))
    return reject(group) << "expected grid to be a dimension of the result "
                            "that is tiled, found "
                         << value;
  sizes.fastest = unsigned(value);
  return success();
}

FailureOr<TileSizes> tileBy(const Group &group, const TileLimits &limits,
                            const TilingValues &values) {
  TileSizes sizes;
  sizes.tile = chooseTile(group, limits);
  std::vector<Location> locations = placesOf(group);
  auto given = [&](const Location &location) {
    return values.contains(location.name);
  };
  auto set = [&](bool isStep) -> LogicalResult {
    for (const Location &location : locations)
      if ((location.reduction != nullptr) == isStep && given(location) &&
          failed(setSize(group, limits, location, values.at(location.name),
                         sizes)))
        return failure();
    return success();
  };
  for (const auto &[name, value] : values) {
    if (name == "grid" && tiledDims(group).size() > 1) {
      if (failed(setGrid(group, value, sizes)))
        return failure();
    } else if (llvm::none_of(locations,
                             [&name = name](const Location &location) {
                               return location.name == name;
                             }))
      return reject(group) << "unknown name '" << name
                           << "'; this kernel is tiled by " << namesOf(group);
  }
  if (failed(set(false)))
    return failure();
  if (int64_t held = llvm::product_of(sizes.tile);
      held > mostElements && !values.empty())
    return reject(group) << "expected a tile of at most " << mostElements
                         << " elements, found " << held;
  chooseSteps(group, limits, sizes);
  if (failed(set(true)))
    return failure();
  return sizes;
}

} // namespace tilewright::graph
