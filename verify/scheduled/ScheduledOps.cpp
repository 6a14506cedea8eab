//===- ScheduledOps.cpp - The scheduled level, executed -------------------===//
#include "verify/scheduled/ScheduledOps.h"

#include "codegen/gpu/TileGpu.h"
#include "verify/scheduled/LineOps.h"

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

private:
  struct Touch {
    Operation *op;
    bool writes;
  };
  LogicalResult touch(Operation *op, int64_t offset, int64_t bytes,
                      bool writes);

  std::map<int64_t, std::pair<int64_t, Element>> elements; // By offset.
  std::map<int64_t, SmallVector<Touch, 2>> touched;        // By byte.
};
} // namespace

LogicalResult SharedState::touch(Operation *op, int64_t offset, int64_t bytes,
                                 bool writes) {
  for (int64_t byte = offset; byte < offset + bytes; ++byte) {
    SmallVector<Touch, 2> &before = touched[byte];
    for (const Touch &other : before)
      if (other.op != op && (writes || other.writes)) {
        InFlightDiagnostic diagnostic =
            errorAt(op) << "no barrier orders this "
                        << (writes ? "write" : "read") << " of byte " << byte
                        << " of shared memory";
        diagnostic.attachNote(other.op->getLoc())
            << (other.writes ? "written" : "read") << " here";
        return diagnostic;
      }
    if (before.empty() || before.back().op != op)
      before.push_back({op, writes});
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

/// Where element `at` of a tile in shared memory lies, in bytes.
static int64_t placeOf(tilegpu::AllocOp alloc, Index at, int64_t bytes) {
  const layout::Layout &layout = alloc.getType().getLayout().getLayout();
  int64_t offset = layout.invert(toDims(at))[layout::Axis::offset];
  return alloc.getOffset().value_or(0) + offset * bytes;
}

/// The element of the memory that element `at` of an op's tile of `shape`
/// stands for.
template <typename Op>
static SmallVector<int64_t> inWindow(Op op, ArrayRef<int64_t> shape, Index at) {
  ArrayRef<int64_t> whole = op.getMemory().getType().getShape();
  SmallVector<int64_t> place(at);
  if (!op.hasWindow() && whole != shape) {
    int64_t index = linearIndex(shape, at);
    place.assign(whole.size(), 0);
    for (size_t dim = whole.size(); dim-- > 0; index /= whole[dim])
      place[dim] = index % whole[dim];
    return place;
  }
  for (auto [dim, position] : llvm::enumerate(place))
    position = op.getFirst(dim) + position * op.getStep(dim);
  return place;
}

static LogicalResult evalStore(tilegpu::StoreSharedOp op, Program &program) {
  auto alloc = op.getMemory().getDefiningOp<tilegpu::AllocOp>();
  const TileValue &value = program.tile(op.getValue());
  int64_t bytes = tilegpu::elementBits(value.elementType()) / 8;
  LogicalResult result = success();
  forEachIndex(value.shape(), [&](Index at) {
    if (succeeded(result))
      result = sharedOf(program).store(
          op, placeOf(alloc, inWindow(op, value.shape(), at), bytes), bytes,
          value.at(at));
  });
  return result;
}

static LogicalResult evalLoad(tilegpu::LoadSharedOp op, Program &program) {
  auto alloc = op.getMemory().getDefiningOp<tilegpu::AllocOp>();
  TileValue result{op.getType(), {}};
  Type element = result.elementType();
  int64_t bytes = tilegpu::elementBits(element) / 8;
  bool failedOnce = false;
  forEachIndex(result.shape(), [&](Index at) {
    if (failedOnce)
      return;
    FailureOr<Element> loaded = sharedOf(program).load(
        op, placeOf(alloc, inWindow(op, result.shape(), at), bytes), bytes,
        element);
    failedOnce = failed(loaded);
    if (!failedOnce)
      result.elements.push_back(*loaded);
  });
  return failedOnce ? failure() : program.set(op, std::move(result));
}

/// An index that is poison, or outside the memory, gives poison.
static LogicalResult evalGather(tilegpu::GatherSharedOp op, Program &program) {
  auto alloc = op.getMemory().getDefiningOp<tilegpu::AllocOp>();
  const TileValue &indices = program.tile(op.getIndices());
  TileValue result{op.getType(), {}};
  Type element = result.elementType();
  int64_t bytes = tilegpu::elementBits(element) / 8;
  int64_t size = op.getMemory().getType().getShape()[op.getAxis()];
  LogicalResult status = success();
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
        sharedOf(program).load(op, placeOf(alloc, from, bytes), bytes, element);
    status = loaded;
    if (succeeded(loaded))
      result.elements.push_back(*loaded);
  });
  return failed(status) ? status : program.set(op, std::move(result));
}

static LogicalResult evalRead(tilegpu::ReadSharedOp op, Program &program) {
  auto alloc = op.getMemory().getDefiningOp<tilegpu::AllocOp>();
  Type element = op.getType();
  SmallVector<int64_t> at;
  for (auto [index, size] :
       llvm::zip(op.getIndices(), op.getMemory().getType().getShape())) {
    const Element &position = program.tile(index).elements[0];
    if (position.isPoison() || position.toInt() < 0 || position.toInt() >= size)
      return program.set(op, TileValue::scalar(Element::poison(element, op)));
    at.push_back(position.toInt());
  }
  int64_t bytes = tilegpu::elementBits(element) / 8;
  FailureOr<Element> loaded =
      sharedOf(program).load(op, placeOf(alloc, at, bytes), bytes, element);
  if (failed(loaded))
    return failure();
  return program.set(op, TileValue::scalar(*loaded));
}

/// Numbers or a mask that are poison make all counters poison.
static LogicalResult evalCount(tilegpu::CountSharedOp op, Program &program) {
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
  for (auto [bin, count] : llvm::enumerate(counts)) {
    int64_t place = placeOf(alloc, {int64_t(bin)}, bytes);
    FailureOr<Element> before = sharedOf(program).load(op, place, bytes, type);
    if (failed(before))
      return failure();
    Element sum = poison || before->isPoison()
                      ? Element::poison(type, op)
                      : Element::ofInt(type, before->toInt() + count);
    if (failed(sharedOf(program).store(op, place, bytes, sum)))
      return failure();
  }
  return success();
}

const OpTable &scheduledOps() {
  static const OpTable table = [] {
    OpTable ops;
    addLineOps(ops);
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
    ops.add<tilegpu::CountSharedOp>(evalCount);
    ops.add<tilegpu::GatherSharedOp>(evalGather);
    ops.add<tilegpu::ReadSharedOp>(evalRead);
    ops.add<tilegpu::StoreSharedOp>(evalStore);
    ops.add<tilegpu::LoadSharedOp>(evalLoad);
    return ops;
  }();
  return table;
}

} // namespace tilewright::verify
