//===- ScheduledOps.cpp - The scheduled level, executed -------------------===//
#include "verify/scheduled/ScheduledOps.h"

#include "codegen/gpu/TileGpu.h"
#include "tileir/reference/Dot.h"

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
  SharedState &shared = beginRun(program);
  forEachIndex(value.shape(), [&](Index at) {
    if (succeeded(result))
      result = shared.store(
          op, placeOf(alloc, inWindow(op, value.shape(), at), bytes), bytes,
          value.at(at));
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

/// The tile of this type whose element at `at` is the memory's at `from(at)`.
static FailureOr<TileValue>
loadTile(Operation *op, mlir::Value memory, Type type,
         llvm::function_ref<SmallVector<int64_t>(Index)> from,
         Program &program) {
  auto alloc = memory.getDefiningOp<tilegpu::AllocOp>();
  TileValue tile{type, {}};
  int64_t bytes = tilegpu::elementBits(tile.elementType()) / 8;
  LogicalResult status = success();
  SharedState &shared = beginRun(program);
  forEachIndex(tile.shape(), [&](Index at) {
    if (failed(status))
      return;
    FailureOr<Element> loaded = shared.load(op, placeOf(alloc, from(at), bytes),
                                            bytes, tile.elementType());
    status = loaded;
    if (succeeded(loaded))
      tile.elements.push_back(*loaded);
  });
  if (failed(status))
    return failure();
  return tile;
}

static LogicalResult evalLoad(tilegpu::LoadSharedOp op, Program &program) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getType()).getShape();
  FailureOr<TileValue> loaded = loadTile(
      op, op.getMemory(), op.getType(),
      [&](Index at) { return inWindow(op, shape, at); }, program);
  return failed(loaded) ? failure() : program.set(op, std::move(*loaded));
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
        shared.load(op, placeOf(alloc, from, bytes), bytes, element);
    status = loaded;
    if (succeeded(loaded))
      result.elements.push_back(*loaded);
  });
  return failed(status) ? status : program.set(op, std::move(result));
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
  SharedState &shared = beginRun(program);
  for (auto [bin, count] : llvm::enumerate(counts)) {
    int64_t place = placeOf(alloc, {int64_t(bin)}, bytes);
    FailureOr<Element> before = shared.load(op, place, bytes, type);
    if (failed(before))
      return failure();
    Element sum = poison || before->isPoison()
                      ? Element::poison(type, op)
                      : Element::ofInt(type, before->toInt() + count);
    if (failed(shared.store(op, place, bytes, sum)))
      return failure();
  }
  return success();
}

