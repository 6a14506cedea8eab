//===- LinearSum.cpp - Sums of products with constants --------------------===//
#include "spatial/transforms/LinearSum.h"

#include "graph/analysis/Access.h"
#include "spatial/transforms/LowerOps.h"

using namespace mlir;

namespace tilewright::spatial {

bool LinearSum::chooseSides(const Tensors &tensors) {
  for (unsigned side : {1, 0}) {
    OpOperand *operand = op.getDpsInputOperand(side);
    const int64_t tensor = tensors.numberOf(operand->get());
    const int64_t size = tensors.info(tensor).size;
    bool isConstant = true;
    for (int64_t i = 0; i < size && isConstant; ++i) {
      const ElementId id = tensors.resolve(tensor, i);
      isConstant = id != noElement && tensors.isConstant(id);
    }
    if (!isConstant)
      continue;
    weights = operand;
    streamed = op.getDpsInputOperand(1 - side);
    return true;
  }
  return false;
}

void LinearSum::classify() {
  AffineMap resultMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto [rowLoops, columnLoops, batchLoops, channelLoops, tapLoops] =
      contractionLoops(op, *streamed, *weights);
  llvm::append_range(columnLoops, batchLoops);
  sortLoopsBy(resultMap, columnLoops);
  sortLoopsBy(op.getMatchingIndexingMap(streamed), batchLoops);
  rows = pointsOf(extents, rowLoops);
  columns = pointsOf(extents, columnLoops);
  batches = pointsOf(extents, batchLoops);
  taps = pointsOf(extents, tapLoops);
  channels = pointsOf(extents, channelLoops);
  loops.rows = static_cast<int64_t>(rows.size());
  loops.batches = static_cast<int64_t>(batches.size());
  loops.depth = static_cast<int64_t>(taps.size() * channels.size());
  for (unsigned loop : llvm::reverse(rowLoops))
    if (loops.line == 1)
      loops.line = extents[loop];
  Points all{extents, 1, {}};
  llvm::DenseMap<int64_t, int32_t> batchNumbers;
  for (auto [number, point] : llvm::enumerate(batches))
    batchNumbers[point] = static_cast<int32_t>(number);
  for (int64_t column : columns) {
    int64_t batch = 0, stride = 1;
    for (int64_t loop = static_cast<int64_t>(extents.size()) - 1; loop >= 0;
         --loop) {
      if (llvm::is_contained(batchLoops, loop))
        batch += all.index(column, static_cast<unsigned>(loop)) * stride;
      stride *= extents[loop];
    }
    loops.batchOf.push_back(batchNumbers.lookup(batch));
  }
  for (AffineExpr result : llvm::reverse(resultMap.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim || extents[dim.getPosition()] == 1)
      continue;
    hasRowsInnermost = llvm::is_contained(rowLoops, dim.getPosition());
    break;
  }
  streamedAccess.emplace(*streamed);
  weightsAccess.emplace(*weights);
  resultAccess.emplace(*op.getDpsInitOperand(0));
}

/// Of an f32.
static bool isZero(uint32_t lane) { return (lane & 0x7fffffff) == 0; }

/// False if there is none, or a constant besides zero.
bool LinearSum::readElements(const Tensors &tensors) {
  const int64_t tensor = tensors.numberOf(streamed->get());
  elements.reserve(loops.rows * loops.batches * loops.depth);
  std::vector<int64_t> steps;
  for (int64_t batch : batches)
    for (int64_t tap : taps)
      for (int64_t channel : channels)
        steps.push_back(streamedAccess->at(batch + tap + channel) -
                        streamedAccess->at(0));
  bool any = false;
  for (int64_t row : rows) {
    const int64_t start = streamedAccess->at(row);
    for (int64_t step : steps) {
      ElementId id = tensors.resolve(tensor, start + step);
      if (id != noElement && tensors.isConstant(id)) {
        if (!isZero(tensors.constantLane(id)))
          return false;
        // Padding adds nothing.
        id = noElement;
      }
      any |= id != noElement;
      elements.push_back(id);
    }
  }
  return any;
}

void LinearSum::readWeights(const Tensors &tensors) {
  const int64_t tensor = tensors.numberOf(weights->get());
  const int64_t size = tensors.info(tensor).size;
  weightNumbers.reserve(size);
  for (int64_t i = 0; i < size; ++i)
    weightNumbers.push_back(
        std::bit_cast<float>(tensors.constantLane(tensors.resolve(tensor, i))));
  for (int64_t tap : taps)
    for (int64_t channel : channels)
      weightSteps.push_back(weightsAccess->at(tap + channel));
  for (int64_t column : columns)
    columnSteps.push_back(weightsAccess->at(column) - weightsAccess->at(0));
}

std::optional<LinearSum> LinearSum::match(Tensors &tensors,
                                          linalg::GenericOp op) {
  if (!graph::isContraction(op) ||
      !isa<FloatType>(getElementTypeOrSelf(op.getResult(0).getType())))
    return std::nullopt;
  std::optional<uint32_t> init =
      tensors.splatOf(op.getDpsInitOperand(0)->get());
  if (!init || !isZero(*init))
    return std::nullopt;
  LinearSum sum(op);
  if (!sum.chooseSides(tensors))
    return std::nullopt;
  sum.readsByIndex = op->hasAttr(kTapsAttr);
  sum.classify();
  if (!sum.streamedAccess->isSum() || !sum.weightsAccess->isSum() ||
      !sum.readElements(tensors))
    return std::nullopt;
  sum.readWeights(tensors);
  return sum;
}

} // namespace tilewright::spatial
