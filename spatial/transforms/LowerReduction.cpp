//===- LowerReduction.cpp - Reductions on a vxm ---------------------------===//
//
// The elements are computed where the inputs lie. Then vectors whose lanes are
// of the same results are combined, in pairs. A vector whose lanes are all of
// one result is summed by a matrix of ones, or by moving half of its lanes onto
// the other half.
//
//===----------------------------------------------------------------------===//
#include "spatial/transforms/LowerOps.h"

#include "graph/analysis/Access.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
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
      .Case("arith.andi", Entry(AluOp::logicalAnd, DType::I32))
      .Case("arith.ori", Entry(AluOp::logicalOr, DType::I32))
      .Case("arith.xori", Entry(AluOp::logicalXor, DType::I32))
      .Default(std::nullopt);
}

namespace {
/// Vectors that are combined to one.
struct Bundle {
  /// By lane, the result's element, or -1.
  SmallVector<int32_t> results;
  std::vector<Tensors::Vector> vectors;
};

class ReductionLowering {
public:
  ReductionLowering(Tensors &tensors, linalg::GenericOp op, DType precision)
      : tensors(tensors), op(op), precision(precision),
        lanes(tensors.machine.lanes), where(op.getLoc()) {}

  LogicalResult run();

private:
  LogicalResult computeElements();
  LogicalResult spread();
  void combineVectors(MutableArrayRef<Bundle> bundles);
  bool sumByOnes(MutableArrayRef<Bundle *> bundles, int64_t count);
  void halveLanes(MutableArrayRef<Bundle *> bundles, int64_t count);
  Reads mapLanes(const Reads &reads, ArrayRef<int32_t> map);
  Reads onAll(AluOp operation, ArrayRef<Tensors::Operand> operands,
              size_t count, DType result);
  std::vector<Bundle> bundlesByResults(ArrayRef<Bundle> bundles);
  LogicalResult addInit();

  Tensors &tensors;
  linalg::GenericOp op;
  DType precision;
  int64_t lanes;
  Location where;
  AluOp operation = AluOp::add;
  DType type = DType::F32, held = DType::F32;
  std::optional<Points> points;
  std::optional<OperandAccess> resultAccess;
  Reads elements;
  std::vector<Bundle> results;
};
} // namespace

static Reads allOf(Value value, size_t count) {
  auto range = llvm::seq<int32_t>(0, static_cast<int32_t>(count));
  return {value, {range.begin(), range.end()}};
}

Reads ReductionLowering::onAll(AluOp operation,
                               ArrayRef<Tensors::Operand> operands,
                               size_t count, DType result) {
  return allOf(tensors.alu(where, operation, type, operands,
                           static_cast<int64_t>(count), result),
               count);
}

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

LogicalResult ReductionLowering::computeElements() {
  std::optional<graph::Accumulation> accumulation =
      graph::matchAccumulation(op);
  auto combiner =
      accumulation ? combinerOf(accumulation->combiner) : std::nullopt;
  if (!combiner)
    return emitError(where)
           << "a reduction that is no sum, product, minimum, maximum or bit "
              "operation has no lowering to vectors";
  std::tie(operation, type) = *combiner;
  // Sums of narrow elements are rounded once, at the end.
  held = type;
  if (op.getResult(0).getType() &&
      cast<RankedTensorType>(op.getResult(0).getType())
          .getElementType()
          .isInteger(1))
    held = DType::Bool;
  points = choosePoints(tensors, op);
  keepOnce(*points);
  resultAccess.emplace(
      op.getMatchingIndexingMap(op.getDpsInitOperand(0)), points->extents,
      cast<RankedTensorType>(op.getResult(0).getType()).getShape());
  BodyVectors body(tensors, op, *points);
  FailureOr<Reads> reads = body.vectors(accumulation->element, held);
  if (failed(reads))
    return failure();
  elements = *reads;
  return success();
}

//===--- Vectors ----------------------------------------------------------===//