/// Combines two elements of each input.
static FailureOr<SmallVector<Element>> combine(Region &combiner,
                                               ArrayRef<Element> left,
                                               ArrayRef<Element> right,
                                               Program &program) {
  SmallVector<reference::Value> arguments;
  for (ArrayRef<Element> side : {left, right})
    for (const Element &element : side)
      arguments.push_back(TileValue::scalar(element));
  FailureOr<SmallVector<reference::Value>> results =
      program.run(combiner.front(), arguments);
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
        combine(op.getCombiner(), sum->second, elements, program);
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

/// What `tile.dot` makes of the operands' elements.
static LogicalResult evalDot(tilegpu::DotOp op, Program &program) {
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
  return program.set(op, reference::dot(*lhs, *rhs, program.tile(op.getAcc()),
                                        {op.getPrecision(), op.getLhsUnsigned(),
                                         op.getRhsUnsigned()}));
}

/// The elements of all inputs at `at`.
static SmallVector<Element> elementsAt(OperandRange inputs, Index at,
                                       Program &program) {
  SmallVector<Element> elements;
  for (mlir::Value input : inputs)
    elements.push_back(program.tile(input).at(at));
  return elements;
}

/// What a warp's first element of a line is combined with: the totals of the
/// warps that come before it. Empty for the first.
static FailureOr<SmallVector<Element>>
totalsBefore(tilegpu::ScanOp op, Index at, int64_t part, Program &program) {
  SmallVector<Element> sum;
  auto type = cast<RankedTensorType>(op.getTotals()[0].getType());
  int64_t parts = type.getDimSize(op.getAxis());
  SmallVector<int64_t> from(at);
  for (int64_t i = 0; i < (op.getReverse() ? parts - 1 - part : part); ++i) {
    from[op.getAxis()] = op.getReverse() ? parts - 1 - i : i;
    SmallVector<Element> next = elementsAt(op.getTotals(), from, program);
    if (!sum.empty()) {
      auto combined = combine(op.getCombiner(), sum, next, program);
      if (failed(combined))
        return failure();
      next = *combined;
    }
    sum = next;
  }
  return sum;
}

/// A warp begins where the one before it ended, with the totals that the op is
/// given: not with what was computed there.
static LogicalResult scanLine(tilegpu::ScanOp op, Index first,
                              MutableArrayRef<TileValue> results,
                              Program &program) {
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  const layout::Layout &layout = tilegpu::layoutOf(type);
  int64_t axis = op.getAxis(), size = type.getDimSize(axis);
  SmallVector<int64_t> at(first);
  SmallVector<Element> sum;
  std::optional<int64_t> warp;
  // The least distance of two warps along the line.
  int64_t perWarp = layout.cell(axis);
  for (layout::Bits column : layout.columns(layout::Axis::warp))
    if (int64_t moved = layout.cellCoordinates(column)[axis])
      perWarp = std::min(perWarp, moved);
  for (int64_t k = 0; k < size; ++k) {
    at[axis] = op.getReverse() ? size - 1 - k : k;
    SmallVector<Element> next = elementsAt(op.getInputs(), at, program);
    int64_t part = at[axis] / perWarp;
    if (!op.getTotals().empty() && part != warp) {
      FailureOr<SmallVector<Element>> before =
          totalsBefore(op, at, part, program);
      if (failed(before))
        return failure();
      sum = *before;
      warp = part;
    }
    if (!sum.empty()) {
      auto combined = combine(op.getCombiner(), sum, next, program);
      if (failed(combined))
        return failure();
      next = *combined;
    }
    sum = next;
    for (auto [result, element] : llvm::zip(results, sum))
      result.at(at) = element;
  }
  return success();
}

static LogicalResult evalScan(tilegpu::ScanOp op, Program &program) {
  SmallVector<TileValue> results;
  for (mlir::Value input : op.getInputs())
    results.push_back(program.tile(input));
  SmallVector<int64_t> lines(results[0].shape());
  lines[op.getAxis()] = 1;
  LogicalResult status = success();
  forEachIndex(lines, [&](Index first) {
    if (succeeded(status))
      status = scanLine(op, first, results, program);
  });
  if (failed(status))
    return failure();
  for (auto [value, result] : llvm::zip(op.getResults(), results))
    (void)program.set(value, std::move(result));
  return success();
}

static LogicalResult evalExchange(tilegpu::ExchangeOp op, Program &program) {
  const TileValue &source = program.tile(op.getSource());
  return program.set(op, TileValue::generate(op.getType(), [&](Index at) {
                       SmallVector<int64_t> from(at);
                       from[op.getAxis()] ^= op.getMask();
                       if (from[op.getAxis()] >= source.shape()[op.getAxis()])
                         return Element::poison(source.elementType(), op);
                       return source.at(from);
                     }));
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
    ops.add<tilegpu::CoordinateOp>(
        [](tilegpu::CoordinateOp op, Program &program) {
          auto value = TileValue::generate(op.getType(), [&](Index at) {
            return Element::ofInt(getElementTypeOrSelf(op.getType()),
                                  at[op.getAxis()]);
          });
          return program.set(op, std::move(value));
        });
    ops.add<tilegpu::CountSharedOp>(evalCount);
    ops.add<tilegpu::ExchangeOp>(evalExchange);
    ops.add<tilegpu::GatherSharedOp>(evalGather);
    ops.add<tilegpu::ScanOp>(evalScan);
    ops.add<tilegpu::StoreSharedOp>(evalStore);
    ops.add<tilegpu::StoreElementOp>(evalStoreElement);
    ops.add<tilegpu::LoadSharedOp>(evalLoad);
    ops.add<tilegpu::ReduceOp>(evalReduce);
    ops.add<tilegpu::DotOp>(evalDot);
    return ops;
  }();
  return table;
}

} // namespace tilewright::verify
