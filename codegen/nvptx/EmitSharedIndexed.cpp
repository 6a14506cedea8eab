//===- EmitSharedIndexed.cpp - Shared memory at computed places -----------===//
//
// Gathers and counters.
//
//===----------------------------------------------------------------------===//
#include "codegen/layout/Access.h"
#include "codegen/nvptx/ElementPlaces.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tilewright::nvptx {

using tilegpu::layoutOf;

/// Integers of any width as i32: those that do not fit are no index of a tile,
/// and what becomes of them does not count.
static Value asI32(OpBuilder &b, Location loc, Value numbers) {
  auto from = cast<VectorType>(numbers.getType());
  VectorType to = from.clone(b.getI32Type());
  Type element = from.getElementType();
  if (element.isInteger(32))
    return numbers;
  if (element.isIndex())
    return arith::IndexCastOp::create(b, loc, to, numbers);
  if (element.getIntOrFloatBitWidth() < 32)
    return arith::ExtSIOp::create(b, loc, to, numbers);
  return arith::TruncIOp::create(b, loc, to, numbers);
}

/// Whatever the index, the address is within the memory.
LogicalResult ThreadEmitter::emitGatherShared(tilegpu::GatherSharedOp op) {
  auto tile = cast<RankedTensorType>(op.getType());
  const layout::Layout &layout = layoutOf(tile);
  SmallVector<int64_t> lines(tile.getShape());
  lines[op.getAxis()] = 1;
  ElementPlaces places = placesIn(op.getMemory(), layout, lines, {}, {});
  int64_t stride = 1, count = layout.items();
  for (int64_t size :
       op.getMemory().getType().getShape().drop_front(op.getAxis() + 1))
    stride *= size;
  Value indices = numeric::frozen(b, loc, asI32(b, loc, get(op.getIndices())));
  Value place =
      arith::MulIOp::create(b, loc, indices, splat(integer(stride), count));
  place = arith::AddIOp::create(b, loc, place, placeVector(places));
  place =
      arith::MinUIOp::create(b, loc, place, splat(integer(places.last), count));
  auto type = cast<VectorType>(typeOf(tile));
  Type stored = numeric::storedType(type.getElementType());
  SmallVector<Value> loaded;
  for (auto [reg, source] : llvm::enumerate(layout::registerCopies(layout)))
    loaded.push_back(size_t(source) != reg
                         ? loaded[source]
                         : LLVM::LoadOp::create(
                               b, loc, stored,
                               addressAt(places, element(place, int64_t(reg))),
                               places.bytes));
  set(op, numeric::fromMemory(b, loc, vectorOf(loaded), type.getElementType()));
  return success();
}

/// Each element is counted by the thread that owns it.
void ThreadEmitter::emitCountShared(tilegpu::CountSharedOp op) {
  auto tile = cast<RankedTensorType>(op.getNumbers().getType());
  const layout::Layout &layout = layoutOf(tile);
  int64_t bins = op.getMemory().getType().getShape()[0];
  Value numbers = get(op.getNumbers());
  auto type = cast<VectorType>(numbers.getType());
  if (!type.getElementType().isIndex() && type.getElementTypeBitWidth() < 32)
    numbers = asI32(b, loc, numbers);
  type = cast<VectorType>(numbers.getType());
  Value bound = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(
          type, Attribute(b.getIntegerAttr(type.getElementType(), bins))));
  Value counted =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, numbers, bound);
  // Not `and`: what does not count may be poison.
  for (Value only : {op.getMask() ? get(op.getMask()) : Value(),
                     inTile(layout, tile.getShape())})
    if (only)
      counted = arith::SelectOp::create(b, loc, only, counted,
                                        zero(counted.getType()));
  numbers = asI32(b, loc, numbers);
  ElementPlaces places = placesIn(op.getMemory(), layout::Layout(), {}, {}, {});
  emitWhen(ownsElements(layout), [&] {
    for (auto [reg, source] : llvm::enumerate(layout::registerCopies(layout)))
      if (size_t(source) == reg)
        emitWhen(element(counted, int64_t(reg)), [&, reg = reg] {
          Value address = addressAt(places, element(numbers, int64_t(reg)));
          LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::add, address,
                                    integer(1), LLVM::AtomicOrdering::monotonic,
                                    "block");
        });
  });
}

} // namespace tilewright::nvptx
