//===- Precision.cpp - Which products have a precision --------------------===//
#include "tileir/ir/Precision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::tile {

/// Whether the elements are those of a tile of 16-bit floats, perhaps moved.
static bool wasExtended(Value tile) {
  Operation *op = tile.getDefiningOp();
  while (isa_and_nonnull<TransposeOp, ReshapeOp, BroadcastOp, SliceOp>(op))
    op = op->getOperand(0).getDefiningOp();
  Value source;
  if (auto extend = dyn_cast_or_null<arith::ExtFOp>(op))
    source = extend.getIn();
  else if (auto convert = dyn_cast_or_null<ConvertOp>(op))
    source = convert.getSource();
  if (!source)
    return false;
  Type element = getElementTypeOrSelf(source.getType());
  return element.isF16() || element.isBF16();
}

bool multipliesF32(DotOp op) {
  auto isF32 = [](Value tile) {
    return getElementTypeOrSelf(tile.getType()).isF32();
  };
  return isF32(op.getLhs()) && isF32(op.getRhs()) && isF32(op.getAcc()) &&
         !(wasExtended(op.getLhs()) && wasExtended(op.getRhs()));
}

FailureOr<DotPrecision> parseF32Precision(StringRef name, Operation *op) {
  std::optional<DotPrecision> precision = symbolizeDotPrecision(name);
  // `fast` is for 8-bit floats.
  if (!precision || *precision == DotPrecision::fast)
    return op->emitError() << "precision: expected ieee, tf32, tf32x3, bf16x3 "
                              "or bf16x6, found '"
                           << name << "'";
  return *precision;
}

} // namespace tilewright::tile
