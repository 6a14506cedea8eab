//===- LowerReduction.cpp - Reductions on a vxm ---------------------------===//
//
// The elements are computed where the inputs lie. Then vectors whose lanes are
// of the same results are combined, and then lanes that are of one result.
// Where they lie in any other way, they are moved first.
//
//===----------------------------------------------------------------------===//
#include "spatial/transforms/BundleCombiner.h"
#include "spatial/transforms/LowerOps.h"

#include "graph/analysis/Access.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilewright::spatial {

std::optional<std::pair<AluOp, DType>> combinerOf(Operation *op) {
  using Entry = std::pair<AluOp, DType>;
  return llvm::StringSwitch<std::optional<Entry>>(op->getName().getStringRef())
      .Case("arith.addf", Entry(AluOp::add, DType::F32))
      .Case("arith.mulf", Entry(AluOp::mul, DType::F32))
      .Case("arith.maximumf", Entry(AluOp::max, DType::F32))
      .Case("arith.minimumf", Entry(AluOp::min, DType::F32))
      .Case("arith.addi", Entry(AluOp::add, DType::I32))
      .Case("arith.muli", Entry(AluOp::mul, DType::I32))
      .Case("arith.maxsi", Entry(AluOp::max, DType::I32))
      .Case("arith.minsi", Entry(AluOp::min, DType::I32))
      .Case("arith.maxui", Entry(AluOp::max, DType::I32))
      .Case("arith.minui", Entry(AluOp::min, DType::I32))
      .Case("arith.andi", Entry(AluOp::logicalAnd, DType::I32))
      .Case("arith.ori", Entry(AluOp::logicalOr, DType::I32))
      .Case("arith.xori", Entry(AluOp::logicalXor, DType::I32))
      .Default(std::nullopt);
}

namespace {
class ReductionLowering {
public:
  ReductionLowering(Tensors &tensors, linalg::GenericOp op, DType precision)
      : tensors(tensors), op(op), precision(precision),
        lanes(tensors.machine.lanes), where(op.getLoc()) {}

  LogicalResult run();

private:
  LogicalResult computeElements();
  [[nodiscard]] bool isCombined() const;
  LogicalResult spread();
  LogicalResult addInit();

  Tensors &tensors;
  linalg::GenericOp op;
  DType precision;
  int64_t lanes;
  Location where;
  std::optional<BundleCombiner> combiner;
  DType held = DType::F32;
  TypedAttr neutral;
  std::optional<Points> points;
  std::optional<OperandAccess> resultAccess;
  Reads elements;
  std::vector<Bundle> results;
};
} // namespace

/// Leaves each point in one place: it is added once.
static void keepOnce(Points &points) {
  int64_t size = 1;
  for (int64_t extent : points.extents)
    size *= extent;
  std::vector<bool> isThere(size);
  for (int64_t &point : points.numbers) {
    if (point < 0)
      continue;
    if (isThere[point])
      point = -1;
    else
      isThere[point] = true;
  }
}

/// The neutral element as machines hold it.
static TypedAttr heldNeutral(TypedAttr neutral, bool isUnsigned) {
  auto integer = dyn_cast<IntegerAttr>(neutral);
  if (!integer)
    return neutral;
  const int64_t value =
      isUnsigned || integer.getType().isInteger(1)
          ? static_cast<int64_t>(integer.getValue().getZExtValue())
          : heldInteger(integer.getInt()).value_or(0);
  return IntegerAttr::get(IntegerType::get(neutral.getContext(), 32), value);
}

/// Elements of one reduction, which are listed.
static constexpr int64_t mostElements = 1 << 26;

LogicalResult ReductionLowering::computeElements() {
  int64_t size = 1;
  for (int64_t extent : loopExtents(op))
    size *= extent;
  if (size > mostElements)
    return emitError(where) << "a reduction of " << size
                            << " elements that is no product with constants "
                               "has no lowering to vectors; the most are "
                            << mostElements;
  std::optional<graph::Accumulation> accumulation =
      graph::matchAccumulation(op);
  auto operation =
      accumulation ? combinerOf(accumulation->combiner) : std::nullopt;
  if (!operation)
    return emitError(where)
           << "a reduction that is no sum, product, minimum, maximum or bit "
              "operation has no lowering to vectors";
  // Sums of narrow elements are rounded once, at the end.
  held = operation->second;
  Type element = getElementTypeOrSelf(op.getResult(0).getType());
  const bool isUnsigned =
      isa<arith::MaxUIOp, arith::MinUIOp>(accumulation->combiner);
  if (element.isInteger(1))
    held = DType::Bool;
  else if (isUnsigned && element.isInteger(8))
    held = DType::U8;
  else if (isUnsigned)
    return emitError(where) << accumulation->combiner->getName() << " of "
                            << element << " has no lowering to vectors";
  neutral = heldNeutral(graph::neutralOf(*accumulation), isUnsigned);
  combiner.emplace(tensors, where,
                   BundleCombiner::Operation{operation->first,
                                             operation->second, held, neutral},
                   precision);
  points = choosePoints(tensors, op);
  keepOnce(*points);
  resultAccess.emplace(*op.getDpsInitOperand(0));
  BodyVectors body(tensors, op, *points);
  FailureOr<Reads> reads = body.vectors(accumulation->element, held);
  if (failed(reads))
    return failure();
  elements = *reads;
  return success();
}

//===--- Any other arrangement --------------------------------------------===//

