//===- ScheduledOps.cpp - The scheduled level, executed -------------------===//
#include "verify/scheduled/ScheduledOps.h"

#include "codegen/gpu/TileGpu.h"

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
  struct Touch {
    Operation *op;
    int64_t run;
    bool writes;
  };
  LogicalResult touch(Operation *op, int64_t offset, int64_t bytes,
                      bool writes);

  std::map<int64_t, std::pair<int64_t, Element>> elements; // By offset.
  std::map<int64_t, SmallVector<Touch, 2>> touched;        // By byte.
  int64_t run = 0;
};
} // namespace

LogicalResult SharedState::touch(Operation *op, int64_t offset, int64_t bytes,
                                 bool writes) {
  for (int64_t byte = offset; byte < offset + bytes; ++byte) {
    SmallVector<Touch, 2> &before = touched[byte];
    for (const Touch &other : before)
      if ((other.op != op || other.run != run) && (writes || other.writes)) {
        InFlightDiagnostic diagnostic =
            errorAt(op) << "no barrier orders this "
                        << (writes ? "write" : "read") << " of byte " << byte
                        << " of shared memory";
        diagnostic.attachNote(other.op->getLoc())
            << (other.writes ? "written" : "read") << " here";
        return diagnostic;
      }
    // One read and one write stand for all.
    if (llvm::none_of(
            before, [&](const Touch &other) { return other.writes == writes; }))
      before.push_back({op, run, writes});
  }
  return success();
}

LogicalResult SharedState::store(Operation *op, int64_t offset, int64_t bytes,
                                 const Element &element) {
  if (failed(touch(op, offset, bytes, true)))
    return failure();
  // What it overwrites in part is lost.
  auto first = elements.lower_bound(offset - 8);
  while (first != elements.end() && first->first < offset + bytes)
    first = first->first + first->second.first > offset ? elements.erase(first)
                                                        : std::next(first);
  elements.insert_or_assign(offset, std::pair(bytes, element));
  return success();
}

FailureOr<Element> SharedState::load(Operation *op, int64_t offset,
                                     int64_t bytes, Type type) {
  if (failed(touch(op, offset, bytes, false)))
    return failure();
  auto found = elements.find(offset);
  if (found == elements.end() || found->second.second.getType() != type)
    return errorAt(op) << "reads shared memory at " << offset
                       << " that holds no " << type;
  return found->second.second;
}

/// The state lives as long as the program.
static SharedState &sharedOf(Program &program) {
  std::shared_ptr<void> &state = program.extension();
  if (!state)
    state = std::make_shared<SharedState>();
  return *static_cast<SharedState *>(state.get());
}

/// For one run of an op that accesses shared memory.
static SharedState &beginRun(Program &program) {
  sharedOf(program).begin();
  return sharedOf(program);
}

/// Where element `at` of a tile in shared memory lies, in bytes.
static int64_t placeOf(tilegpu::AllocOp alloc, Index at, int64_t bytes) {
  const layout::Layout &layout = alloc.getType().getLayout().getLayout();
  int64_t offset = layout.invert(toDims(at))[layout::Axis::offset];
  return alloc.getOffset().value_or(0) + offset * bytes;
}

static LogicalResult evalStore(tilegpu::StoreSharedOp op, Program &program) {
  auto alloc = op.getMemory().getDefiningOp<tilegpu::AllocOp>();
  const TileValue &value = program.tile(op.getValue());
  int64_t bytes = tilegpu::elementBits(value.elementType()) / 8;
  LogicalResult result = success();
  SharedState &shared = beginRun(program);
  forEachIndex(value.shape(), [&](Index at) {
    if (succeeded(result))
      result = shared.store(op, placeOf(alloc, at, bytes), bytes, value.at(at));
  });
  return result;
}

static LogicalResult evalStoreElement(tilegpu::StoreElementOp op,
                                      Program &program) {
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
  return beginRun(program).store(op, placeOf(alloc, first, bytes), bytes,
                                 poison ? *poison : value.at(from));
}

