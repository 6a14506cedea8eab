//===- EmitSharedIndexed.cpp - Shared memory at computed locations --------===//
//
// Gathers and counters.
//
//===----------------------------------------------------------------------===//
#include "codegen/layout/Access.h"
#include "codegen/numeric/ElementTypes.h"
#include "codegen/numeric/Elementwise.h"
#include "codegen/nvptx/ElementLocations.h"
#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/Threads.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tilewright::nvptx {

using tilegpu::layoutOf;

/// Integers of any width as i32: those that do not fit are no index of a tile,
/// and what becomes of them does not count.
static Value asI32(ImplicitLocOpBuilder &b, Value numbers) {
  auto from = cast<VectorType>(numbers.getType());
  VectorType to = from.clone(b.getI32Type());
  Type element = from.getElementType();
  if (element.isInteger(32))
    return numbers;
  if (element.isIndex())
    return arith::IndexCastOp::create(b, to, numbers);
  if (element.getIntOrFloatBitWidth() < 32)
    return arith::ExtSIOp::create(b, to, numbers);
  return arith::TruncIOp::create(b, to, numbers);
}

/// Whatever the index, the address is within the memory.
static LogicalResult emitGatherShared(tilegpu::GatherSharedOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto tile = cast<RankedTensorType>(op.getType());
  const layout::Layout &layout = layoutOf(tile);
  SmallVector<int64_t> fibers(tile.getShape());
  fibers[op.getAxis()] = 1;
  ElementLocations locations =
      locationsIn(e, {op.getMemory(), {}, {}}, layout, fibers);
  int64_t stride = 1, count = layout.items();
  for (int64_t size :
       op.getMemory().getType().getShape().drop_front(op.getAxis() + 1))
    stride *= size;
  Value indices =
      numeric::frozen(b, b.getLoc(), asI32(b, e.get(op.getIndices())));
  Value location =
      arith::MulIOp::create(b, indices, splat(b, integer(b, stride), count));
  location = arith::AddIOp::create(b, location, locationVector(e, locations));
  location = arith::MinUIOp::create(
      b, location, splat(b, integer(b, locations.last), count));
  auto type = cast<VectorType>(typeOf(tile));
  Type stored = numeric::storedType(type.getElementType());
  SmallVector<Value> loaded;
  for (auto [reg, source] : llvm::enumerate(layout::registerCopies(layout)))
    loaded.push_back(
        size_t(source) != reg
            ? loaded[source]
            : LLVM::LoadOp::create(
                  b, stored,
                  addressAt(e, locations, element(b, location, int64_t(reg))),
                  locations.bytes));
  e.set(op, numeric::fromMemory(b, b.getLoc(), vectorOf(b, loaded),
                                type.getElementType()));
  return success();
}

/// Each element is counted by the thread that owns it.
static void emitCountShared(tilegpu::CountSharedOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto tile = cast<RankedTensorType>(op.getNumbers().getType());
  const layout::Layout &layout = layoutOf(tile);
  int64_t bins = op.getMemory().getType().getShape()[0];
  Value numbers = e.get(op.getNumbers());
  auto type = cast<VectorType>(numbers.getType());
  if (!type.getElementType().isIndex() && type.getElementTypeBitWidth() < 32)
    numbers = asI32(b, numbers);
  type = cast<VectorType>(numbers.getType());
  Value bound = arith::ConstantOp::create(
      b, DenseElementsAttr::get(
             type, Attribute(b.getIntegerAttr(type.getElementType(), bins))));
  Value counted =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, numbers, bound);
  // Not `and`: what does not count may be poison.
  for (Value only : {op.getMask() ? e.get(op.getMask()) : Value(),
                     inTile(e, layout, tile.getShape())})
    if (only)
      counted =
          arith::SelectOp::create(b, only, counted, zero(b, counted.getType()));
  numbers = asI32(b, numbers);
  ElementLocations locations =
      locationsIn(e, {op.getMemory(), {}, {}}, layout::Layout(), {});
  emitWhen(b, ownsElements(e, layout), [&] {
    for (auto [reg, source] : llvm::enumerate(layout::registerCopies(layout)))
      if (size_t(source) == reg)
        emitWhen(b, element(b, counted, int64_t(reg)), [&, reg = reg] {
          Value address =
              addressAt(e, locations, element(b, numbers, int64_t(reg)));
          LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::add, address,
                                    integer(b, 1),
                                    LLVM::AtomicOrdering::monotonic, "block");
        });
  });
}

void addSharedIndexedOps(GpuOps &ops) {
  add(ops, emitGatherShared);
  add(ops, emitCountShared);
}

} // namespace tilewright::nvptx