/// Brings what is left of each result to one lane of several vectors: the
/// results lie in the lanes of chunks, and a vector has one part of each.
LogicalResult ReductionLowering::spread() {
  const auto vectors = static_cast<int64_t>(results.size());
  const int64_t unnamed = tensors.addUnnamed(vectors * lanes, held);
  const int64_t resultSize =
      cast<RankedTensorType>(op.getResult(0).getType()).getNumElements();
  std::vector<std::vector<ElementId>> parts(resultSize);
  std::vector<Tensors::Vector> held;
  std::vector<int32_t> layout;
  for (const Bundle &bundle : results) {
    held.push_back(bundle.vectors.front());
    for (int32_t result : bundle.results) {
      const auto slot = static_cast<int32_t>(layout.size());
      layout.push_back(result < 0 ? -1 : slot);
      if (result >= 0)
        parts[result].push_back(elementId(unnamed, slot));
    }
  }
  tensors.arrange(unnamed, tensors.inOrder(where, tensors.collect(where, held)),
                  std::move(layout));
  // A result with fewer parts than others has neutral ones.
  size_t depth = 0;
  for (const std::vector<ElementId> &list : parts)
    depth = std::max(depth, list.size());
  const int64_t none = tensors.addUnnamed(1, this->held);
  tensors.info(none).setConstant(DenseElementsAttr::get(
      RankedTensorType::get({1}, neutral.getType()), neutral));
  Rows rows{lanes, {}};
  results.clear();
  for (int64_t first = 0; first < resultSize; first += lanes) {
    Bundle bundle;
    for (int64_t lane = 0; lane < lanes; ++lane)
      bundle.results.push_back(
          first + lane < resultSize ? static_cast<int32_t>(first + lane) : -1);
    for (size_t i = 0; i < depth; ++i)
      for (int32_t result : bundle.results)
        rows.ids.push_back(result < 0                 ? noElement
                           : i < parts[result].size() ? parts[result][i]
                                                      : elementId(none, 0));
    results.push_back(std::move(bundle));
  }
  FailureOr<Reads> reads = tensors.read(where, rows, this->held);
  if (failed(reads))
    return failure();
  size_t next = 0;
  for (Bundle &bundle : results)
    for (size_t i = 0; i < depth; ++i)
      bundle.vectors.push_back({reads->value, reads->indices[next++]});
  combiner->combineVectors(results);
  return success();
}

//===--- The reduction ----------------------------------------------------===//

/// The neutral element as a lane; -0 and +0 are both neutral for sums.
static uint32_t laneOf(TypedAttr neutral) {
  if (auto integer = dyn_cast<IntegerAttr>(neutral))
    return static_cast<uint32_t>(integer.getInt());
  const auto number =
      static_cast<float>(cast<FloatAttr>(neutral).getValueAsDouble());
  return std::bit_cast<uint32_t>(number == 0 ? 0.0F : number);
}

/// Combines the results with what the sum begins with, unless that is neutral.
LogicalResult ReductionLowering::addInit() {
  OpOperand *init = op.getDpsInitOperand(0);
  if (std::optional<uint32_t> splat = tensors.splatOf(init->get());
      splat && *splat == laneOf(neutral))
    return success();
  const int64_t tensor = tensors.numberOf(init->get());
  Rows rows{lanes, {}};
  std::vector<Tensors::Vector> vectors;
  for (const Bundle &bundle : results) {
    vectors.push_back(bundle.vectors.front());
    for (int32_t result : bundle.results)
      rows.ids.push_back(result < 0 ? noElement
                                    : tensors.resolve(tensor, result));
  }
  FailureOr<Reads> reads = tensors.read(where, rows, held);
  if (failed(reads))
    return failure();
  Reads combined = combiner->combine(*reads, tensors.collect(where, vectors));
  for (auto [i, bundle] : llvm::enumerate(results))
    bundle.vectors.front() = {combined.value, combined.indices[i]};
  return success();
}

/// Whether each result is in one lane of one vector.
bool ReductionLowering::isCombined() const {
  llvm::DenseSet<int32_t> seen;
  for (const Bundle &bundle : results)
    for (int32_t result : bundle.results)
      if (result >= 0 && !seen.insert(result).second)
        return false;
  return true;
}

LogicalResult ReductionLowering::run() {
  if (failed(computeElements()))
    return failure();
  std::vector<Bundle> single;
  for (int64_t row = 0; row < points->count(); ++row) {
    Bundle bundle;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const int64_t point = points->numbers[row * lanes + lane];
      bundle.results.push_back(
          point < 0 ? -1 : static_cast<int32_t>(resultAccess->at(point)));
    }
    bundle.vectors.push_back({elements.value, elements.indices[row]});
    single.push_back(std::move(bundle));
  }
  results = bundlesByResults(single);
  combiner->combineVectors(results);
  if (!isCombined()) {
    if (combiner->canCombineLanes(results))
      combiner->combineLanes(results);
    else if (failed(spread()))
      return failure();
  }
  if (failed(addInit()))
    return failure();
  std::vector<Tensors::Vector> vectors;
  std::vector<int32_t> layout;
  for (const Bundle &bundle : results) {
    vectors.push_back(bundle.vectors.front());
    llvm::append_range(layout, bundle.results);
  }
  setResult(tensors, op.getResult(0), std::move(vectors), std::move(layout));
  return success();
}

LogicalResult lowerReduction(Tensors &tensors, linalg::GenericOp op,
                             DType precision) {
  return ReductionLowering(tensors, op, precision).run();
}

} // namespace tilewright::spatial
