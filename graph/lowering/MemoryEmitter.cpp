//===- MemoryEmitter.cpp - Tiles of values of the graph -------------------===//
#include "graph/lowering/MemoryEmitter.h"

#include "graph/analysis/Access.h"
#include "graph/lowering/BodyEmitter.h"
#include "graph/lowering/KernelFrame.h"
#include "graph/lowering/ReductionEmitter.h"
#include "graph/lowering/TileBuilders.h"
#include "graph/lowering/WindowEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

FailureOr<Value> emitContent(KernelFrame &frame, Value written,
                             ArrayRef<int64_t> shape) {
  TypedAttr constant;
  if (isSplatConstant(written, &constant))
    return splat(frame, constant, shape);
  auto fill = written.getDefiningOp<linalg::FillOp>();
  if (!fill)
    return written.getDefiningOp()->emitError(
        "a tensor without content is read");
  if (matchPattern(fill.getInputs()[0], m_Constant(&constant)))
    return splat(frame, constant, shape);
  return fill.emitError("expected a constant fill value");
}

Value emitLoad(KernelFrame &frame, Value tensor, const Box &box,
               TypedAttr pad) {
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  auto type = RankedTensorType::get(box.size, element);
  if (!pad)
    pad = frame.paddingOf(tensor);
  if (isInside(tensor, box))
    pad = {};
  SmallVector<Value> offsets;
  for (const Offset &offset : box.offset)
    offsets.push_back(offset.value);
  bool hasSteps = llvm::any_of(box.step, [](int64_t s) { return s != 1; });
  return tile::LoadOp::create(
      frame.builder, frame.loc, type, frame.viewOf(tensor), offsets,
      hasSteps ? ArrayRef<int64_t>(box.step) : ArrayRef<int64_t>(), pad);
}

static FailureOr<Value> emitPad(KernelFrame &frame, tensor::PadOp op,
                                const Box &box) {
  TypedAttr pad;
  Value padding = op.getConstantPaddingValue();
  if (!padding || !matchPattern(padding, m_Constant(&pad)))
    return op.emitError("expected a constant padding value");
  Box inner = box;
  for (auto [d, low] : llvm::enumerate(op.getMixedLowPad())) {
    FailureOr<Offset> shift = foldedOffset(frame, low);
    if (failed(shift))
      return failure();
    inner.offset[d] = subtractOffset(frame, inner.offset[d], *shift);
  }
  Value source = op.getSource();
  Operation *producer = source.getDefiningOp();
  bool inMemory = !isSplatConstant(source) &&
                  (!producer || !frame.group.ops.contains(producer));
  if (inMemory)
    return emitLoad(frame, source, inner, pad);

  FailureOr<Value> tile = emitTile(frame, source, inner);
  FailureOr<SymbolicShape> extents = frame.shapes.shapeOf(source);
  if (failed(tile) || failed(extents))
    return failure();
  Value outside = splat(frame, pad, box.size);
  for (unsigned d = 0; d < inner.rank(); ++d) {
    auto fixed = dyn_cast<AffineConstantExpr>((*extents)[d]);
    const Offset &offset = inner.offset[d];
    if (fixed && offset.min && offset.max && *offset.min >= 0 &&
        *offset.max + (inner.size[d] - 1) * inner.step[d] < fixed.getValue())
      continue;
    FailureOr<Value> extent = frame.sizeValue((*extents)[d]);
    if (failed(extent))
      return failure();
    Value position = indexTile(frame, inner, d);
    // One unsigned comparison covers both ends.
    Value inside = arith::CmpIOp::create(
        frame.builder, frame.loc, arith::CmpIPredicate::ult, position,
        broadcastScalar(frame, *extent, box.size));
    tile = arith::SelectOp::create(frame.builder, frame.loc, inside, *tile,
                                   outside)
               .getResult();
  }
  return tile;
}

static FailureOr<Value> emitSlice(KernelFrame &frame, tensor::ExtractSliceOp op,
                                  const Box &box) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<OpFoldResult> starts = op.getMixedOffsets();
  SmallVector<OpFoldResult> strides = op.getMixedStrides();
  Box inner;
  unsigned outer = 0;
  for (unsigned d = 0; d < starts.size(); ++d) {
    FailureOr<Offset> start = foldedOffset(frame, starts[d]);
    std::optional<int64_t> stride = getConstantIntValue(strides[d]);
    if (failed(start))
      return failure();
    if (!stride || *stride < 1)
      return op.emitError("expected constant strides of at least 1");
    if (dropped.test(d)) {
      inner.append(*start, 1, 1);
      continue;
    }
    inner.append(addOffsets(frame, *start,
                            scaleOffset(frame, box.offset[outer], *stride)),
                 box.size[outer], box.step[outer] * *stride);
    ++outer;
  }
  FailureOr<Value> tile = emitTile(frame, op.getSource(), inner);
  if (failed(tile))
    return failure();
  return reshape(frame, *tile, box.size);
}

static FailureOr<Value> computeTile(KernelFrame &frame, Value value,
                                    const Box &box) {
  Operation *op = value.getDefiningOp();
  if (op && isWrittenDown(op))
    return emitContent(frame, value, box.size);
  if (!op || !frame.group.ops.contains(op))
    return emitLoad(frame, value, box, {});
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return emitPad(frame, pad, box);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return emitSlice(frame, slice, box);
  auto generic = cast<linalg::GenericOp>(op);
  if (generic.getNumReductionLoops() == 0 && generic->getNumResults() == 1)
    return emitElementwise(frame, generic, box);
  FailureOr<SmallVector<Value>> tiles = emitReduction(frame, generic, box);
  if (failed(tiles))
    return failure();
  // The others come with it.
  for (auto [result, tile] : llvm::zip(generic.getResults(), *tiles))
    frame.scopes.back().push_back({result, box, tile});
  return (*tiles)[cast<OpResult>(value).getResultNumber()];
}

FailureOr<Value> emitTile(KernelFrame &frame, Value value, const Box &box) {
  for (auto &scope : frame.scopes)
    for (CachedTile &cached : scope)
      if (cached.value == value && isSameBox(frame, cached.box, box))
        return cached.tile;
  FailureOr<Value> tile = partOfWindow(frame, value, box);
  if (!*tile)
    tile = computeTile(frame, value, box);
  if (succeeded(tile))
    frame.scopes.back().push_back({value, box, *tile});
  return tile;
}

void emitStore(KernelFrame &frame, Value tile, Value tensor, const Box &box) {
  SmallVector<Value> offsets;
  for (const Offset &offset : box.offset)
    offsets.push_back(offset.value);
  tile::StoreOp::create(frame.builder, frame.loc, tile, frame.viewOf(tensor),
                        offsets, ArrayRef<int64_t>());
}

} // namespace tilewright::graph
