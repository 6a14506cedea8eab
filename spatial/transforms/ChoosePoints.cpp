//===- ChoosePoints.cpp - Which points of loops share a vector ------------===//
//
// Candidates follow the vectors that hold an input, or have one loop in lanes,
// perhaps with a second one beside it. The one that needs the fewest vectors
// and moves of lanes is taken.
//
//===----------------------------------------------------------------------===//
#include "spatial/transforms/LowerOps.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tilewright::spatial {

namespace {
/// All points in vectors that have the loop `lane` in their lanes, `pack`
/// indices of `second` beside each other; the indices of the other loops are
/// equal.
class LoopsInLanes {
public:
  LoopsInLanes(linalg::GenericOp op, int64_t lanes,
               std::optional<unsigned> lane = std::nullopt,
               std::optional<unsigned> second = std::nullopt)
      : extents(loopExtents(op)), lanes(lanes), lane(lane), second(second) {
    if (second)
      pack = std::min(extentOf(second), lanes / extentOf(lane));
    // The points of a reduction come one after the other.
    for (auto kind :
         {utils::IteratorType::parallel, utils::IteratorType::reduction})
      for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
        if (type == kind && loop != lane && loop != second)
          others.push_back(static_cast<unsigned>(loop));
  }

  [[nodiscard]] int64_t count() const {
    int64_t vectors = laneChunks() * packChunks();
    for (unsigned loop : others)
      vectors *= extents[loop];
    return vectors;
  }
  /// The points of some vectors.
  [[nodiscard]] Points points(int64_t first, int64_t count) const;

private:
  [[nodiscard]] int64_t laneChunks() const {
    return llvm::divideCeil(extentOf(lane), lanes);
  }
  [[nodiscard]] int64_t packChunks() const {
    return llvm::divideCeil(extentOf(second), pack);
  }
  [[nodiscard]] int64_t extentOf(std::optional<unsigned> loop) const {
    return loop ? extents[*loop] : 1;
  }
  [[nodiscard]] int64_t strideOf(std::optional<unsigned> loop) const {
    if (!loop)
      return 0;
    int64_t stride = 1;
    for (size_t inner = *loop + 1; inner < extents.size(); ++inner)
      stride *= extents[inner];
    return stride;
  }

  SmallVector<int64_t> extents;
  int64_t lanes;
  std::optional<unsigned> lane, second;
  int64_t pack = 1;
  SmallVector<unsigned> others;
};
} // namespace

Points LoopsInLanes::points(int64_t first, int64_t count) const {
  Points points{extents, lanes, {}};
  points.numbers.reserve(count * lanes);
  const int64_t chunkLanes = std::min(lanes, extentOf(lane));
  const int64_t laneStride = strideOf(lane), packStride = strideOf(second);
  const int64_t laneExtent = extentOf(lane), packExtent = extentOf(second);
  for (int64_t vector = first; vector < first + count; ++vector) {
    int64_t rest = vector;
    const int64_t laneStart = rest % laneChunks() * lanes;
    rest /= laneChunks();
    const int64_t packStart = rest % packChunks() * pack;
    rest /= packChunks();
    int64_t start = 0;
    for (unsigned loop : llvm::reverse(others)) {
      start += rest % extents[loop] * strideOf(loop);
      rest /= extents[loop];
    }
    int64_t index = laneStart, beside = packStart;
    for (int64_t i = 0; i < lanes; ++i) {
      const bool isPoint = index < laneExtent && beside < packStart + pack &&
                           beside < packExtent;
      points.numbers.push_back(
          isPoint ? start + index * laneStride + beside * packStride : -1);
      if (++index == laneStart + chunkLanes) {
        index = laneStart;
        ++beside;
      }
    }
  }
  return points;
}

//===--- Points as an input lies ------------------------------------------===//

namespace {
/// The points that read each element of a tensor.
struct Readers {
  int64_t tensor = 0;
  std::vector<SmallVector<int64_t, 1>> points;
};
} // namespace

/// The readers of each tensor behind an input; none if a point reads a
/// constant, an element has very many, or the input only says how large a
/// window is.
static std::vector<Readers> readersOf(Tensors &tensors, OpOperand &input,
                                      ArrayRef<int64_t> extents) {
  constexpr size_t most = 16;
  if (!tensors.has(input.get()))
    return {};
  int64_t size = 1;
  for (int64_t extent : extents)
    size *= extent;
  OperandAccess access(input);
  const int64_t number = tensors.numberOf(input.get());
  llvm::MapVector<int64_t, Readers> found;
  Readers *readers = nullptr;
  for (int64_t point = 0; point < size; ++point) {
    const ElementId id = tensors.resolve(number, access.at(point));
    // Neighbours read one tensor as a rule.
    if (!readers || readers->tensor != tensorOf(id)) {
      if (id == noElement || tensors.isConstant(id))
        return {};
      readers = &found[tensorOf(id)];
      readers->tensor = tensorOf(id);
      readers->points.resize(tensors.info(readers->tensor).size);
    }
    auto &points = readers->points[elementOf(id)];
    points.push_back(point);
    if (points.size() > most)
      return {};
  }
  std::vector<Readers> list;
  for (auto &[tensor, readers] : found)
    list.push_back(std::move(readers));
  return list;
}

