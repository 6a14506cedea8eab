//===- WindowEmitter.cpp - What windows read, once ------------------------===//
#include "graph/lowering/WindowEmitter.h"

#include "graph/analysis/Access.h"
#include "graph/lowering/MemoryEmitter.h"
#include "graph/lowering/OperandEmitter.h"
#include "graph/lowering/ReductionLoops.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::graph {

/// The tensor in memory that `value` is, or that it pads; null for others.
static Value inMemory(KernelFrame &frame, Value value) {
  if (auto pad = value.getDefiningOp<tensor::PadOp>();
      pad && frame.group.ops.contains(pad))
    value = pad.getSource();
  Operation *op = value.getDefiningOp();
  return !op || (!frame.group.ops.contains(op) && !isWrittenDown(op)) ? value
                                                                      : Value();
}

/// The number of neighbours along the last dimension that are read at a time: a
/// power of two that divides each row.
static int64_t alignmentOf(Value tensor) {
  constexpr int64_t bits = 128;
  auto type = cast<RankedTensorType>(tensor.getType());
  const int64_t size = type.getShape().back();
  const int64_t width = std::max(8U, type.getElementTypeBitWidth());
  return ShapedType::isDynamic(size) || size == 0
             ? 1
             : std::min(std::max<int64_t>(1, bits / width), size & -size);
}

/// The sum of all points of the window: from the first point's box to the
/// last's. Nothing where points have nothing in common, or skip elements.
static std::optional<Box> boxOfWindow(const Box &first, const Box &last) {
  Box all = first;
  bool overlaps = false;
  for (unsigned dim = 0; dim < all.rank(); ++dim) {
    const int64_t span = (all.size[dim] - 1) * all.step[dim];
    const std::optional<int64_t> low = first.offset[dim].min,
                                 high = last.offset[dim].min;
    if (!low || !high)
      return std::nullopt;
    const int64_t reach = *high - *low;
    if (all.size[dim] > 1 && all.step[dim] > reach + 1)
      return std::nullopt;
    overlaps |= all.size[dim] > 1 && reach > 0;
    all.size[dim] = span + reach + 1;
    all.step[dim] = 1;
  }
  return overlaps ? std::optional(all) : std::nullopt;
}

/// How many elements a padding puts before each row; nothing where that is not
/// known.
static std::optional<int64_t> paddingBefore(Value value) {
  auto pad = value.getDefiningOp<tensor::PadOp>();
  return pad ? getConstantIntValue(pad.getMixedLowPad().back())
             : std::optional<int64_t>(0);
}

/// Begins the rows of a box of `value` at a multiple of `alignment` in memory,
/// and ends them there.
static void align(KernelFrame &frame, Value value, int64_t alignment,
                  Box &box) {
  const std::optional<int64_t> padding = paddingBefore(value);
  Offset &offset = box.offset.back();
  int64_t &size = box.size.back();
  AffineExpr form = frame.formOf(offset);
  SmallVector<AffineExpr> zeros(
      frame.symbols.size(),
      getAffineConstantExpr(0, frame.builder.getContext()));
  auto constant = dyn_cast<AffineConstantExpr>(
      simplifyAffineExpr(form.replaceSymbols(zeros), 0, 0));
  if (!constant || !padding)
    return;
  const int64_t before = llvm::mod(constant.getValue() - *padding, alignment);
  offset = subtractOffset(frame, offset, constantOffset(frame, before));
  size = int64_t(llvm::alignTo(uint64_t(size + before), uint64_t(alignment)));
  // Threads share powers of two evenly.
  const auto even = int64_t(llvm::bit_ceil(uint64_t(size)));
  if (even * 7 <= size * 8)
    size = even;
}

FailureOr<SmallVector<CachedTile>>
loadWindows(KernelFrame &frame, linalg::GenericOp op, Box loops) {
  constexpr int64_t mostBytes = 32 << 10;
  SmallVector<CachedTile> windows;
  const SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  Box last = loops;
  for (unsigned loop : reductionLoops(op)) {
    loops.offset[loop] = constantOffset(frame, 0);
    last.offset[loop] = constantOffset(frame, ranges[loop] - 1);
    loops.size[loop] = last.size[loop] = 1;
  }
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value tensor = inMemory(frame, input->get());
    if (!tensor || !isStructuredRead(*input) ||
        op.getMatchingBlockArgument(input).use_empty())
      continue;
    AffineMap map = op.getMatchingIndexingMap(input);
    std::optional<Box> low = operandBox(frame, map, loops),
                       high = operandBox(frame, map, last);
    std::optional<Box> all =
        low && high ? boxOfWindow(*low, *high) : std::nullopt;
    if (!all || all->rank() == 0)
      continue;
    align(frame, input->get(), alignmentOf(tensor), *all);
    if (llvm::product_of(all->size) *
            getElementTypeOrSelf(tensor).getIntOrFloatBitWidth() >
        8 * mostBytes)
      continue;
    FailureOr<Value> tile = emitTile(frame, input->get(), *all);
    if (failed(tile))
      return failure();
    windows.push_back({input->get(), *all, *tile});
  }
  return windows;
}

Value partOfWindow(KernelFrame &frame, Value value, const Box &box) {
  for (const CachedTile &window : frame.windows) {
    if (window.value != value)
      continue;
    SmallVector<int64_t> offsets;
    for (unsigned dim = 0; dim < box.rank(); ++dim) {
      AffineExpr distance =
          frame.formOf(box.offset[dim]) - frame.formOf(window.box.offset[dim]);
      auto constant = dyn_cast<AffineConstantExpr>(
          simplifyAffineExpr(distance, 0, frame.symbols.size()));
      if (!constant || constant.getValue() < 0 ||
          constant.getValue() + (box.size[dim] - 1) * box.step[dim] >=
              window.box.size[dim])
        break;
      offsets.push_back(constant.getValue());
    }
    if (offsets.size() != box.rank())
      continue;
    auto type = cast<RankedTensorType>(window.tile.getType());
    return tile::SliceOp::create(frame.builder, frame.loc, type.clone(box.size),
                                 window.tile, offsets, box.step);
  }
  return {};
}

} // namespace tilewright::graph
