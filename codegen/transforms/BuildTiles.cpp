//===- BuildTiles.cpp - Ops that expansions are made of -------------------===//
#include "codegen/transforms/BuildTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::tilegpu {

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

} // namespace tilewright::tilegpu