/// Adds the points that read a tensor, in the lanes in which `arrangement`
/// holds what they read.
static void addPointsAs(const Arrangement &arrangement, const Readers &readers,
                        std::vector<bool> &isThere, Points &points) {
  const int64_t lanes = arrangement.lanes;
  for (int64_t vector = 0; vector < arrangement.vectors(); ++vector) {
    bool any = true;
    for (size_t number = 0; any; ++number) {
      any = false;
      const size_t first = points.numbers.size();
      for (int64_t lane = 0; lane < lanes; ++lane) {
        const int32_t element = arrangement.elements[vector * lanes + lane];
        int64_t point = -1;
        if (element >= 0 && number < readers.points[element].size())
          point = readers.points[element][number];
        points.numbers.push_back(point);
        if (point >= 0) {
          isThere[point] = true;
          any = true;
        }
      }
      if (!any)
        points.numbers.resize(first);
    }
  }
}

/// The points as arrangements hold what they read, `which` of them where there
/// are several; nothing if those do not hold what each point reads.
static std::optional<Points> pointsAs(Tensors &tensors,
                                      ArrayRef<Readers> readers, size_t which,
                                      ArrayRef<int64_t> extents) {
  Points points{SmallVector<int64_t>(extents), tensors.machine.lanes, {}};
  int64_t size = 1;
  for (int64_t extent : extents)
    size *= extent;
  std::vector<bool> isThere(size);
  for (const Readers &of : readers) {
    auto &arrangements = tensors.info(of.tensor).arrangements;
    if (arrangements.empty())
      return std::nullopt;
    addPointsAs(*arrangements[std::min(which, arrangements.size() - 1)], of,
                isThere, points);
  }
  if (!llvm::all_of(isThere, [](bool there) { return there; }))
    return std::nullopt;
  return points;
}

//===--- Costs ------------------------------------------------------------===//

namespace {
/// The cost of a choice, from some of its vectors.
class PointCost {
public:
  PointCost(Tensors &tensors, linalg::GenericOp op);

  /// Adds vectors.
  void add(const Points &points);
  /// Of all that were added.
  [[nodiscard]] double sum() const { return cost; }

private:
  void addReads(const Points &points);
  void addReduction(const Points &points);

  Tensors &tensors;
  /// What the op reads: tensors, and which element at each point.
  SmallVector<std::pair<int64_t, OperandAccess>> inputs;
  std::optional<OperandAccess> result;
  llvm::StringSet<> seenRows, seenResults;
  double cost = 0;
};
} // namespace

PointCost::PointCost(Tensors &tensors, linalg::GenericOp op)
    : tensors(tensors) {
  for (OpOperand *input : op.getDpsInputOperands())
    if (tensors.has(input->get()))
      inputs.emplace_back(tensors.numberOf(input->get()),
                          OperandAccess(*input));
  if (op.getNumReductionLoops() > 0)
    result.emplace(*op.getDpsInitOperand(0));
}

/// A vector, and about one lane map, which takes longer, for each vector that a
/// row is put together of.
void PointCost::addReads(const Points &points) {
  for (const auto &[tensor, access] : inputs) {
    Rows rows = rowsOf(tensors, tensor, access, points);
    for (int64_t i = 0; i < rows.count(); ++i) {
      ArrayRef<ElementId> row = rows.row(i);
      StringRef key(reinterpret_cast<const char *>(row.data()),
                    row.size() * sizeof(ElementId));
      if (seenRows.insert(key).second && !tensors.isHeld(row))
        cost += 4 * static_cast<double>(tensors.sourcesOf(row));
    }
  }
}

/// Lanes of one result are combined in a few steps for each result; where
/// results share a vector, their lanes are moved apart.
void PointCost::addReduction(const Points &points) {
  for (int64_t i = 0; i < points.count(); ++i) {
    std::string key;
    llvm::SmallDenseSet<int64_t> results;
    int64_t used = 0;
    for (int64_t point :
         ArrayRef(points.numbers).slice(i * points.lanes, points.lanes)) {
      const int64_t element = point < 0 ? -1 : result->at(point);
      key.append(reinterpret_cast<const char *>(&element), sizeof(element));
      if (element < 0)
        continue;
      results.insert(element);
      ++used;
    }
    const auto distinct = static_cast<int64_t>(results.size());
    if (distinct == used || !seenResults.insert(key).second)
      continue;
    cost += distinct == 1 ? 8 : 8 * static_cast<double>(distinct);
  }
}

