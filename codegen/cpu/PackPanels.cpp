//===- PackPanels.cpp - Operands in the order in which they are read ------===//
#include "codegen/cpu/TileEmitter.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::cpu {

/// The dimension along which elements of `tile` are next to each other in
/// memory, as far as can be told.
std::optional<unsigned> TileEmitter::contiguousDim(Value tile, unsigned steps) {
  constexpr unsigned mostSteps = 16;
  auto sizes = cast<RankedTensorType>(tile.getType()).getShape();
  auto withUnitStride = [&](auto isUnit) -> std::optional<unsigned> {
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      if (sizes[dim] > 1 && isUnit(dim))
        return dim;
    return std::nullopt;
  };
  if (auto held = buffers.find(tile); held != buffers.end())
    return withUnitStride(
        [&](unsigned dim) { return held->second.strides[dim] == 1; });
  Operation *op = tile.getDefiningOp();
  if (!op || steps == mostSteps)
    return std::nullopt;
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return withUnitStride([&](unsigned dim) {
      APInt stride;
      return load.getStep(dim) == 1 &&
             matchPattern(views[load.getView()].strides[dim],
                          m_ConstantInt(&stride)) &&
             stride == 1;
    });
  std::optional<SmallVector<int>> from = dimsOfSource(op);
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      continue;
    std::optional<unsigned> source = contiguousDim(operand, steps + 1);
    for (unsigned dim = 0; source && dim < sizes.size(); ++dim)
      if (from ? (*from)[dim] == static_cast<int>(*source)
               : dim == *source && type.getShape() == sizes)
        return dim;
  }
  return std::nullopt;
}

/// Elements of the tile along one of its dims, as a panel holds them.
FailureOr<Value> TileEmitter::evalPacked(const PanelSource &source,
                                         Value across, Value depth,
                                         unsigned lane,
                                         const VectorPart &part) {
  auto type = cast<RankedTensorType>(source.tile.getType());
  Lanes at;
  at.index.resize(type.getRank(), source.batch);
  at.index[source.acrossDim] = add(source.start, across);
  at.index[source.depthDim] = depth;
  at.lane = part.width == 1 ? -1 : static_cast<int>(lane);
  static_cast<VectorPart &>(at) = part;
  FailureOr<Value> value = eval(source.tile, at);
  if (failed(value) || source.element == type.getElementType())
    return value;
  return numeric::FloatBits(b, loc).toFloat(*value, type.getElementType(),
                                            source.element);
}

/// Element (depth, across) of a panel and those behind it.
static Lanes inPanel(Value depth, Value across, const VectorPart &part) {
  return {part, {depth, across}, part.width == 1 ? -1 : 1};
}

/// Copies vectors across the depth.
LogicalResult TileEmitter::packAcross(const PanelSource &source,
                                      const Buffer &panel) {
  std::vector<VectorPart> parts =
      partsOf(source.count, lanesFor(source.element), target);
  return forEachBlock(
      source.depth, 1, [&](Value depth, int64_t) -> LogicalResult {
        int64_t c = 0;
        for (const VectorPart &part : parts) {
          FailureOr<Value> value =
              evalPacked(source, index(c), depth, source.acrossDim, part);
          if (failed(value))
            return failure();
          writeBuffer(panel, inPanel(depth, index(c), part), *value);
          c += part.elements();
        }
        return success();
      });
}

/// As many vectors as one has lanes, rows becoming columns: halves of pairs of
/// rows change places at distance 1, 2, 4, ..
TileEmitter::Values TileEmitter::transposed(Values rows) {
  int64_t size = rows.size();
  for (int64_t distance = 1; distance < size; distance *= 2) {
    // Which lanes of a pair, one after the other, become the first and the
    // second row.
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < size; ++lane) {
      bool isUpper = lane & distance;
      low.push_back(isUpper ? size + lane - distance : lane);
      high.push_back(isUpper ? size + lane : lane + distance);
    }
    for (int64_t row = 0; row < size; ++row) {
      if (row & distance)
        continue;
      Value first = rows[row], second = rows[row + distance];
      rows[row] = vector::ShuffleOp::create(b, loc, first, second, low);
      rows[row + distance] =
          vector::ShuffleOp::create(b, loc, first, second, high);
    }
  }
  return rows;
}

