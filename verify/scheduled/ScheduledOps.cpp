//===- ScheduledOps.cpp - The scheduled level, executed -------------------===//
#include "verify/scheduled/ScheduledOps.h"

#include "codegen/tilegpu/TileGpu.h"
#include "tileir/reference/Dot.h"
#include "verify/scheduled/FiberOps.h"

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify {

using tilegpu::toDims;

namespace {
/// The shared memory of one program: which element was written where, and
/// which bytes were accessed since the last barrier.
class SharedState {
public:
  LogicalResult store(Operation *op, int64_t offset, int64_t bytes,
                      const Element &element);
  FailureOr<Element> load(Operation *op, int64_t offset, int64_t bytes,
                          Type type);
  void barrier() { touched.clear(); }
  /// A run of an op begins: accesses of different runs are not ordered.
  void begin() { ++run; }

private:
  struct MemoryAccess {
    Operation *op;
    int64_t run;
    bool writes;
  };
  LogicalResult memoryAccess(Operation *op, int64_t offset, int64_t bytes,
                             bool writes);

  std::map<int64_t, std::pair<int64_t, Element>> elements; // By offset.
  std::map<int64_t, SmallVector<MemoryAccess, 2>> touched; // By byte.
  int64_t run = 0;
};
} // namespace

LogicalResult SharedState::memoryAccess(Operation *op, int64_t offset,
                                        int64_t bytes, bool writes) {
  for (int64_t byte = offset; byte < offset + bytes; ++byte) {
    SmallVector<MemoryAccess, 2> &before = touched[byte];
    for (const MemoryAccess &other : before)
      if ((other.op != op || other.run != run) && (writes || other.writes)) {
        InFlightDiagnostic diagnostic =
            errorAt(op) << "no barrier orders this "
                        << (writes ? "write" : "read") << " of byte " << byte
                        << " of shared memory";
        diagnostic.attachNote(other.op->getLoc())
            << (other.writes ? "written" : "read") << " here";
        return diagnostic;
      }
    // One read and one write represent all.
    if (llvm::none_of(before, [&](const MemoryAccess &other) {
          return other.writes == writes;
        }))
      before.push_back({op, run, writes});
  }
  return success();
}

LogicalResult SharedState::store(Operation *op, int64_t offset, int64_t bytes,
                                 const Element &element) {
  if (failed(memoryAccess(op, offset, bytes, true)))
    return failure();
  // Partly overwritten values are lost.
  auto first = elements.lower_bound(offset - 8);
  while (first != elements.end() && first->first < offset + bytes)
    first = first->first + first->second.first > offset ? elements.erase(first)
                                                        : std::next(first);
  elements.insert_or_assign(offset, std::pair(bytes, element));
  return success();
}

FailureOr<Element> SharedState::load(Operation *op, int64_t offset,
                                     int64_t bytes, Type type) {
  if (failed(memoryAccess(op, offset, bytes, false)))
    return failure();
  auto found = elements.find(offset);
  if (found == elements.end() || found->second.second.getType() != type)
    return errorAt(op) << "reads shared memory at " << offset
                       << " that holds no " << type;
  return found->second.second;
}

/// The state lives as long as the program.
static SharedState &sharedOf(ProgramInstance &program) {
  std::shared_ptr<void> &state = program.extension();
  if (!state)
    state = std::make_shared<SharedState>();
  return *static_cast<SharedState *>(state.get());
}

/// For one run of an op that accesses shared memory.
static SharedState &beginRun(ProgramInstance &program) {
  sharedOf(program).begin();
  return sharedOf(program);
}

/// The byte offset of element `at` of a tile in shared memory.
static int64_t offsetOf(tilegpu::AllocOp alloc, Index at, int64_t bytes) {
  const layout::Layout &layout = alloc.getType().getLayout().getLayout();
  int64_t offset = layout.invert(toDims(at))[layout::HardwareDim::offset];
  return alloc.getOffset().value_or(0) + offset * bytes;
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
  auto alloc = op.getMemory().getDefiningOp<tilegpu::AllocOp>();
  const TileValue &value = program.tile(op.getValue());
  int64_t bytes = tilegpu::elementBits(value.elementType()) / 8;
  LogicalResult result = success();
  SharedState &shared = beginRun(program);
  forEachIndex(value.shape(), [&](Index at) {
    if (succeeded(result))
      result = shared.store(
          op, offsetOf(alloc, inWindow(op, value.shape(), at), bytes), bytes,
          value.at(at));
  });
  return result;
}

static LogicalResult evalStoreElement(tilegpu::StoreElementOp op,
                                      ProgramInstance &program) {
  auto alloc = op.getMemory().getDefiningOp<tilegpu::AllocOp>();
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
  SmallVector<int64_t> first(alloc.getType().getShape().size(), 0);
  int64_t bytes = tilegpu::elementBits(type) / 8;
  return beginRun(program).store(op, offsetOf(alloc, first, bytes), bytes,
                                 poison ? *poison : value.at(from));
}

/// The tile of this type whose element at `at` is the memory's at `from(at)`.
static FailureOr<TileValue>
loadTile(Operation *op, mlir::Value memory, Type type,
         llvm::function_ref<SmallVector<int64_t>(Index)> from,
         ProgramInstance &program) {
  auto alloc = memory.getDefiningOp<tilegpu::AllocOp>();
  TileValue tile{type, {}};
  int64_t bytes = tilegpu::elementBits(tile.elementType()) / 8;
  LogicalResult status = success();
  SharedState &shared = beginRun(program);
  forEachIndex(tile.shape(), [&](Index at) {
    if (failed(status))
      return;
    FailureOr<Element> loaded = shared.load(
        op, offsetOf(alloc, from(at), bytes), bytes, tile.elementType());
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
      op, op.getMemory(), op.getType(),
      [&](Index at) { return inWindow(op, shape, at); }, program);
  return failed(loaded) ? failure() : program.set(op, std::move(*loaded));
}

/// Poison for an index that is poison or outside the memory.
static LogicalResult evalGather(tilegpu::GatherSharedOp op,
                                ProgramInstance &program) {
  auto alloc = op.getMemory().getDefiningOp<tilegpu::AllocOp>();
  const TileValue &indices = program.tile(op.getIndices());
  TileValue result{op.getType(), {}};
  Type element = result.elementType();
  int64_t bytes = tilegpu::elementBits(element) / 8;
  int64_t size = op.getMemory().getType().getShape()[op.getAxis()];
  LogicalResult status = success();
  SharedState &shared = beginRun(program);
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
    FailureOr<Element> loaded =
        shared.load(op, offsetOf(alloc, from, bytes), bytes, element);
    status = loaded;
    if (succeeded(loaded))
      result.elements.push_back(*loaded);
  });
  return failed(status) ? status : program.set(op, std::move(result));
}

