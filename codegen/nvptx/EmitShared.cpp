//===- EmitShared.cpp - Tiles in shared memory ----------------------------===//
#include "codegen/layout/Access.h"
#include "codegen/nvptx/ThreadEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::nvptx {

using tilegpu::layoutOf;

static constexpr const char *sharedSymbol = "shared";

/// The address of an allocation's first byte, i32.
Value ThreadEmitter::sharedAddress(Value memory) {
  auto alloc = memory.getDefiningOp<tilegpu::AllocOp>();
  auto symbol = module.lookupSymbol<LLVM::GlobalOp>(sharedSymbol);
  if (!symbol) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    // Its size is given at the launch.
    symbol = LLVM::GlobalOp::create(
        b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
        /*isConstant=*/false, LLVM::Linkage::External, sharedSymbol,
        Attribute(), /*alignment=*/1024, /*addrSpace=*/3);
  }
  Value base = LLVM::AddressOfOp::create(b, loc, symbol);
  return LLVM::GEPOp::create(
      b, loc, base.getType(), b.getI8Type(), base,
      ArrayRef<LLVM::GEPArg>{int32_t(alloc.getOffset().value_or(0))});
}

/// Calls `visit(address, registers)` for each access of a thread.
static void
forEachAccess(OpBuilder &b, Location loc, const layout::SharedAccess &access,
              Value base, Value threadOffset, int64_t bytes,
              llvm::function_ref<void(Value, ArrayRef<int32_t>)> visit) {
  for (auto [i, instruction] : llvm::enumerate(access.instructions)) {
    Value offset = threadOffset;
    auto constant = [&](int64_t value) {
      return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
    };
    if (instruction.xorOffset)
      offset = arith::XOrIOp::create(b, loc, offset,
                                     constant(instruction.xorOffset));
    if (bytes > 1)
      offset = arith::MulIOp::create(b, loc, offset, constant(bytes));
    Value address = LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(),
                                        base, ArrayRef<LLVM::GEPArg>{offset});
    if (instruction.addOffset)
      address = LLVM::GEPOp::create(
          b, loc, base.getType(), b.getI8Type(), address,
          ArrayRef<LLVM::GEPArg>{int32_t(instruction.addOffset * bytes)});
    visit(address, ArrayRef<int32_t>(access.registers)
                       .slice(i * access.elements, access.elements));
  }
}

LogicalResult ThreadEmitter::emitStoreShared(tilegpu::StoreSharedOp op) {
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  unsigned bits = tilegpu::elementBits(tile.getElementType());
  layout::Result<layout::SharedAccess> access = layout::sharedAccess(
      layoutOf(tile), op.getMemory().getType().getLayout().getLayout(), bits);
  if (!access.ok())
    return refuse(op, access.reason());
  Value value = numeric::toMemory(b, loc, get(op.getValue()));
  emitWhen(ownsElements(layoutOf(tile)), [&] {
    forEachAccess(b, loc, *access, sharedAddress(op.getMemory()),
                  applyToThread(access->threadOffset), bits / 8,
                  [&](Value address, ArrayRef<int32_t> registers) {
                    LLVM::StoreOp::create(b, loc, pick(value, registers),
                                          address, bits / 8 * access->elements);
                  });
  });
  return success();
}

LogicalResult ThreadEmitter::emitLoadShared(tilegpu::LoadSharedOp op) {
  auto tile = cast<RankedTensorType>(op.getType());
  unsigned bits = tilegpu::elementBits(tile.getElementType());
  layout::Result<layout::SharedAccess> access = layout::sharedAccess(
      layoutOf(tile), op.getMemory().getType().getLayout().getLayout(), bits);
  if (!access.ok())
    return refuse(op, access.reason());
  auto type = cast<VectorType>(typeOf(tile));
  Type stored = numeric::storedType(type.getElementType());
  std::vector<int32_t> from(size_t(type.getNumElements()), -1);
  SmallVector<Value> elements;
  forEachAccess(b, loc, *access, sharedAddress(op.getMemory()),
                applyToThread(access->threadOffset), bits / 8,
                [&](Value address, ArrayRef<int32_t> registers) {
                  auto part =
                      VectorType::get({int64_t(registers.size())}, stored);
                  Value loaded = LLVM::LoadOp::create(
                      b, loc, part, address, bits / 8 * access->elements);
                  for (auto [i, reg] : llvm::enumerate(registers)) {
                    if (reg >= 0)
                      from[reg] = int32_t(elements.size());
                    elements.push_back(element(loaded, int64_t(i)));
                  }
                });
  std::vector<int32_t> copies = layout::registerCopies(layoutOf(tile));
  for (auto [reg, source] : llvm::enumerate(copies))
    if (from[reg] < 0)
      from[reg] = from[source];
  set(op, numeric::fromMemory(b, loc, pick(vectorOf(elements), from),
                              type.getElementType()));
  return success();
}

} // namespace tilewright::nvptx