static LogicalResult evalLoad(tilegpu::LoadSharedOp op, Program &program) {
  auto alloc = op.getMemory().getDefiningOp<tilegpu::AllocOp>();
  TileValue result{op.getType(), {}};
  Type element = result.elementType();
  int64_t bytes = tilegpu::elementBits(element) / 8;
  bool failedOnce = false;
  SharedState &shared = beginRun(program);
  forEachIndex(result.shape(), [&](Index at) {
    if (failedOnce)
      return;
    FailureOr<Element> loaded =
        shared.load(op, placeOf(alloc, at, bytes), bytes, element);
    failedOnce = failed(loaded);
    if (!failedOnce)
      result.elements.push_back(*loaded);
  });
  return failedOnce ? failure() : program.set(op, std::move(result));
}

/// Combines two elements of each input.
static FailureOr<SmallVector<Element>> combine(tilegpu::ReduceOp op,
                                               ArrayRef<Element> left,
                                               ArrayRef<Element> right,
                                               Program &program) {
  SmallVector<reference::Value> arguments;
  for (ArrayRef<Element> side : {left, right})
    for (const Element &element : side)
      arguments.push_back(TileValue::scalar(element));
  FailureOr<SmallVector<reference::Value>> results =
      program.run(op.getCombiner().front(), arguments);
  if (failed(results))
    return failure();
  SmallVector<Element> combined;
  for (const reference::Value &result : *results)
    combined.push_back(std::get<TileValue>(result).elements[0]);
  return combined;
}

/// Element w along the axis combines the elements that the w-th of the warps
/// that share the dimension holds.
static LogicalResult evalReduce(tilegpu::ReduceOp op, Program &program) {
  Type first = op.getInputs()[0].getType();
  const layout::Layout &from = tilegpu::layoutOf(first);
  const layout::Layout &to = tilegpu::layoutOf(op.getResult(0).getType());
  int64_t axis = op.getAxis();
  std::map<SmallVector<int64_t>, SmallVector<Element>> sums;
  LogicalResult status = success();
  forEachIndex(cast<RankedTensorType>(first).getShape(), [&](Index at) {
    if (failed(status))
      return;
    int64_t warp = from.invert(toDims(at))[layout::Axis::warp];
    SmallVector<int64_t> target(at);
    target[axis] = to.apply(layout::inRegister(0, 0, warp))[axis];
    SmallVector<Element> elements;
    for (mlir::Value input : op.getInputs())
      elements.push_back(program.tile(input).at(at));
    auto [sum, isFirst] = sums.try_emplace(target, elements);
    if (isFirst)
      return;
    FailureOr<SmallVector<Element>> combined =
        combine(op, sum->second, elements, program);
    status = combined;
    if (succeeded(combined))
      sum->second = *combined;
  });
  if (failed(status))
    return failure();
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    auto value = TileValue::generate(result.getType(), [&, i = i](Index at) {
      return sums.at(SmallVector<int64_t>(at))[i];
    });
    (void)program.set(result, value);
  }
  return success();
}

const OpTable &scheduledOps() {
  static const OpTable table = [] {
    OpTable ops;
    ops.add<tilegpu::ConvertLayoutOp>(
        [](tilegpu::ConvertLayoutOp op, Program &program) {
          TileValue value = program.tile(op.getSource());
          value.type = op.getType();
          return program.set(op, std::move(value));
        });
    ops.add<tilegpu::AllocOp>(
        [](tilegpu::AllocOp, Program &) { return success(); });
    ops.add<tilegpu::BarrierOp>([](tilegpu::BarrierOp, Program &program) {
      sharedOf(program).barrier();
      return success();
    });
    ops.add<tilegpu::StoreSharedOp>(evalStore);
    ops.add<tilegpu::StoreElementOp>(evalStoreElement);
    ops.add<tilegpu::LoadSharedOp>(evalLoad);
    ops.add<tilegpu::ReduceOp>(evalReduce);
    return ops;
  }();
  return table;
}

} // namespace tilewright::verify