/// Numbers or a mask that are poison make all counters poison.
static LogicalResult evalCount(tilegpu::CountSharedOp op,
                               ProgramInstance &program) {
  auto alloc = op.getMemory().getDefiningOp<tilegpu::AllocOp>();
  const TileValue &numbers = program.tile(op.getNumbers());
  Type type = op.getMemory().getType().getElementType();
  int64_t bytes = tilegpu::elementBits(type) / 8;
  SmallVector<int64_t> counts(op.getMemory().getType().getShape()[0], 0);
  const Element *poison = findPoison(numbers.elements);
  if (op.getMask() && !poison)
    poison = findPoison(program.tile(op.getMask()).elements);
  for (auto [i, number] : llvm::enumerate(numbers.elements))
    if (!poison && number.toInt() >= 0 &&
        number.toInt() < int64_t(counts.size()) &&
        (!op.getMask() || program.tile(op.getMask()).elements[i].isTrue()))
      ++counts[number.toInt()];
  SharedState &shared = beginRun(program);
  for (auto [bin, count] : llvm::enumerate(counts)) {
    int64_t position = offsetOf(alloc, {int64_t(bin)}, bytes);
    FailureOr<Element> before = shared.load(op, position, bytes, type);
    if (failed(before))
      return failure();
    Element sum = poison || before->isPoison()
                      ? Element::poison(type, op)
                      : Element::ofInt(type, before->toInt() + count);
    if (failed(shared.store(op, position, bytes, sum)))
      return failure();
  }
  return success();
}

/// `tile.dot` of the operands' elements.
template <typename Op>
static LogicalResult evalContraction(Op op, const reference::DotTraits &options,
                                     ProgramInstance &program) {
  auto whole = [&](TypedValue<tilegpu::SharedType> memory) {
    tilegpu::SharedType type = memory.getType();
    return loadTile(
        op, memory,
        RankedTensorType::get(type.getShape(), type.getElementType()),
        [](Index at) { return SmallVector<int64_t>(at); }, program);
  };
  FailureOr<TileValue> lhs = whole(op.getLhs());
  FailureOr<TileValue> rhs = whole(op.getRhs());
  if (failed(lhs) || failed(rhs))
    return failure();
  return program.set(
      op, reference::dot(*lhs, *rhs, program.tile(op.getAcc()), options));
}

static LogicalResult evalDot(tilegpu::DotOp op, ProgramInstance &program) {
  return evalContraction(
      op, {op.getPrecision(), op.getLhsUnsigned(), op.getRhsUnsigned()},
      program);
}

static LogicalResult evalMma(tilegpu::MmaOp op, ProgramInstance &program) {
  return evalContraction(op, {}, program);
}

const OpTable &scheduledOps() {
  static const OpTable table = [] {
    OpTable ops;
    addFiberOps(ops);
    ops.add<tilegpu::ConvertLayoutOp>(
        [](tilegpu::ConvertLayoutOp op, ProgramInstance &program) {
          TileValue value = program.tile(op.getSource());
          value.type = op.getType();
          return program.set(op, std::move(value));
        });
    ops.add<tilegpu::AllocOp>(
        [](tilegpu::AllocOp, ProgramInstance &) { return success(); });
    ops.add<tilegpu::BarrierOp>(
        [](tilegpu::BarrierOp, ProgramInstance &program) {
          sharedOf(program).barrier();
          return success();
        });
    ops.add<tilegpu::CountSharedOp>(evalCount);
    ops.add<tilegpu::GatherSharedOp>(evalGather);
    ops.add<tilegpu::StoreSharedOp>(evalStore);
    ops.add<tilegpu::StoreElementOp>(evalStoreElement);
    ops.add<tilegpu::LoadSharedOp>(evalLoad);
    ops.add<tilegpu::DotOp>(evalDot);
    ops.add<tilegpu::MmaOp>(evalMma);
    return ops;
  }();
  return table;
}

} // namespace tilewright::verify