void PointCost::add(const Points &points) {
  cost += static_cast<double>(points.count());
  addReads(points);
  if (result)
    addReduction(points);
}

/// Some runs of vectors out of `count`.
static SmallVector<std::pair<int64_t, int64_t>> samplesOf(int64_t count) {
  constexpr int64_t runs = 8, length = 64;
  if (count <= runs * length)
    return {{0, count}};
  SmallVector<std::pair<int64_t, int64_t>> samples;
  for (int64_t run = 0; run < runs; ++run)
    samples.push_back({(count - length) * run / (runs - 1), length});
  return samples;
}

/// About the cost of `count` vectors, which `points` gives by the first one and
/// how many; nothing if it is `limit` or more.
static std::optional<double>
costOfAll(Tensors &tensors, linalg::GenericOp op, int64_t count,
          llvm::function_ref<Points(int64_t, int64_t)> points, double limit) {
  // Costs grow: few pieces show that a choice is bad.
  constexpr int64_t piece = 32;
  const SmallVector<std::pair<int64_t, int64_t>> samples = samplesOf(count);
  int64_t sampled = 0;
  for (auto [first, number] : samples)
    sampled += number;
  PointCost cost(tensors, op);
  double total = 0;
  for (auto [first, number] : samples)
    for (int64_t at = 0; at < number; at += piece) {
      cost.add(points(first + at, std::min(piece, number - at)));
      total = cost.sum() * static_cast<double>(count) /
              static_cast<double>(sampled);
      if (total >= limit)
        return std::nullopt;
    }
  return total;
}

static Points sliceOf(const Points &points, int64_t first, int64_t count) {
  auto begin = points.numbers.begin() + first * points.lanes;
  return {points.extents, points.lanes, {begin, begin + count * points.lanes}};
}

//===--- The choice -------------------------------------------------------===//

/// The innermost loop of more than one point in lanes, and each parallel one,
/// alone and with the innermost other one beside it.
static std::vector<LoopsInLanes> loopCandidates(linalg::GenericOp op,
                                                int64_t lanes) {
  SmallVector<int64_t> extents = loopExtents(op);
  SmallVector<unsigned> loops;
  for (size_t loop = 0; loop < extents.size(); ++loop)
    if (extents[loop] > 1)
      loops.push_back(static_cast<unsigned>(loop));
  if (loops.empty())
    return {LoopsInLanes(op, lanes)};
  std::vector<LoopsInLanes> candidates{LoopsInLanes(op, lanes, loops.back())};
  auto kinds = op.getIteratorTypesArray();
  llvm::erase_if(loops, [&](unsigned loop) {
    return kinds[loop] != utils::IteratorType::parallel;
  });
  for (unsigned lane : loops) {
    candidates.emplace_back(op, lanes, lane);
    if (2 * extents[lane] > lanes || loops.size() < 2)
      continue;
    const unsigned second =
        loops.back() == lane ? loops[loops.size() - 2] : loops.back();
    candidates.emplace_back(op, lanes, lane, second);
  }
  return candidates;
}

Points choosePoints(Tensors &tensors, linalg::GenericOp op) {
  SmallVector<int64_t> extents = loopExtents(op);
  std::vector<LoopsInLanes> candidates =
      loopCandidates(op, tensors.machine.lanes);
  // Gathered rows have the innermost loop in lanes.
  if (!op.getBody()->getOps<tensor::ExtractOp>().empty())
    return candidates.front().points(0, candidates.front().count());
  std::optional<Points> best;
  double bestCost = std::numeric_limits<double>::infinity();
  for (OpOperand *input : op.getDpsInputOperands()) {
    std::vector<Readers> readers = readersOf(tensors, *input, extents);
    size_t most = 0;
    for (const Readers &of : readers)
      most = std::max(most, tensors.info(of.tensor).arrangements.size());
    for (size_t which = 0; which < most; ++which) {
      std::optional<Points> points = pointsAs(tensors, readers, which, extents);
      if (!points)
        continue;
      auto slice = [&](int64_t first, int64_t count) {
        return sliceOf(*points, first, count);
      };
      if (std::optional<double> cost =
              costOfAll(tensors, op, points->count(), slice, bestCost)) {
        best = std::move(points);
        bestCost = *cost;
      }
    }
  }
  const LoopsInLanes *bestLoops = nullptr;
  for (const LoopsInLanes &candidate : candidates) {
    // A vector costs at least 1.
    if (static_cast<double>(candidate.count()) >= bestCost)
      continue;
    auto some = [&](int64_t first, int64_t count) {
      return candidate.points(first, count);
    };
    if (std::optional<double> cost =
            costOfAll(tensors, op, candidate.count(), some, bestCost)) {
      bestLoops = &candidate;
      bestCost = *cost;
    }
  }
  return bestLoops ? bestLoops->points(0, bestLoops->count())
                   : std::move(*best);
}

} // namespace tilewright::spatial
