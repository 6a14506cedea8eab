//===- LowerContraction.cpp - Sums of products on an mxm ------------------===//
//
// The loops of one side only become the rows that flow through a plane, those
// of the other side the columns of weights. The product of all plain reduction
// loops is cut into the rows of weights; other reduction loops, the taps of a
// window, are terms of their own.
//
//===----------------------------------------------------------------------===//
#include "spatial/transforms/LowerOps.h"

#include "graph/analysis/Access.h"
#include "support/Format.h"

using namespace mlir;

namespace tilewright::spatial {

namespace {
class ContractionLowering {
public:
  ContractionLowering(Tensors &tensors, linalg::GenericOp op, DType precision)
      : tensors(tensors), op(op), precision(precision),
        extents(loopExtents(op)), lanes(tensors.machine.lanes) {}

  LogicalResult run();

private:
  void classify();
  Rows streamedRows(int64_t batch, int64_t tap, int64_t firstDepth) const;
  Rows weightRows(int64_t batch, int64_t tap, int64_t firstDepth,
                  int64_t firstColumn) const;
  LogicalResult lowerBatch(int64_t batch);
  LogicalResult addTerm(int64_t batch, int64_t tap, int64_t firstDepth);
  void finishBatch(int64_t batch);

  Tensors &tensors;
  linalg::GenericOp op;
  DType precision;
  SmallVector<int64_t> extents;
  int64_t lanes;
  OpOperand *streamed = nullptr, *weights = nullptr;
  std::optional<OperandAccess> streamedAccess, weightsAccess, resultAccess;
  /// Numbers of points, of which one of each list is added.
  std::vector<int64_t> batches, rows, columns, depths, taps;
  int64_t depthChunk = 0, columnChunk = 0;
  /// Of the batch at hand, by chunk of columns and row.
  std::vector<std::vector<Tensors::Vector>> sums;
  std::vector<Tensors::Vector> vectors;
  std::vector<int32_t> elements;
};
} // namespace

void sortLoopsBy(AffineMap map, SmallVectorImpl<unsigned> &loops) {
  auto position = [&](unsigned loop) {
    for (auto [dim, result] : llvm::enumerate(map.getResults()))
      if (result.isFunctionOfDim(loop))
        return dim;
    return size_t(map.getNumResults());
  };
  llvm::stable_sort(
      loops, [&](unsigned a, unsigned b) { return position(a) < position(b); });
}

ContractionLoops contractionLoops(linalg::GenericOp op, OpOperand &streamed,
                                  OpOperand &weights) {
  AffineMap streamedMap = op.getMatchingIndexingMap(&streamed);
  AffineMap weightsMap = op.getMatchingIndexingMap(&weights);
  ContractionLoops loops;
  loops.channels = graph::plainReductionLoops(op);
  if (auto taps = op->getAttrOfType<DenseI32ArrayAttr>(kTapsAttr))
    llvm::erase_if(loops.channels, [&](unsigned loop) {
      return llvm::is_contained(taps.asArrayRef(), static_cast<int32_t>(loop));
    });
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind == utils::IteratorType::reduction) {
      if (!llvm::is_contained(loops.channels, loop))
        loops.taps.push_back(loop);
    } else if (!weightsMap.isFunctionOfDim(loop)) {
      loops.rows.push_back(loop);
    } else if (!streamedMap.isFunctionOfDim(loop)) {
      loops.columns.push_back(loop);
    } else {
      loops.batches.push_back(loop);
    }
  }
  sortLoopsBy(op.getMatchingIndexingMap(op.getDpsInitOperand(0)), loops.rows);
  sortLoopsBy(streamedMap, loops.channels);
  return loops;
}

void ContractionLowering::classify() {
  OpOperand *sides[] = {op.getDpsInputOperand(0), op.getDpsInputOperand(1)};
  // Constants are loaded ahead of use.
  auto isConstant = [&](OpOperand *side) {
    return tensors.isConstant(
        tensors.resolve(tensors.numberOf(side->get()), 0));
  };
  const unsigned weightSide =
      isConstant(sides[0]) && !isConstant(sides[1]) ? 0 : 1;
  streamed = sides[1 - weightSide];
  weights = sides[weightSide];
  AffineMap resultMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  ContractionLoops loops = contractionLoops(op, *streamed, *weights);
  sortLoopsBy(resultMap, loops.columns);
  batches = pointsOf(extents, loops.batches);
  rows = pointsOf(extents, loops.rows);
  columns = pointsOf(extents, loops.columns);
  depths = pointsOf(extents, loops.channels);
  taps = pointsOf(extents, loops.taps);
  streamedAccess.emplace(*streamed);
  weightsAccess.emplace(*weights);
  resultAccess.emplace(*op.getDpsInitOperand(0));
  depthChunk = std::min<int64_t>(lanes, tensors.machine.mxm.rows);
  columnChunk = std::min<int64_t>(lanes, tensors.machine.mxm.columns);
}

Rows ContractionLowering::streamedRows(int64_t batch, int64_t tap,
                                       int64_t firstDepth) const {
  const int64_t tensor = tensors.numberOf(streamed->get());
  const auto depth = static_cast<int64_t>(depths.size());
  Rows result{lanes, {}};
  for (int64_t row : rows)
    for (int64_t lane = 0; lane < lanes; ++lane)
      result.ids.push_back(
          lane < depthChunk && firstDepth + lane < depth
              ? tensors.resolve(tensor,
                                streamedAccess->at(batch + tap + row +
                                                   depths[firstDepth + lane]))
              : noElement);
  return result;
}

