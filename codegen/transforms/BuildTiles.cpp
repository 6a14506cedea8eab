//===- BuildTiles.cpp - Ops that expansions are made of
//----------------------===//
#include "codegen/transforms/BuildTiles.h"

#include "codegen/layout/Families.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::gpu {

Value allocateShared(OpBuilder &builder, Location loc, RankedTensorType tile) {
  // A tile's shape is one that every dense layout takes.
  layout::Layout dense = *layout::dense(tilegpu::toDims(tile.getShape()));
  auto type = tilegpu::SharedType::get(
      builder.getContext(), tile.getShape(), tile.getElementType(),
      tilegpu::LayoutAttr::get(builder.getContext(), dense));
  return tilegpu::AllocOp::create(builder, loc, type, IntegerAttr());
}

Value storeInShared(OpBuilder &builder, Location loc, Value tile) {
  Value memory =
      allocateShared(builder, loc, cast<RankedTensorType>(tile.getType()));
  tilegpu::StoreSharedOp::create(builder, loc, tile, memory);
  return memory;
}

Value splatOf(OpBuilder &builder, Location loc, RankedTensorType tile,
              int64_t value) {
  Type element = tile.getElementType();
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  llvm::APInt number(bits, uint64_t(value), /*isSigned=*/true,
                     /*implicitTrunc=*/true);
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(tile, number));
}

Value resizedUnsigned(OpBuilder &b, Location loc, Value numbers,
                      RankedTensorType type) {
  if (type == numbers.getType())
    return numbers;
  if (type.getElementType().isIndex())
    return arith::IndexCastUIOp::create(b, loc, type, numbers);
  if (type.getElementTypeBitWidth() <
      cast<RankedTensorType>(numbers.getType()).getElementTypeBitWidth())
    return arith::TruncIOp::create(b, loc, type, numbers);
  return arith::ExtUIOp::create(b, loc, type, numbers);
}

} // namespace tilewright::gpu