/// Copies a square of as many elements as a vector has lanes, of which `count`
/// across the depth, from vectors along it.
LogicalResult TileEmitter::packTransposed(const PanelSource &source,
                                          const Buffer &panel, Value depth,
                                          int64_t first, int64_t count) {
  int64_t lanes = lanesFor(source.element);
  Values rows;
  for (int64_t i = 0; i < lanes; ++i) {
    // What is not stored may be anything.
    FailureOr<Value> row = i < count
                               ? evalPacked(source, index(first + i), depth,
                                            source.depthDim, {lanes})
                               : FailureOr<Value>(rows.front());
    if (failed(row))
      return failure();
    rows.push_back(*row);
  }
  rows = transposed(rows);
  std::vector<VectorPart> parts = partsOf(count, lanes, target);
  for (auto [k, row] : llvm::enumerate(rows)) {
    int64_t c = 0;
    for (const VectorPart &part : parts) {
      Value some = row;
      if (part.width == 1)
        some = vector::ExtractOp::create(b, loc, row, c);
      else if (part.width < lanes)
        some = vector::ExtractStridedSliceOp::create(
            b, loc, row, ArrayRef<int64_t>(c), ArrayRef<int64_t>(part.width),
            ArrayRef<int64_t>(1));
      writeBuffer(panel, inPanel(add(depth, index(k)), index(first + c), part),
                  some);
      c += part.elements();
    }
  }
  return success();
}

/// Copies vectors along the depth, which change places with columns on the
/// way; what remains of the depth one by one.
LogicalResult TileEmitter::packAlong(const PanelSource &source,
                                     const Buffer &panel) {
  int64_t lanes = lanesFor(source.element);
  return forEachBlock(
      source.depth, lanes, [&](Value depth, int64_t steps) -> LogicalResult {
        if (steps == lanes) {
          for (int64_t c = 0; c < source.count; c += lanes)
            if (failed(packTransposed(source, panel, depth, c,
                                      std::min(lanes, source.count - c))))
              return failure();
          return success();
        }
        return forEachElement(
            {steps, source.count}, [&](const Lanes &at) -> LogicalResult {
              Value k = add(depth, at.index[0]);
              FailureOr<Value> value =
                  evalPacked(source, at.index[1], k, source.depthDim, {});
              if (failed(value))
                return failure();
              writeBuffer(panel, inPanel(k, at.index[1], {}), *value);
              return success();
            });
      });
}

/// One matrix of `tile` in panels of `panelSize` rows (columns, of the right
/// side), one after the other; the last may be smaller.
FailureOr<MatrixSource> TileEmitter::packPanels(Value tile, Value batch,
                                                bool isRhs, Type accumulator,
                                                int64_t panelSize) {
  auto type = cast<RankedTensorType>(tile.getType());
  unsigned last = type.getRank() - 1;
  PanelSource source;
  source.tile = tile;
  source.batch = batch;
  source.acrossDim = isRhs ? last : last - 1;
  source.depthDim = isRhs ? last - 1 : last;
  source.depth = type.getDimSize(source.depthDim);
  source.element = numeric::isSmallFloat(type.getElementType())
                       ? accumulator
                       : type.getElementType();
  int64_t across = type.getDimSize(source.acrossDim);
  Buffer panels = allocate({across, source.depth}, source.element);
  std::optional<unsigned> contiguous = contiguousDim(tile);
  bool isAlong = contiguous ? *contiguous == source.depthDim : !isRhs;
  LogicalResult packed = forEachBlock(
      across, panelSize, [&](Value start, int64_t count) -> LogicalResult {
        source.start = start;
        source.count = count;
        Buffer panel = panels;
        panel.pointer = address(panels.pointer, mul(start, index(source.depth)),
                                panels.element);
        panel.shape = {source.depth, count};
        panel.strides = {count, 1};
        return isAlong ? packAlong(source, panel) : packAcross(source, panel);
      });
  if (failed(packed))
    return failure();
  MatrixSource matrix;
  matrix.pointer = panels.pointer;
  matrix.element = panels.element;
  matrix.isPanels = true;
  return matrix;
}

} // namespace tilewright::cpu
