//===- EmitShared.cpp - Tiles in shared memory ----------------------------===//
#include "codegen/layout/Access.h"
#include "codegen/layout/Families.h"
#include "codegen/nvptx/ThreadEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::nvptx {

using tilegpu::layoutOf;

static constexpr const char *sharedSymbol = "shared";

/// The memory of all tiles of the block. Its size is given at the launch.
static LLVM::GlobalOp sharedMemory(OpBuilder &b, Location loc,
                                   ModuleOp module) {
  if (auto symbol = module.lookupSymbol<LLVM::GlobalOp>(sharedSymbol))
    return symbol;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::GlobalOp::create(
      b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
      /*isConstant=*/false, LLVM::Linkage::External, sharedSymbol, Attribute(),
      /*alignment=*/1024, /*addrSpace=*/3);
}

static Value movedBytes(OpBuilder &b, Location loc, Value address,
                        LLVM::GEPArg bytes) {
  return LLVM::GEPOp::create(b, loc, address.getType(), b.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value ThreadEmitter::sharedBase(TypedValue<tilegpu::SharedType> memory) {
  auto alloc = memory.getDefiningOp<tilegpu::AllocOp>();
  Value first = LLVM::AddressOfOp::create(b, loc, sharedMemory(b, loc, module));
  int64_t offset = alloc.getOffset().value_or(0);
  return offset ? movedBytes(b, loc, first, int32_t(offset)) : first;
}

ThreadEmitter::SharedPlace
ThreadEmitter::sharedPlace(TypedValue<tilegpu::SharedType> memory,
                           const layout::LinearMap &threadOffset,
                           int64_t elementBytes) {
  SharedPlace place;
  place.elementBytes = elementBytes;
  place.address = sharedBase(memory);
  layout::LinearMap inBytes(0, 64);
  for (layout::Bits column : threadOffset.allColumns()) {
    inBytes.append(column * layout::Bits(elementBytes));
    place.mask |= int64_t(column) * elementBytes;
  }
  place.offset = applyToThread(inBytes);
  return place;
}

Value ThreadEmitter::sharedAddress(
    const SharedPlace &place, const layout::SharedInstruction &instruction) {
  int64_t bits = instruction.xorOffset * place.elementBytes;
  Value offset = place.offset;
  if (int64_t changed = bits & place.mask)
    offset = arith::XOrIOp::create(b, loc, offset, integer(changed));
  Value address = movedBytes(b, loc, place.address, offset);
  // Where the offset has no bits, an XOR is a sum.
  int64_t added =
      (bits & ~place.mask) + instruction.addOffset * place.elementBytes;
  return added ? movedBytes(b, loc, address, int32_t(added)) : address;
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
  layout::Layout places = memory.getLayout().getLayout();
  if (memory.getShape() != tile.getShape())
    if (StatusOr<layout::Layout> dense =
            layout::dense(tilegpu::toDims(tile.getShape()));
        dense.ok())
      places = *dense;
  return layout::sharedAccess(layoutOf(tile), places,
                              tilegpu::elementBits(tile.getElementType()));
}

/// Accesses as wide as the layouts allow; element by element for a part of the
/// memory, and where the memory's repeats end within a vector.
LogicalResult ThreadEmitter::emitStoreShared(tilegpu::StoreSharedOp op) {
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  unsigned bits = tilegpu::elementBits(tile.getElementType());
  Value value = numeric::toMemory(b, loc, get(op.getValue()));
  StatusOr<layout::SharedAccess> access =
      wholeAccess(op.getMemory().getType(), tile);
  if (op.hasWindow() || (!access.ok() && isDense(op.getMemory().getType())))
    return storeElements(op, value), success();
  if (!access.ok())
    return refuse(op, access.status().message());
  emitWhen(ownsElements(layoutOf(tile)), [&] {
    SharedPlace place =
        sharedPlace(op.getMemory(), access->threadOffset, bits / 8);
    forEachInstruction(
        *access, [&](const layout::SharedInstruction &instruction,
                     ArrayRef<int32_t> registers) {
          LLVM::StoreOp::create(b, loc, pick(value, registers),
                                sharedAddress(place, instruction),
                                bits / 8 * access->elements);
        });
  });
  return success();
}

LogicalResult ThreadEmitter::emitLoadShared(tilegpu::LoadSharedOp op) {
  auto tile = cast<RankedTensorType>(op.getType());
  unsigned bits = tilegpu::elementBits(tile.getElementType());
  StatusOr<layout::SharedAccess> access =
      wholeAccess(op.getMemory().getType(), tile);
  if (op.hasWindow() || (!access.ok() && isDense(op.getMemory().getType())))
    return loadElements(op), success();
  if (!access.ok())
    return refuse(op, access.status().message());
  auto type = cast<VectorType>(typeOf(tile));
  Type stored = numeric::storedType(type.getElementType());
  std::vector<int32_t> from(size_t(type.getNumElements()), -1);
  SmallVector<Value> parts;
  SharedPlace place =
      sharedPlace(op.getMemory(), access->threadOffset, bits / 8);
  auto part = VectorType::get({int64_t(access->elements)}, stored);
  forEachInstruction(*access, [&](const layout::SharedInstruction &instruction,
                                  ArrayRef<int32_t> registers) {
    for (auto [i, reg] : llvm::enumerate(registers))
      if (reg >= 0)
        from[reg] = int32_t(parts.size() * registers.size() + i);
    parts.push_back(LLVM::LoadOp::create(b, loc, part,
                                         sharedAddress(place, instruction),
                                         bits / 8 * access->elements));
  });
  std::vector<int32_t> copies = layout::registerCopies(layoutOf(tile));
  for (auto [reg, source] : llvm::enumerate(copies))
    if (from[reg] < 0)
      from[reg] = from[source];
  set(op, numeric::fromMemory(b, loc, pick(concatenated(parts), from),
                              type.getElementType()));
  return success();
}

/// The bits of each element.
static Value inBits(OpBuilder &b, Location loc, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  Type element = type.getElementType();
  if (isa<IntegerType>(element))
    return vector;
  Type bits = b.getIntegerType(element.getIntOrFloatBitWidth());
  return arith::BitcastOp::create(b, loc, type.clone(bits), vector);
}

/// Of a thread's registers at most one has the wanted coordinates (copies have
/// equal values), so that it is the bitwise sum of what they select.
void ThreadEmitter::emitStoreElement(tilegpu::StoreElementOp op) {
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  const layout::Layout &layout = layoutOf(tile);
  int64_t count = layout.items();
  Value wanted = splat(integer(1, 1), count);
  for (auto [dim, operand] : llvm::enumerate(op.getIndices())) {
    Value at = arith::IndexCastOp::create(b, loc, b.getI32Type(), get(operand));
    Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       coordinates(layout, unsigned(dim)),
                                       splat(at, count));
    wanted = b.createOrFold<arith::AndIOp>(loc, wanted, here);
  }
  Value bits = inBits(b, loc, numeric::toMemory(b, loc, get(op.getValue())));
  Value selected =
      arith::SelectOp::create(b, loc, wanted, bits, zero(bits.getType()));
  auto any = [&](Value vector) {
    return vector::ReductionOp::create(b, loc, vector::CombiningKind::OR,
                                       vector);
  };
  Value has = any(wanted);
  if (Value owns = ownsElements(layout))
    has = arith::AndIOp::create(b, loc, has, owns);
  Value element = any(selected);
  emitWhen(has, [&] {
    LLVM::StoreOp::create(b, loc, element, sharedBase(op.getMemory()));
  });
}

} // namespace tilewright::nvptx
