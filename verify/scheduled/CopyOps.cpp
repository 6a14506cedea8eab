//===- CopyOps.cpp - Rings and asynchronous copies, executed --------------===//
#include "verify/scheduled/CopyOps.h"

#include "verify/scheduled/SharedState.h"

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify {

//===--- Rings ------------------------------------------------------------===//

/// The number of a slot, from 0 to less than `slots`.
static FailureOr<int64_t> slotNumber(Operation *op, mlir::Value number,
                                     int64_t slots, ProgramInstance &program) {
  FailureOr<int64_t> slot = program.scalar(op, number);
  if (succeeded(slot) && (*slot < 0 || *slot >= slots))
    return errorAt(op) << "there is no slot " << *slot << " in a ring of "
                       << slots;
  return slot;
}

static LogicalResult evalSlot(tilegpu::SlotOp op, ProgramInstance &program) {
  return slotNumber(op, op.getNumber(), op.getRing().getType().getSlots(),
                    program);
}

static LogicalResult evalAdvance(tilegpu::AdvanceOp op,
                                 ProgramInstance &program) {
  int64_t slots = op.getSlots();
  FailureOr<int64_t> slot = slotNumber(op, op.getNumber(), slots, program);
  if (failed(slot))
    return failure();
  int64_t next = (*slot + int64_t(op.getBy())) % slots;
  return program.set(op, TileValue::scalar(Element::ofInt(op.getType(), next)));
}

static LogicalResult evalAcquire(tilegpu::AcquireOp op,
                                 ProgramInstance &program) {
  SharedState &shared = SharedState::of(program);
  shared.begin();
  return shared.acquire(op, SharedTile::of(op.getMemory(), program));
}

static LogicalResult evalRelease(tilegpu::ReleaseOp op,
                                 ProgramInstance &program) {
  SharedState &shared = SharedState::of(program);
  shared.begin();
  return shared.release(op, SharedTile::of(op.getMemory(), program));
}

//===--- Copies -----------------------------------------------------------===//

/// A token is the number of its copy or group.
static LogicalResult setToken(mlir::Value token, FailureOr<int64_t> number,
                              ProgramInstance &program) {
  if (failed(number))
    return failure();
  Type type = IntegerType::get(token.getContext(), 64);
  return program.set(
      token, TileValue{token.getType(), {Element::ofInt(type, *number)}});
}

static int64_t numberOf(mlir::Value token, ProgramInstance &program) {
  return program.tile(token).elements[0].toInt();
}

/// What a copy reads.
static FailureOr<TileValue> readSource(tilegpu::CopyOp op,
                                       ProgramInstance &program) {
  FailureOr<SmallVector<reference::Value>> read =
      program.run(op.getSource().front());
  if (failed(read))
    return failure();
  return std::get<TileValue>(std::move(read->front()));
}

/// The same, as the operands of the read were when the copy started.
static FailureOr<TileValue> readLate(const AsyncCopy &copy,
                                     ProgramInstance &program) {
  std::vector<std::pair<mlir::Value, reference::Value>> now;
  for (const auto &[operand, then] : copy.operands) {
    now.emplace_back(operand, program.get(operand));
    (void)program.set(operand, then);
  }
  FailureOr<TileValue> read = readSource(copy.op, program);
  for (auto &[operand, value] : now)
    (void)program.set(operand, std::move(value));
  return read;
}

static LogicalResult evalCopy(tilegpu::CopyOp op, bool landsLate,
                              ProgramInstance &program) {
  AsyncCopy copy{op, SharedTile::of(op.getMemory(), program)};
  if (op.getLive()) {
    FailureOr<int64_t> live = program.scalar(op, op.getLive());
    if (failed(live))
      return failure();
    copy.isLive = *live != 0;
  }
  if (copy.isLive && landsLate) {
    for (mlir::Value operand : op.getRead()->getOperands())
      copy.operands.emplace_back(operand, program.get(operand));
  } else if (copy.isLive) {
    FailureOr<TileValue> value = readSource(op, program);
    if (failed(value))
      return failure();
    copy.value = std::move(*value);
  }
  SharedState &shared = SharedState::of(program);
  shared.begin();
  return setToken(op.getToken(), shared.start(std::move(copy)), program);
}

static LogicalResult evalCommit(tilegpu::CommitOp op,
                                ProgramInstance &program) {
  SmallVector<int64_t> copies;
  for (mlir::Value copy : op.getCopies())
    copies.push_back(numberOf(copy, program));
  return setToken(op.getGroup(), SharedState::of(program).commit(op, copies),
                  program);
}

static LogicalResult evalWait(tilegpu::WaitOp op, ProgramInstance &program) {
  SmallVector<SharedTile> memories;
  for (mlir::Value memory : op.getMemories())
    memories.push_back(SharedTile::of(memory, program));
  SharedState &shared = SharedState::of(program);
  shared.begin();
  FailureOr<std::vector<int64_t>> copies =
      shared.waitedFor(op, numberOf(op.getGroup(), program), memories);
  if (failed(copies))
    return failure();
  for (int64_t number : *copies) {
    const AsyncCopy &copy = shared.copy(number);
    std::optional<TileValue> late;
    if (copy.isLive && !copy.value) {
      FailureOr<TileValue> value = readLate(copy, program);
      if (failed(value))
        return failure();
      late = std::move(*value);
    }
    shared.end(op, number, late ? &*late : nullptr);
  }
  return success();
}

void addCopyOps(OpTable &ops, bool copiesLandLate) {
  ops.add<tilegpu::SlotOp>(evalSlot);
  ops.add<tilegpu::AdvanceOp>(evalAdvance);
  ops.add<tilegpu::AcquireOp>(evalAcquire);
  ops.add<tilegpu::ReleaseOp>(evalRelease);
  ops.add<tilegpu::CopyOp>(
      [copiesLandLate](tilegpu::CopyOp op, ProgramInstance &program) {
        return evalCopy(op, copiesLandLate, program);
      });
  ops.add<tilegpu::CommitOp>(evalCommit);
  ops.add<tilegpu::WaitOp>(evalWait);
}

} // namespace tilewright::verify