Rows ContractionLowering::weightRows(int64_t batch, int64_t tap,
                                     int64_t firstDepth,
                                     int64_t firstColumn) const {
  const int64_t tensor = tensors.numberOf(weights->get());
  const auto depth = std::min<int64_t>(
      depthChunk, static_cast<int64_t>(depths.size()) - firstDepth);
  const auto width = static_cast<int64_t>(columns.size());
  Rows result{lanes, {}};
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t lane = 0; lane < lanes; ++lane)
      result.ids.push_back(
          lane < columnChunk && firstColumn + lane < width
              ? tensors.resolve(tensor,
                                weightsAccess->at(batch + tap +
                                                  depths[firstDepth + k] +
                                                  columns[firstColumn + lane]))
              : noElement);
  return result;
}

/// Products of vectors x and weights, added to `added` if that is not empty.
static Value multiply(Tensors &tensors, Location where,
                      ArrayRef<Tensors::Vector> x, const Reads &weights,
                      int64_t depth, ArrayRef<Tensors::Vector> added) {
  OpBuilder &builder = tensors.builder;
  Reads streamed = tensors.collect(where, x);
  SmallVector<Value> operands{streamed.value, weights.value};
  SmallVector<Attribute> lists{
      builder.getDenseI32ArrayAttr(streamed.indices),
      builder.getDenseI32ArrayAttr({weights.indices.front()})};
  if (!added.empty()) {
    Reads reads = tensors.collect(where, added);
    operands.push_back(reads.value);
    lists.push_back(builder.getDenseI32ArrayAttr(reads.indices));
  }
  Type factor = cast<VectorsType>(weights.value.getType()).getElement();
  return MultiplyOp::create(
      builder, where,
      tensors.vectorsType(static_cast<int64_t>(x.size()),
                          factor.isInteger() ? DType::I32 : DType::F32),
      factor, depth, operands, builder.getArrayAttr(lists));
}

void addProducts(Tensors &tensors, Location where, ArrayRef<Tensors::Vector> x,
                 const Reads &weights, int64_t depth, ArrayRef<size_t> which,
                 MutableArrayRef<Tensors::Vector> sums) {
  for (bool isBegun : {true, false}) {
    std::vector<Tensors::Vector> streamed, added;
    SmallVector<size_t> members;
    for (auto [vector, number] : llvm::zip(x, which)) {
      if (static_cast<bool>(sums[number].value) != isBegun)
        continue;
      streamed.push_back(vector);
      members.push_back(number);
      if (isBegun)
        added.push_back(sums[number]);
    }
    if (members.empty())
      continue;
    Value value = multiply(tensors, where, streamed, weights, depth, added);
    for (auto [i, number] : llvm::enumerate(members))
      sums[number] = {value, static_cast<int32_t>(i)};
  }
}

LogicalResult ContractionLowering::addTerm(int64_t batch, int64_t tap,
                                           int64_t firstDepth) {
  Rows needed = streamedRows(batch, tap, firstDepth);
  // Rows of zeros, of padding, add nothing.
  SmallVector<size_t> live;
  for (size_t row = 0; row < rows.size(); ++row)
    if (!llvm::all_of(needed.row(static_cast<int64_t>(row)), [&](ElementId id) {
          return id == noElement ||
                 (tensors.isConstant(id) && tensors.constantLane(id) == 0);
        }))
      live.push_back(row);
  if (live.empty())
    return success();
  FailureOr<Reads> x = tensors.read(op.getLoc(), needed, precision);
  if (failed(x))
    return failure();
  std::vector<Tensors::Vector> vectors;
  for (size_t row : live)
    vectors.push_back({x->value, x->indices[row]});
  const auto width = static_cast<int64_t>(columns.size());
  for (int64_t first = 0; first < width; first += columnChunk) {
    Rows matrix = weightRows(batch, tap, firstDepth, first);
    FailureOr<Reads> read =
        tensors.read(op.getLoc(), matrix, precision, matrix.count());
    if (failed(read))
      return failure();
    addProducts(tensors, op.getLoc(), vectors, *read, matrix.count(), live,
                sums[first / columnChunk]);
  }
  return success();
}

void ContractionLowering::finishBatch(int64_t batch) {
  const auto width = static_cast<int64_t>(columns.size());
  for (auto [number, chunk] : llvm::enumerate(sums))
    for (auto [row, vector] : llvm::enumerate(chunk)) {
      if (!vector.value) {
        Tensors::Operand zero;
        vector = {tensors.alu(op.getLoc(), AluOp::move, DType::F32, {zero}, 1,
                              DType::F32),
                  0};
      }
      vectors.push_back(vector);
      const int64_t first = static_cast<int64_t>(number) * columnChunk;
      for (int64_t lane = 0; lane < lanes; ++lane)
        elements.push_back(lane < columnChunk && first + lane < width
                               ? static_cast<int32_t>(resultAccess->at(
                                     batch + rows[row] + columns[first + lane]))
                               : -1);
    }
}

LogicalResult ContractionLowering::lowerBatch(int64_t batch) {
  const auto width = static_cast<int64_t>(columns.size());
  sums.assign(llvm::divideCeil(width, columnChunk),
              std::vector<Tensors::Vector>(rows.size()));
  const auto depth = static_cast<int64_t>(depths.size());
  for (int64_t tap : taps)
    for (int64_t first = 0; first < depth; first += depthChunk)
      if (failed(addTerm(batch, tap, first)))
        return failure();
  finishBatch(batch);
  return success();
}

LogicalResult ContractionLowering::run() {
  classify();
  for (int64_t batch : batches)
    if (failed(lowerBatch(batch)))
      return failure();
  setResult(tensors, op.getResult(0), std::move(vectors), std::move(elements));
  return success();
}

LogicalResult lowerContraction(Tensors &tensors, linalg::GenericOp op,
                               DType precision) {
  return ContractionLowering(tensors, op, precision).run();
}

} // namespace tilewright::spatial
