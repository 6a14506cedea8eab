//===- EmitCopies.cpp - Rings in shared memory, filled by cp.async --------===//
#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/SharedLocation.h"
#include "codegen/nvptx/TileAccess.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/Rings.h"
#include "codegen/transforms/CopyAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;

namespace tilewright::nvptx {

/// The address of the slot's first byte.
static void emitSlot(tilegpu::SlotOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  Value first = sharedBase(e, op.getRing());
  Value offset =
      arith::MulIOp::create(b, e.get(op.getNumber()),
                            integer(b, op.getRing().getType().getSlotStride()));
  e.set(op, LLVM::GEPOp::create(b, first.getType(), b.getI8Type(), first,
                                ArrayRef<LLVM::GEPArg>{offset}));
}

/// A remainder without a division: the sum is less than twice the slots.
static void emitAdvance(tilegpu::AdvanceOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  const auto slots = int64_t(op.getSlots());
  Value sum = arith::AddIOp::create(b, e.get(op.getNumber()),
                                    integer(b, int64_t(op.getBy())));
  if (llvm::isPowerOf2_64(uint64_t(slots)))
    return e.set(op, arith::AndIOp::create(b, sum, integer(b, slots - 1)));
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, sum,
                                      integer(b, slots));
  Value wrapped = arith::SubIOp::create(b, sum, integer(b, slots));
  e.set(op, arith::SelectOp::create(b, wraps, wrapped, sum));
}

/// Tokens are i1 of no meaning.
static void setToken(Emission &e, Value token) {
  e.set(token, integer(e.b, 0, 1));
}

/// An i64 of which LLVM knows nothing. It would count a loop's iterations in an
/// offset that addresses of all copies share, and add the distance to each:
/// cp.async in machine code has no offset as wide as a row.
static Value hidden(ImplicitLocOpBuilder &b, Value address) {
  return LLVM::InlineAsmOp::create(
             b, b.getI64Type(), address, "mov.b64 $0, $1;", "=l,l",
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
      .getRes();
}

static LogicalResult emitCopy(tilegpu::CopyOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  tile::ViewAccessOpInterface read = op.getRead();
  if (!e.target.hasAsyncCopies())
    return reject(op, Twine(StringRef(e.target.name)) + " has no cp.async");
  StatusOr<tilegpu::CopyAccess> copy =
      tilegpu::copyAccess(read, op.getTile(), op.getMemory().getType());
  if (!copy.ok())
    return reject(op, copy.status().message());
  // 16 bytes bypass the first level of the cache: no one else reads them.
  const auto modifier = copy->bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                                          : NVVM::LoadCacheModifierKind::CA;
  emitWhen(b, op.getLive() ? e.get(op.getLive()) : Value(), [&] {
    TileAccess access = accessOf(e, read);
    access.groups = access.edgeGroups = copy->groups;
    access.address = hidden(b, access.address);
    const SharedLocation location =
        sharedLocation(e, op.getMemory(), copy->threadOffset, access.bytes);
    std::map<int32_t, layout::SharedInstruction> instructions;
    for (auto [i, instruction] : llvm::enumerate(copy->instructions))
      instructions[copy->groups.registers[i * copy->groups.elements]] =
          instruction;
    readGroups(e, access, read.mayReachOutside(),
               [&](Value address, Value inside, ArrayRef<int32_t> registers) {
                 Value bytes;
                 if (inside)
                   bytes = arith::SelectOp::create(
                       b, inside, integer(b, copy->bytes), integer(b, 0));
                 Value target = sharedAddress(
                     e, location, instructions.at(registers.front()));
                 NVVM::CpAsyncOp::create(b, target, globalPointer(b, address),
                                         copy->bytes, modifier, bytes);
               });
  });
  setToken(e, op.getToken());
  return success();
}

static void emitCommit(tilegpu::CommitOp op, Emission &e) {
  NVVM::CpAsyncCommitGroupOp::create(e.b);
  setToken(e, op.getGroup());
}

static LogicalResult emitWait(tilegpu::WaitOp op, Emission &e) {
  FailureOr<int64_t> later = tilegpu::laterGroups(op);
  if (failed(later))
    return failure();
  // A wait for a later group has waited for this one.
  auto before = dyn_cast_or_null<tilegpu::WaitOp>(op->getPrevNode());
  if (!before || *tilegpu::laterGroups(before) > *later)
    NVVM::CpAsyncWaitGroupOp::create(e.b, uint32_t(*later));
  return success();
}

/// The same threads fill and read each slot.
static void emitAcquire(tilegpu::AcquireOp, Emission &) {}
static void emitRelease(tilegpu::ReleaseOp, Emission &) {}

void addCopyOps(GpuOps &ops) {
  add(ops, emitSlot);
  add(ops, emitAdvance);
  add(ops, emitCopy);
  add(ops, emitCommit);
  add(ops, emitWait);
  add(ops, emitAcquire);
  add(ops, emitRelease);
}

} // namespace tilewright::nvptx
