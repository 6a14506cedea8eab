//===- PackPanels.cpp - Operands in panels --------------------------------===//
#include "codegen/cpu/PackPanels.h"

#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/Buffers.h"
#include "codegen/cpu/Elements.h"
#include "codegen/cpu/LaneAccess.h"
#include "codegen/cpu/Loops.h"
#include "codegen/cpu/Memory.h"
#include "codegen/cpu/SourceDims.h"
#include "codegen/numeric/FloatBits.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

namespace {
/// What a panel is made of: `count` rows of the left side, or columns of the
/// right, from `start` on.
struct PanelSource {
  Value tile, batch;
  unsigned acrossDim = 0, depthDim = 0;
  Value start;
  int64_t count = 0, depth = 0;
  Type element; // in the panel
};
} // namespace

/// The dimension along which elements of `tile` are contiguous in memory, if
/// known.
static std::optional<unsigned> contiguousDim(Value tile, Emission &e,
                                             unsigned steps = 0) {
  constexpr unsigned mostSteps = 16;
  auto sizes = cast<RankedTensorType>(tile.getType()).getShape();
  auto withUnitStride = [&](auto isUnit) -> std::optional<unsigned> {
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      if (sizes[dim] > 1 && isUnit(dim))
        return dim;
    return std::nullopt;
  };
  if (const Buffer *held = e.buffers.find(tile))
    return withUnitStride(
        [&](unsigned dim) { return held->strides[dim] == 1; });
  Operation *op = tile.getDefiningOp();
  if (!op || steps == mostSteps)
    return std::nullopt;
  if (std::optional<unsigned> dim = withUnitStride(
          [&](unsigned dim) { return isContiguousLoad(tile, dim, e); }))
    return dim;
  std::optional<SmallVector<int>> from = dimsOfSource(op);
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      continue;
    std::optional<unsigned> source = contiguousDim(operand, e, steps + 1);
    for (unsigned dim = 0; source && dim < sizes.size(); ++dim)
      if (from ? (*from)[dim] == static_cast<int>(*source)
               : dim == *source && type.getShape() == sizes)
        return dim;
  }
  return std::nullopt;
}

/// Elements of the tile along one of its dims, in panel order.
static FailureOr<Value> evalPacked(const PanelSource &source, Value across,
                                   Value depth, unsigned lane,
                                   const VectorPart &part, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto type = cast<RankedTensorType>(source.tile.getType());
  Lanes at;
  at.index.resize(type.getRank(), source.batch);
  at.index[source.acrossDim] = add(b, source.start, across);
  at.index[source.depthDim] = depth;
  at.lane = part.width == 1 ? -1 : static_cast<int>(lane);
  static_cast<VectorPart &>(at) = part;
  FailureOr<Value> value = eval(source.tile, at, e);
  if (failed(value) || source.element == type.getElementType())
    return value;
  return numeric::FloatBits(b, b.getLoc())
      .toFloat(*value, type.getElementType(), source.element);
}

/// Element (depth, across) of a panel and those behind it.
static Lanes inPanel(Value depth, Value across, const VectorPart &part) {
  return {part, {depth, across}, part.width == 1 ? -1 : 1};
}

/// Copies vectors across the depth.
static LogicalResult packAcross(const PanelSource &source, const Buffer &panel,
                                Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  std::vector<VectorPart> parts =
      partsOf(source.count, lanesFor(source.element, e.target), e.target);
  return forEachBlock(
      source.depth, 1, e, [&](Value depth, int64_t) -> LogicalResult {
        int64_t c = 0;
        for (const VectorPart &part : parts) {
          FailureOr<Value> value =
              evalPacked(source, index(b, c), depth, source.acrossDim, part, e);
          if (failed(value))
            return failure();
          writeBuffer(b, panel, inPanel(depth, index(b, c), part), *value);
          c += part.elements();
        }
        return success();
      });
}

