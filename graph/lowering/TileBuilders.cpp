//===- TileBuilders.cpp - Small ops on tiles ------------------------------===//
#include "graph/lowering/TileBuilders.h"

#include "graph/analysis/Access.h"
#include "graph/lowering/KernelFrame.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::graph {

Value splat(KernelFrame &frame, TypedAttr value, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, value.getType());
  return arith::ConstantOp::create(
      frame.builder, frame.loc, DenseElementsAttr::get(type, Attribute(value)));
}

Value broadcastScalar(KernelFrame &frame, Value scalar,
                      ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, scalar.getType());
  return tile::SplatOp::create(frame.builder, frame.loc, type, scalar);
}

Value reshape(KernelFrame &frame, Value tile, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape() == shape)
    return tile;
  return tile::ReshapeOp::create(
      frame.builder, frame.loc,
      RankedTensorType::get(shape, type.getElementType()), tile);
}

Value broadcast(KernelFrame &frame, Value tile, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape() == shape)
    return tile;
  return tile::BroadcastOp::create(
      frame.builder, frame.loc,
      RankedTensorType::get(shape, type.getElementType()), tile);
}

Value transpose(KernelFrame &frame, Value tile, ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (!reordersElements(permutation, type.getShape()))
    return tile;
  return tile::TransposeOp::create(frame.builder, frame.loc, tile, permutation);
}

Value indexTile(KernelFrame &frame, const Box &loops, unsigned loop) {
  int64_t count = loops.size[loop];
  Value offset = broadcastScalar(frame, loops.offset[loop].value, loops.size);
  if (count == 1)
    return offset;
  Type indexType = frame.builder.getIndexType();
  Value indices = tile::IotaOp::create(frame.builder, frame.loc,
                                       RankedTensorType::get(count, indexType));
  SmallVector<int64_t> indexShape(loops.rank(), 1);
  indexShape[loop] = count;
  indices = broadcast(frame, reshape(frame, indices, indexShape), loops.size);
  if (loops.step[loop] != 1)
    indices = arith::MulIOp::create(
        frame.builder, frame.loc, indices,
        splat(frame, frame.builder.getIndexAttr(loops.step[loop]), loops.size));
  return arith::AddIOp::create(frame.builder, frame.loc, indices, offset);
}

} // namespace tilewright::graph
