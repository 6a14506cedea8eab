//===- Precision.cpp - Which products have a precision --------------------===//
#include "tileir/ir/Precision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::tile {

/// Whether the elements are zeros and those of tiles of 16-bit floats, perhaps
/// moved or selected: an op of this dialect with one tile and no region
/// computes no other numbers.
static bool wasExtended(Value tile, unsigned depth = 0) {
  constexpr unsigned deepest = 8;
  const Type element = getElementTypeOrSelf(tile.getType());
  if (element.isF16() || element.isBF16())
    return true;
  Operation *op = tile.getDefiningOp();
  if (!op || !element.isF32() || depth == deepest)
    return false;
  if (matchPattern(tile, m_AnyZeroFloat()))
    return true;
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return wasExtended(select.getTrueValue(), depth + 1) &&
           wasExtended(select.getFalseValue(), depth + 1);
  auto tiles = llvm::make_filter_range(op->getOperands(), [](Value operand) {
    return isa<RankedTensorType>(operand.getType());
  });
  const bool keeps =
      isa<arith::ExtFOp>(op) ||
      (isa<TileDialect>(op->getDialect()) && op->getNumRegions() == 0);
  return keeps && llvm::hasSingleElement(tiles) &&
         wasExtended(*tiles.begin(), depth + 1);
}

bool multipliesF32(ContractionOpInterface op) {
  auto isF32 = [](Value tile) {
    return getElementTypeOrSelf(tile.getType()).isF32();
  };
  return isF32(op.getLhs()) && isF32(op.getRhs()) && isF32(op.getAcc()) &&
         !(wasExtended(op.getLhs()) && wasExtended(op.getRhs()));
}

static constexpr StringLiteral recorded = "tile.precision";

DotPrecision leastF32Precision(ModuleOp module) {
  if (auto name = module->getAttrOfType<StringAttr>(recorded))
    if (std::optional<DotPrecision> precision = symbolizeDotPrecision(name))
      return *precision;
  llvm::SmallDenseSet<DotPrecision> found;
  module->walk([&](ContractionOpInterface op) {
    if (auto each = op->getAttrOfType<DotPrecisionAttr>("precision"))
      found.insert(each.getValue());
  });
  for (DotPrecision each : {DotPrecision::tf32, DotPrecision::bf16x3,
                            DotPrecision::tf32x3, DotPrecision::bf16x6})
    if (found.contains(each))
      return each;
  return DotPrecision::ieee;
}

void recordF32Precision(ModuleOp module) {
  const DotPrecision least = leastF32Precision(module);
  if (least != DotPrecision::ieee)
    module->setAttr(recorded, StringAttr::get(module.getContext(),
                                              stringifyDotPrecision(least)));
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