/// Transposes a square of vectors: halves of pairs of rows are exchanged at
/// distance 1, 2, 4, ..
static Values transposed(ImplicitLocOpBuilder &b, Values rows) {
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
      rows[row] = vector::ShuffleOp::create(b, first, second, low);
      rows[row + distance] = vector::ShuffleOp::create(b, first, second, high);
    }
  }
  return rows;
}

/// Copies a square block whose side is a vector's lanes, of which `count`
/// across the depth, from vectors along it.
static LogicalResult packTransposed(const PanelSource &source,
                                    const Buffer &panel, Value depth,
                                    int64_t first, int64_t count, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t lanes = lanesFor(source.element, e.target);
  Values rows;
  for (int64_t i = 0; i < lanes; ++i) {
    // What is not stored may be anything.
    FailureOr<Value> row = i < count
                               ? evalPacked(source, index(b, first + i), depth,
                                            source.depthDim, {lanes}, e)
                               : FailureOr<Value>(rows.front());
    if (failed(row))
      return failure();
    rows.push_back(*row);
  }
  rows = transposed(b, rows);
  std::vector<VectorPart> parts = partsOf(count, lanes, e.target);
  for (auto [k, row] : llvm::enumerate(rows)) {
    int64_t c = 0;
    for (const VectorPart &part : parts) {
      Value some = row;
      if (part.width == 1)
        some = vector::ExtractOp::create(b, row, c);
      else if (part.width < lanes)
        some = vector::ExtractStridedSliceOp::create(
            b, row, ArrayRef<int64_t>(c), ArrayRef<int64_t>(part.width),
            ArrayRef<int64_t>(1));
      writeBuffer(
          b, panel,
          inPanel(add(b, depth, index(b, k)), index(b, first + c), part), some);
      c += part.elements();
    }
  }
  return success();
}

/// Copies vectors along the depth, transposing them on the way; the rest of the
/// depth one by one.
static LogicalResult packAlong(const PanelSource &source, const Buffer &panel,
                               Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t lanes = lanesFor(source.element, e.target);
  return forEachBlock(
      source.depth, lanes, e, [&](Value depth, int64_t steps) -> LogicalResult {
        if (steps == lanes) {
          for (int64_t c = 0; c < source.count; c += lanes)
            if (failed(packTransposed(source, panel, depth, c,
                                      std::min(lanes, source.count - c), e)))
              return failure();
          return success();
        }
        return forEachElement(
            {steps, source.count}, e, [&](const Lanes &at) -> LogicalResult {
              Value k = add(b, depth, at.index[0]);
              FailureOr<Value> value =
                  evalPacked(source, at.index[1], k, source.depthDim, {}, e);
              if (failed(value))
                return failure();
              writeBuffer(b, panel, inPanel(k, at.index[1], {}), *value);
              return success();
            });
      });
}

FailureOr<MatrixSource> packPanels(Value tile, Value batch, bool isRhs,
                                   Type accumulator, int64_t panelSize,
                                   int64_t unit, Value end, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
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
  Buffer panels = allocate({across, source.depth}, source.element, e);
  std::optional<unsigned> contiguous = contiguousDim(tile, e);
  bool isAlong = contiguous ? *contiguous == source.depthDim : !isRhs;
  auto packPart = [&](Value start, int64_t count, Value first, int64_t part) {
    source.start = first;
    source.count = part;
    Buffer panel = panels;
    Value inPanels =
        add(b, mul(b, start, index(b, source.depth)), sub(b, first, start));
    panel.pointer = address(b, panels.pointer, inPanels, panels.element);
    panel.shape = {source.depth, part};
    panel.strides = {count, 1};
    return isAlong ? packAlong(source, panel, e) : packAcross(source, panel, e);
  };
  LogicalResult packed =
      forEachBlock(across, panelSize, e, [&](Value start, int64_t count) {
        return forObserved(start, count, unitsOf(count, unit), end, e,
                           [&](Value first, int64_t part) {
                             return packPart(start, count, first, part);
                           });
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