/// Combines the vectors of each bundle to one, all bundles of equal size by the
/// same ops.
void ReductionLowering::combineVectors(MutableArrayRef<Bundle> bundles) {
  for (bool isDone = false; !isDone;) {
    isDone = true;
    std::vector<Tensors::Vector> first, second;
    for (Bundle &bundle : bundles) {
      const size_t half = bundle.vectors.size() / 2;
      for (size_t i = 0; i < half; ++i) {
        first.push_back(bundle.vectors[i]);
        second.push_back(bundle.vectors[bundle.vectors.size() - half + i]);
      }
    }
    if (first.empty())
      return;
    Reads sums = onAll(
        operation,
        {{tensors.collect(where, first)}, {tensors.collect(where, second)}},
        first.size(), held);
    size_t next = 0;
    for (Bundle &bundle : bundles) {
      const size_t half = bundle.vectors.size() / 2;
      for (size_t i = 0; i < half; ++i)
        bundle.vectors[i] = {sums.value, sums.indices[next++]};
      bundle.vectors.resize(bundle.vectors.size() - half);
      isDone &= bundle.vectors.size() == 1;
    }
  }
}

/// Bundles with the vectors of all that have the same results.
std::vector<Bundle>
ReductionLowering::bundlesByResults(ArrayRef<Bundle> bundles) {
  llvm::StringMap<size_t> known;
  std::vector<Bundle> merged;
  for (const Bundle &bundle : bundles) {
    StringRef key(reinterpret_cast<const char *>(bundle.results.data()),
                  bundle.results.size() * sizeof(int32_t));
    auto [entry, isNew] = known.insert({key, merged.size()});
    if (isNew)
      merged.push_back({bundle.results, {}});
    llvm::append_range(merged[entry->second].vectors, bundle.vectors);
  }
  return merged;
}

//===--- Lanes of one vector ----------------------------------------------===//

/// How many lanes a vector has of its only result, from the first one on; 0
/// where it has several results, or others lie between.
static int64_t lanesOfOne(ArrayRef<int32_t> results) {
  int64_t count = 0;
  for (int32_t result : results) {
    if (result < 0 || result != results.front())
      break;
    ++count;
  }
  for (int32_t result : results.drop_front(count))
    if (result >= 0)
      return 0;
  return count;
}

static bool isDistinct(ArrayRef<int32_t> results) {
  SmallVector<int32_t> sorted;
  llvm::copy_if(results, std::back_inserter(sorted),
                [](int32_t result) { return result >= 0; });
  llvm::sort(sorted);
  return llvm::adjacent_find(sorted) == sorted.end();
}

Reads ReductionLowering::mapLanes(const Reads &reads, ArrayRef<int32_t> map) {
  OpBuilder &builder = tensors.builder;
  Type element = cast<VectorsType>(reads.value.getType()).getElement();
  const size_t count = reads.indices.size();
  return allOf(
      MapOp::create(
          builder, where,
          VectorsType::get(builder.getContext(), static_cast<int64_t>(count),
                           element),
          map, ValueRange{reads.value},
          builder.getArrayAttr({builder.getDenseI32ArrayAttr(reads.indices)})),
      count);
}

/// Sums by products with ones, which leaves the sum in all columns. An mxm
/// without f32 takes the upper and the lower digits of each element apart.
bool ReductionLowering::sumByOnes(MutableArrayRef<Bundle *> bundles,
                                  int64_t count) {
  const Machine &machine = tensors.machine;
  if (operation != AluOp::add || type != DType::F32 ||
      machine.positionsOf(UnitKind::mxm).empty() || count > machine.mxm.rows)
    return false;
  const bool isExact = machine.mxm.passes.contains(DType::F32);
  if (!isExact && !machine.mxm.passes.contains(precision))
    return false;
  const DType factor = isExact ? DType::F32 : precision;
  std::vector<Tensors::Vector> vectors;
  for (Bundle *bundle : bundles)
    vectors.push_back(bundle->vectors.front());
  Reads x = tensors.collect(where, vectors);
  const size_t size = vectors.size();
  OpBuilder &builder = tensors.builder;
  std::vector<uint32_t> ones(count * lanes, std::bit_cast<uint32_t>(1.0F));
  Reads weights = tensors.constants(where, ones, factor);
  auto multiply = [&](const Reads &x, const Reads *added) {
    SmallVector<Value> operands{x.value, weights.value};
    SmallVector<Attribute> lists{builder.getDenseI32ArrayAttr(x.indices),
                                 builder.getDenseI32ArrayAttr({0})};
    if (added) {
      operands.push_back(added->value);
      lists.push_back(builder.getDenseI32ArrayAttr(added->indices));
    }
    return allOf(MultiplyOp::create(builder, where,
                                    tensors.vectorsType(
                                        static_cast<int64_t>(size), DType::F32),
                                    irType(builder.getContext(), factor), count,
                                    operands, builder.getArrayAttr(lists)),
                 size);
  };
  Reads sum;
  if (isExact) {
    sum = multiply(x, nullptr);
  } else {
    Reads upper = onAll(AluOp::move, {{x}}, size, factor);
    Reads lower = onAll(AluOp::sub, {{x}, {upper}}, size, factor);
    Reads first = multiply(upper, nullptr);
    sum = multiply(lower, &first);
  }
  for (auto [i, bundle] : llvm::enumerate(bundles)) {
    const int32_t result = bundle->results.front();
    bundle->vectors.front() = {sum.value, sum.indices[i]};
    for (auto [lane, entry] : llvm::enumerate(bundle->results))
      entry = static_cast<int64_t>(lane) < machine.mxm.columns ? result : -1;
  }
  return true;
}

