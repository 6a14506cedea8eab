//===- Cut.cpp - How a group is cut, as data ------------------------------===//
#include "graph/lowering/Cut.h"

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
/// A size that can be chosen: where it stands in the cut, and of what.
struct Place {
  std::string name;
  /// Null for a dimension of the result.
  Operation *reduction;
  unsigned position;
  int64_t extent; // may be dynamic
  /// Whether neighbours lie next to each other in memory.
  bool isInner;

  int64_t &in(TileSizes &sizes) const {
    return reduction ? sizes.steps[reduction][position] : sizes.tile[position];
  }
  int64_t greatest(const TileLimits &limits) const {
    if (ShapedType::isDynamic(extent))
      return longestTile;
    return limits.powersOfTwo ? int64_t(llvm::bit_ceil(uint64_t(extent)))
                              : extent;
  }
};
} // namespace

/// The dimensions of the result that may be cut.
static SmallVector<unsigned> cutDims(const Group &group) {
  SmallVector<unsigned> dims;
  if (group.isConcat || group.isGiven)
    return dims;
  auto type = cast<RankedTensorType>(group.result().getType());
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (type.getDimSize(dim) != 1 && !group.wholeLoops.test(dim))
      dims.push_back(dim);
  return dims;
}

static std::vector<Place> placesOf(const Group &group) {
  std::vector<Place> places;
  if (group.isConcat || group.isGiven)
    return places;
  auto type = cast<RankedTensorType>(group.result().getType());
  for (unsigned dim : cutDims(group))
    places.push_back({"tile" + std::to_string(dim), nullptr, dim,
                      type.getDimSize(dim), dim + 1 == type.getRank()});
  if (!group.root)
    return places;
  SmallVector<int64_t> ranges =
      cast<linalg::GenericOp>(group.root).getStaticLoopRanges();
  for (auto [i, loop] : llvm::enumerate(steppedLoops(group, group.root)))
    if (ranges[loop] != 1)
      places.push_back(
          {"step" + std::to_string(i), group.root, loop, ranges[loop], false});
  return places;
}

/// Sizes worth trying along one place: powers of two and one and a half times
/// them, the whole, its even parts; whole vectors along the innermost.
static std::vector<int64_t> valuesOf(const Place &place, int64_t chosen,
                                     const TileLimits &limits) {
  bool isKnown = !ShapedType::isDynamic(place.extent);
  int64_t greatest = std::min(place.greatest(limits), longestTile);
  constexpr int64_t vector = 16;
  std::set<int64_t> values;
  for (int64_t size = place.isInner ? vector : 1; size <= greatest; size *= 2) {
    values.insert(size);
    if (!limits.powersOfTwo && size >= vector && size * 3 / 2 <= greatest)
      values.insert(size * 3 / 2);
  }
  if (isKnown && !limits.powersOfTwo)
    for (int64_t parts = 1; parts <= 4; ++parts)
      if (place.extent % parts == 0 && place.extent / parts <= greatest)
        values.insert(place.extent / parts);
  values.insert(chosen);
  // Too many: those go that are farthest from what is chosen, but never the
  // whole.
  auto distance = [&](int64_t value) {
    return std::max(value, chosen) /
           std::max<int64_t>(1, std::min(value, chosen));
  };
  while (values.size() > mostValues) {
    auto last = std::prev(values.end());
    if (isKnown && *last == place.extent)
      --last;
    values.erase(distance(*values.begin()) > distance(*last) ? values.begin()
                                                             : last);
  }
  return {values.begin(), values.end()};
}

std::vector<CutKnob> cutKnobs(const Group &group, const TileLimits &limits) {
  std::vector<CutKnob> knobs;
  std::vector<Place> places = placesOf(group);
  if (places.empty())
    return knobs;
  TileSizes sizes;
  sizes.tile = chooseTile(group, limits);
  chooseSteps(group, limits, sizes);
  for (const Place &place : places) {
    int64_t chosen = place.in(sizes);
    knobs.push_back({place.name, valuesOf(place, chosen, limits), chosen});
  }
  SmallVector<unsigned> dims = cutDims(group);
  if (dims.size() > 1)
    knobs.push_back({"grid", {dims.begin(), dims.end()}, dims.back()});
  return knobs;
}

static InFlightDiagnostic refuse(const Group &group) {
  return group.last->emitError("schedule: ");
}

static LogicalResult setSize(const Group &group, const TileLimits &limits,
                             const Place &place, int64_t value,
                             TileSizes &sizes) {
  int64_t greatest = place.greatest(limits);
  if (value < 1 || value > greatest ||
      (limits.powersOfTwo && !llvm::isPowerOf2_64(uint64_t(value))))
    return refuse(group) << "expected " << place.name << " to be "
                         << (limits.powersOfTwo ? "a power of two " : "")
                         << "from 1 to " << greatest << ", found " << value;
  place.in(sizes) = value;
  return success();
}

/// The names that `group` knows, for messages.
static std::string namesOf(const Group &group) {
  std::vector<std::string> names;
  for (const Place &place : placesOf(group))
    names.push_back(place.name);
  if (cutDims(group).size() > 1)
    names.emplace_back("grid");
  return names.empty() ? "none" : llvm::join(names, ", ");
}

static LogicalResult setGrid(const Group &group, int64_t value,
                             TileSizes &sizes) {
  SmallVector<unsigned> dims = cutDims(group);
  if (!llvm::is_contained(dims, value))
    return refuse(group) << "expected grid to be a dimension of the result "
                            "that is cut, found "
                         << value;
  sizes.fastest = unsigned(value);
  return success();
}

FailureOr<TileSizes> cutBy(const Group &group, const TileLimits &limits,
                           const CutValues &values) {
  TileSizes sizes;
  sizes.tile = chooseTile(group, limits);
  std::vector<Place> places = placesOf(group);
  auto given = [&](const Place &place) { return values.contains(place.name); };
  auto set = [&](bool isStep) -> LogicalResult {
    for (const Place &place : places)
      if ((place.reduction != nullptr) == isStep && given(place) &&
          failed(setSize(group, limits, place, values.at(place.name), sizes)))
        return failure();
    return success();
  };
  for (const auto &[name, value] : values) {
    if (name == "grid" && cutDims(group).size() > 1) {
      if (failed(setGrid(group, value, sizes)))
        return failure();
    } else if (llvm::none_of(places, [&name = name](const Place &place) {
                 return place.name == name;
               }))
      return refuse(group) << "unknown name '" << name
                           << "'; this kernel is cut by " << namesOf(group);
  }
  if (failed(set(false)))
    return failure();
  if (int64_t held = llvm::product_of(sizes.tile);
      held > mostElements && !values.empty())
    return refuse(group) << "expected a tile of at most " << mostElements
                         << " elements, found " << held;
  chooseSteps(group, limits, sizes);
  if (failed(set(true)))
    return failure();
  return sizes;
}

} // namespace tilewright::graph
