//===- ScheduledOps.cpp - The scheduled level, executed -------------------===//
#include "verify/scheduled/ScheduledOps.h"

#include "tileir/reference/Dot.h"
#include "verify/scheduled/CopyOps.h"
#include "verify/scheduled/FiberOps.h"
#include "verify/scheduled/SharedState.h"

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify {

/// For one run of an op that writes `memory`.
static SharedState &beginWrite(Operation *op, const SharedTile &memory,
                               ProgramInstance &program) {
  SharedState &shared = SharedState::of(program);
  shared.begin();
  shared.fill(op, memory);
  return shared;
}

/// For one run of an op that reads `memory`.
static FailureOr<SharedState *>
beginRead(Operation *op, const SharedTile &memory, ProgramInstance &program) {
  SharedState &shared = SharedState::of(program);
  shared.begin();
  if (failed(shared.checkRead(op, memory)))
    return failure();
  return &shared;
}

/// The memory's element for element `at` of an op's tile of `shape`.
template <typename Op>
static SmallVector<int64_t> inWindow(Op op, ArrayRef<int64_t> shape, Index at) {
  ArrayRef<int64_t> whole = op.getMemory().getType().getShape();
  SmallVector<int64_t> position(at);
  if (!op.hasWindow() && whole != shape) {
    int64_t index = linearIndex(shape, at);
    position.assign(whole.size(), 0);
    for (size_t dim = whole.size(); dim-- > 0; index /= whole[dim])
      position[dim] = index % whole[dim];
    return position;
  }
  for (auto [dim, position] : llvm::enumerate(position))
    position = op.getFirst(dim) + position * op.getStep(dim);
  return position;
}

static LogicalResult evalStore(tilegpu::StoreSharedOp op,
                               ProgramInstance &program) {
  SharedTile memory = SharedTile::of(op.getMemory(), program);
  const TileValue &value = program.tile(op.getValue());
  LogicalResult result = success();
  SharedState &shared = beginWrite(op, memory, program);
  forEachIndex(value.shape(), [&](Index at) {
    if (succeeded(result))
      result =
          shared.store(op, memory.offsetOf(inWindow(op, value.shape(), at)),
                       memory.elementBytes(), value.at(at));
  });
  return result;
}

static LogicalResult evalStoreElement(tilegpu::StoreElementOp op,
                                      ProgramInstance &program) {
  SharedTile memory = SharedTile::of(op.getMemory(), program);
  const TileValue &value = program.tile(op.getValue());
  Type type = value.elementType();
  SmallVector<int64_t> from;
  std::optional<Element> poison;
  for (auto [dim, operand] : llvm::enumerate(op.getIndices())) {
    const Element &index = program.tile(operand).elements[0];
    if (index.isPoison() || index.toInt() < 0 ||
        index.toInt() >= value.shape()[dim])
      poison = Element::poison(type, index.isPoison() ? index.poisonOrigin()
                                                      : op.getOperation());
    else
      from.push_back(index.toInt());
  }
  SmallVector<int64_t> first(memory.type.getShape().size(), 0);
  return beginWrite(op, memory, program)
      .store(op, memory.offsetOf(first), memory.elementBytes(),
             poison ? *poison : value.at(from));
}

/// The tile of this type whose element at `at` is the memory's at `from(at)`.
static FailureOr<TileValue>
loadTile(Operation *op, const SharedTile &memory, Type type,
         llvm::function_ref<SmallVector<int64_t>(Index)> from,
         ProgramInstance &program) {
  TileValue tile{type, {}};
  FailureOr<SharedState *> shared = beginRead(op, memory, program);
  LogicalResult status = shared;
  forEachIndex(tile.shape(), [&](Index at) {
    if (failed(status))
      return;
    FailureOr<Element> loaded =
        (*shared)->load(op, memory.offsetOf(from(at)), memory.elementBytes(),
                        tile.elementType());
    status = loaded;
    if (succeeded(loaded))
      tile.elements.push_back(*loaded);
  });
  if (failed(status))
    return failure();
  return tile;
}

static LogicalResult evalLoad(tilegpu::LoadSharedOp op,
                              ProgramInstance &program) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getType()).getShape();
  FailureOr<TileValue> loaded = loadTile(
      op, SharedTile::of(op.getMemory(), program), op.getType(),
      [&](Index at) { return inWindow(op, shape, at); }, program);
  return failed(loaded) ? failure() : program.set(op, std::move(*loaded));
}

