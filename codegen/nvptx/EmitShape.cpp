//===- EmitShape.cpp - Tiles of other shapes ------------------------------===//
#include "codegen/layout/Transforms.h"
#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/TileGpu.h"
#include <numeric>

using namespace mlir;

namespace tilewright::nvptx {

using tilegpu::layoutOf;
using tilegpu::toDims;

static void emitSplat(tile::SplatOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto type = cast<VectorType>(typeOf(op.getType()));
  e.set(op, splat(b, e.get(op.getOperand()), type.getNumElements()));
}

/// A dimension at a time: the layout of the operand is the result's,
/// collapsed along those that grow.
static LogicalResult emitBroadcast(tile::BroadcastOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto from = cast<RankedTensorType>(op.getSource().getType());
  auto to = cast<RankedTensorType>(op.getType());
  layout::Layout layout = layoutOf(to);
  std::vector<int32_t> registers(size_t(layout.items()));
  std::iota(registers.begin(), registers.end(), 0);
  for (int64_t dim = 0; dim < to.getRank(); ++dim) {
    if (from.getDimSize(dim) == to.getDimSize(dim))
      continue;
    std::vector<int32_t> step = layout::collapsedRegister(layout, dim);
    for (int32_t &reg : registers)
      reg = step[reg];
    StatusOr<layout::Transformed> collapsed = layout::collapse(layout, dim);
    if (!collapsed.ok())
      return reject(op, collapsed.status().message());
    layout = collapsed->layout;
  }
  if (layout != layoutOf(from))
    return reject(op, "the layouts of source and result do not agree");
  e.set(op, pick(b, e.get(op.getSource()), registers));
  return success();
}

static LogicalResult emitReshape(tile::ReshapeOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto from = cast<RankedTensorType>(op.getSource().getType());
  auto to = cast<RankedTensorType>(op.getType());
  StatusOr<layout::Transformed> reshaped = layout::reshape(
      layoutOf(from), toDims(from.getShape()), toDims(to.getShape()));
  if (!reshaped.ok())
    return reject(op, reshaped.status().message());
  if (reshaped->layout != layoutOf(to))
    return reject(op, "the layouts of source and result do not agree");
  e.set(op, pick(b, e.get(op.getSource()), reshaped->source));
  return success();
}

static void emitTranspose(tile::TransposeOp op, Emission &e) {
  e.set(op, e.get(op.getSource()));
}

static LogicalResult emitExtract(tile::ExtractOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto type = cast<RankedTensorType>(op.getSource().getType());
  if (layoutOf(type).shape().product() != 1)
    return reject(op, "expected an element that all threads hold: "
                      "broadcast-results runs before");
  e.set(op, element(b, e.get(op.getSource()), 0));
  return success();
}

void addShapeOps(GpuOps &ops) {
  add(ops, emitSplat);
  add(ops, emitBroadcast);
  add(ops, emitReshape);
  add(ops, emitTranspose);
  add(ops, emitExtract);
}

} // namespace tilewright::nvptx
