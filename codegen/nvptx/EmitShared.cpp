//===- EmitShared.cpp - Tiles in shared memory ----------------------------===//
#include "codegen/nvptx/SharedLocation.h"

#include "codegen/layout/Access.h"
#include "codegen/layout/Families.h"
#include "codegen/numeric/ElementTypes.h"
#include "codegen/nvptx/ElementLocations.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/Threads.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::nvptx {

using tilegpu::layoutOf;

static constexpr const char *sharedSymbol = "shared";

/// The memory of all tiles of the block. Its size is set at launch.
static LLVM::GlobalOp sharedMemory(ImplicitLocOpBuilder &b, ModuleOp module) {
  if (auto symbol = module.lookupSymbol<LLVM::GlobalOp>(sharedSymbol))
    return symbol;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                                /*isConstant=*/false, LLVM::Linkage::External,
                                sharedSymbol, Attribute(),
                                /*alignment=*/1024, /*addrSpace=*/3);
}

static Value movedBytes(ImplicitLocOpBuilder &b, Value address,
                        LLVM::GEPArg bytes) {
  return LLVM::GEPOp::create(b, address.getType(), b.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value sharedBase(Emission &e, TypedValue<tilegpu::SharedType> memory) {
  ImplicitLocOpBuilder &b = e.b;
  if (tilegpu::identityOf(memory).getSlotNumber())
    return e.get(memory);
  Value first = LLVM::AddressOfOp::create(b, sharedMemory(b, e.module));
  int64_t offset = tilegpu::rootOf(memory).getOffset().value_or(0);
  return offset ? movedBytes(b, first, int32_t(offset)) : first;
}

SharedLocation sharedLocation(Emission &e,
                              TypedValue<tilegpu::SharedType> memory,
                              const layout::LinearMap &threadOffset,
                              int64_t elementBytes) {
  SharedLocation location;
  location.elementBytes = elementBytes;
  location.address = sharedBase(e, memory);
  layout::LinearMap inBytes(0, 64);
  for (layout::Bits column : threadOffset.allColumns()) {
    inBytes.append(column * layout::Bits(elementBytes));
    location.mask |= int64_t(column) * elementBytes;
  }
  location.offset = applyToThread(e, inBytes);
  return location;
}

Value sharedAddress(Emission &e, const SharedLocation &location,
                    const layout::SharedInstruction &instruction) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t bits = instruction.xorOffset * location.elementBytes;
  Value offset = location.offset;
  if (int64_t changed = bits & location.mask)
    offset = arith::XOrIOp::create(b, offset, integer(b, changed));
  Value address = movedBytes(b, location.address, offset);
  // Where the offset has no bits, an XOR is a sum.
  int64_t added =
      (bits & ~location.mask) + instruction.addOffset * location.elementBytes;
  return added ? movedBytes(b, address, int32_t(added)) : address;
}

/// Calls `visit(i, registers)` for each instruction of an access.
static void
forEachInstruction(const layout::SharedAccess &access,
                   llvm::function_ref<void(const layout::SharedInstruction &,
                                           ArrayRef<int32_t>)>
                       visit) {
  for (auto [i, instruction] : llvm::enumerate(access.instructions))
    visit(instruction, ArrayRef<int32_t>(access.registers)
                           .slice(i * access.elements, access.elements));
}

/// Of all of a tile; dense memory may have another shape.
static StatusOr<layout::SharedAccess> wholeAccess(tilegpu::SharedType memory,
                                                  RankedTensorType tile) {
  layout::Layout locations = memory.getLayout().getLayout();
  if (memory.getShape() != tile.getShape())
    if (StatusOr<layout::Layout> dense =
            layout::dense(tilegpu::toDims(tile.getShape()));
        dense.ok())
      locations = *dense;
  return layout::sharedAccess(layoutOf(tile), locations,
                              tilegpu::elementBits(tile.getElementType()));
}

/// Accesses as wide as the layouts allow; element by element for a part of the
/// memory, and where the memory's repeats end within a vector.
static LogicalResult emitStoreShared(tilegpu::StoreSharedOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  unsigned bits = tilegpu::elementBits(tile.getElementType());
  Value value = numeric::toMemory(b, b.getLoc(), e.get(op.getValue()));
  StatusOr<layout::SharedAccess> access =
      wholeAccess(op.getMemory().getType(), tile);
  if (op.hasWindow() || (!access.ok() && isDense(op.getMemory().getType())))
    return storeElements(e, {op.getMemory(), op.getOffsets(), op.getSteps()},
                         tile, value),
           success();
  if (!access.ok())
    return reject(op, access.status().message());
  emitWhen(b, ownsElements(e, layoutOf(tile)), [&] {
    SharedLocation location =
        sharedLocation(e, op.getMemory(), access->threadOffset, bits / 8);
    forEachInstruction(
        *access, [&](const layout::SharedInstruction &instruction,
                     ArrayRef<int32_t> registers) {
          LLVM::StoreOp::create(b, pick(b, value, registers),
                                sharedAddress(e, location, instruction),
                                bits / 8 * access->elements);
        });
  });
  return success();
}

static LogicalResult emitLoadShared(tilegpu::LoadSharedOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto tile = cast<RankedTensorType>(op.getType());
  unsigned bits = tilegpu::elementBits(tile.getElementType());
  StatusOr<layout::SharedAccess> access =
      wholeAccess(op.getMemory().getType(), tile);
  if (op.hasWindow() || (!access.ok() && isDense(op.getMemory().getType())))
    return e.set(op, loadElements(
                         e, {op.getMemory(), op.getOffsets(), op.getSteps()},
                         tile)),
           success();
  if (!access.ok())
    return reject(op, access.status().message());
  auto type = cast<VectorType>(typeOf(tile));
  Type stored = numeric::storedType(type.getElementType());
  std::vector<int32_t> from(size_t(type.getNumElements()), -1);
  SmallVector<Value> parts;
  SharedLocation location =
      sharedLocation(e, op.getMemory(), access->threadOffset, bits / 8);
  auto part = VectorType::get({int64_t(access->elements)}, stored);
  forEachInstruction(*access, [&](const layout::SharedInstruction &instruction,
                                  ArrayRef<int32_t> registers) {
    for (auto [i, reg] : llvm::enumerate(registers))
      if (reg >= 0)
        from[reg] = int32_t(parts.size() * registers.size() + i);
    parts.push_back(
        LLVM::LoadOp::create(b, part, sharedAddress(e, location, instruction),
                             bits / 8 * access->elements));
  });
  std::vector<int32_t> copies = layout::registerCopies(layoutOf(tile));
  for (auto [reg, source] : llvm::enumerate(copies))
    if (from[reg] < 0)
      from[reg] = from[source];
  e.set(op, numeric::fromMemory(b, b.getLoc(),
                                pick(b, concatenated(b, parts), from),
                                type.getElementType()));
  return success();
}

/// The bits of each element.
static Value inBits(ImplicitLocOpBuilder &b, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  Type element = type.getElementType();
  if (isa<IntegerType>(element))
    return vector;
  Type bits = b.getIntegerType(element.getIntOrFloatBitWidth());
  return arith::BitcastOp::create(b, type.clone(bits), vector);
}

/// At most one of a thread's registers has the wanted coordinates (copies have
/// equal values), so the element is the bitwise OR of the selected registers.
static void emitStoreElement(tilegpu::StoreElementOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  const layout::Layout &layout = layoutOf(tile);
  int64_t count = layout.items();
  Value wanted = splat(b, integer(b, 1, 1), count);
  for (auto [dim, operand] : llvm::enumerate(op.getIndices())) {
    Value at = arith::IndexCastOp::create(b, b.getI32Type(), e.get(operand));
    Value here = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                       coordinates(e, layout, unsigned(dim)),
                                       splat(b, at, count));
    wanted = b.createOrFold<arith::AndIOp>(wanted, here);
  }
  Value bits =
      inBits(b, numeric::toMemory(b, b.getLoc(), e.get(op.getValue())));
  Value selected =
      arith::SelectOp::create(b, wanted, bits, zero(b, bits.getType()));
  auto any = [&](Value vector) {
    return vector::ReductionOp::create(b, vector::CombiningKind::OR, vector);
  };
  Value has = any(wanted);
  if (Value owns = ownsElements(e, layout))
    has = arith::AndIOp::create(b, has, owns);
  Value element = any(selected);
  emitWhen(b, has, [&] {
    LLVM::StoreOp::create(b, element, sharedBase(e, op.getMemory()));
  });
}

/// Its memory is part of the block's.
static void emitAlloc(tilegpu::AllocOp, Emission &) {}

static void emitBarrier(tilegpu::BarrierOp, Emission &e) {
  NVVM::BarrierOp::create(e.b);
}

void addSharedOps(GpuOps &ops) {
  add(ops, emitAlloc);
  add(ops, emitStoreShared);
  add(ops, emitLoadShared);
  add(ops, emitStoreElement);
  add(ops, emitBarrier);
}

} // namespace tilewright::nvptx