/// Moves the upper half of the lanes onto the lower one until one is left, and
/// that one to all lanes.
void ReductionLowering::halveLanes(MutableArrayRef<Bundle *> bundles,
                                   int64_t count) {
  std::vector<Tensors::Vector> vectors;
  for (Bundle *bundle : bundles)
    vectors.push_back(bundle->vectors.front());
  Reads reads = tensors.collect(where, vectors);
  const bool isIdempotent =
      operation == AluOp::min || operation == AluOp::max ||
      operation == AluOp::logicalAnd || operation == AluOp::logicalOr;
  for (int64_t left = count; left > 1;) {
    const int64_t half = (left + 1) / 2;
    // Lanes without a partner are their own one.
    SmallVector<int32_t> map(lanes);
    std::vector<uint32_t> hasPartner(lanes);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      hasPartner[lane] = lane + half < left;
      map[lane] = static_cast<int32_t>(hasPartner[lane] ? lane + half : lane);
    }
    Reads moved = mapLanes(reads, map);
    Reads combined = onAll(operation, {{reads}, {moved}}, vectors.size(), held);
    if (!isIdempotent && left % 2 != 0) {
      Reads mask = tensors.constants(where, hasPartner, DType::Bool);
      mask.indices.assign(vectors.size(), 0);
      combined = onAll(AluOp::select, {{mask}, {combined}, {reads}},
                       vectors.size(), held);
    }
    reads = combined;
    left = half;
  }
  Reads all = mapLanes(reads, SmallVector<int32_t>(lanes, 0));
  for (auto [i, bundle] : llvm::enumerate(bundles)) {
    const int32_t result = bundle->results.front();
    bundle->vectors.front() = {all.value, all.indices[i]};
    bundle->results.assign(lanes, result);
  }
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
  std::optional<graph::Accumulation> accumulation =
      graph::matchAccumulation(op);
  TypedAttr neutral = graph::neutralOf(*accumulation);
  const int64_t none = tensors.addUnnamed(1, this->held);
  tensors.info(none).constant = DenseElementsAttr::get(
      RankedTensorType::get({1}, neutral.getType()), neutral);
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
  combineVectors(results);
  return success();
}

//===--- The reduction ----------------------------------------------------===//

/// Combines the results with what the sum begins with, unless that is neutral.
LogicalResult ReductionLowering::addInit() {
  OpOperand *init = op.getDpsInitOperand(0);
  std::optional<graph::Accumulation> accumulation =
      graph::matchAccumulation(op);
  TypedAttr neutral = graph::neutralOf(*accumulation), splat;
  if (graph::isSplatConstant(init->get(), &splat) && splat == neutral)
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
  Reads combined =
      onAll(operation, {{*reads}, {tensors.collect(where, vectors)}},
            vectors.size(), held);
  for (auto [i, bundle] : llvm::enumerate(results))
    bundle.vectors.front() = {combined.value, combined.indices[i]};
  return success();
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
  combineVectors(results);
  const bool canHalve = tensors.machine.sxm || operation == AluOp::add;
  const bool isSpread = llvm::any_of(results, [&](const Bundle &bundle) {
    return !isDistinct(bundle.results) &&
           (lanesOfOne(bundle.results) == 0 || !canHalve);
  });
  if (isSpread && failed(spread()))
    return failure();
  // Vectors of one result, by how many lanes it has.
  llvm::MapVector<int64_t, SmallVector<Bundle *>> wholes;
  for (Bundle &bundle : results)
    if (!isDistinct(bundle.results))
      wholes[lanesOfOne(bundle.results)].push_back(&bundle);
  for (auto &[count, bundles] : wholes)
    if (!sumByOnes(bundles, count))
      halveLanes(bundles, count);
  // The last chunk of a row has fewer lanes than the others.
  results = bundlesByResults(results);
  combineVectors(results);
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