/// Poison for an index that is poison or outside the memory.
static LogicalResult evalGather(tilegpu::GatherSharedOp op,
                                ProgramInstance &program) {
  SharedTile memory = SharedTile::of(op.getMemory(), program);
  const TileValue &indices = program.tile(op.getIndices());
  TileValue result{op.getType(), {}};
  Type element = result.elementType();
  int64_t size = op.getMemory().getType().getShape()[op.getAxis()];
  FailureOr<SharedState *> shared = beginRead(op, memory, program);
  LogicalResult status = shared;
  forEachIndex(result.shape(), [&](Index at) {
    if (failed(status))
      return;
    const Element &index = indices.at(at);
    if (index.isPoison() || index.toInt() < 0 || index.toInt() >= size) {
      result.elements.push_back(Element::poison(element, op));
      return;
    }
    SmallVector<int64_t> from(at);
    from[op.getAxis()] = index.toInt();
    FailureOr<Element> loaded = (*shared)->load(op, memory.offsetOf(from),
                                                memory.elementBytes(), element);
    status = loaded;
    if (succeeded(loaded))
      result.elements.push_back(*loaded);
  });
  return failed(status) ? status : program.set(op, std::move(result));
}

/// Numbers or a mask that are poison make all counters poison.
static LogicalResult evalCount(tilegpu::CountSharedOp op,
                               ProgramInstance &program) {
  SharedTile memory = SharedTile::of(op.getMemory(), program);
  const TileValue &numbers = program.tile(op.getNumbers());
  Type type = op.getMemory().getType().getElementType();
  int64_t bytes = memory.elementBytes();
  SmallVector<int64_t> counts(op.getMemory().getType().getShape()[0], 0);
  const Element *poison = findPoison(numbers.elements);
  if (op.getMask() && !poison)
    poison = findPoison(program.tile(op.getMask()).elements);
  for (auto [i, number] : llvm::enumerate(numbers.elements))
    if (!poison && number.toInt() >= 0 &&
        number.toInt() < int64_t(counts.size()) &&
        (!op.getMask() || program.tile(op.getMask()).elements[i].isTrue()))
      ++counts[number.toInt()];
  FailureOr<SharedState *> shared = beginRead(op, memory, program);
  if (failed(shared))
    return failure();
  for (auto [bin, count] : llvm::enumerate(counts)) {
    int64_t position = memory.offsetOf({int64_t(bin)});
    FailureOr<Element> before = (*shared)->load(op, position, bytes, type);
    if (failed(before))
      return failure();
    Element sum = poison || before->isPoison()
                      ? Element::poison(type, op)
                      : Element::ofInt(type, before->toInt() + count);
    if (failed((*shared)->store(op, position, bytes, sum)))
      return failure();
  }
  return success();
}

/// `tile.dot` of the operands' elements.
template <typename Op>
static LogicalResult evalContraction(Op op, ProgramInstance &program) {
  auto whole = [&](mlir::Value operand) -> FailureOr<TileValue> {
    auto memory = dyn_cast<TypedValue<tilegpu::SharedType>>(operand);
    if (!memory)
      return program.tile(operand);
    tilegpu::SharedType type = memory.getType();
    return loadTile(
        op, SharedTile::of(memory, program),
        RankedTensorType::get(type.getShape(), type.getElementType()),
        [](Index at) { return SmallVector<int64_t>(at); }, program);
  };
  FailureOr<TileValue> lhs = whole(op.getLhs());
  FailureOr<TileValue> rhs = whole(op.getRhs());
  if (failed(lhs) || failed(rhs))
    return failure();
  return program.set(
      op, reference::dot(*lhs, *rhs, program.tile(op.getAcc()),
                         {op.getPrecision(), op.getLhsUnsigned(),
                          op.getRhsUnsigned(), program.getFreedom()}));
}

static OpTable makeTable(bool copiesLandLate) {
  OpTable ops;
  addFiberOps(ops);
  addCopyOps(ops, copiesLandLate);
  ops.add<tilegpu::ConvertLayoutOp>(
      [](tilegpu::ConvertLayoutOp op, ProgramInstance &program) {
        TileValue value = program.tile(op.getSource());
        value.type = op.getType();
        return program.set(op, std::move(value));
      });
  ops.add<tilegpu::AllocOp>(
      [](tilegpu::AllocOp, ProgramInstance &) { return success(); });
  ops.add<tilegpu::BarrierOp>([](tilegpu::BarrierOp, ProgramInstance &program) {
    SharedState::of(program).barrier();
    return success();
  });
  ops.add<tilegpu::CountSharedOp>(evalCount);
  ops.add<tilegpu::GatherSharedOp>(evalGather);
  ops.add<tilegpu::StoreSharedOp>(evalStore);
  ops.add<tilegpu::StoreElementOp>(evalStoreElement);
  ops.add<tilegpu::LoadSharedOp>(evalLoad);
  ops.add<tilegpu::DotOp>(evalContraction<tilegpu::DotOp>);
  ops.add<tilegpu::MmaOp>(evalContraction<tilegpu::MmaOp>);
  return ops;
}

const OpTable &scheduledOps(bool copiesLandLate) {
  static const OpTable early = makeTable(false), late = makeTable(true);
  return copiesLandLate ? late : early;
}

} // namespace tilewright::verify
