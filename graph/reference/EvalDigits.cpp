// Counts of the digits of keys, and keys moved by them.
#include "graph/reference/Execution.h"

#include "graph/ir/Graph.h"

using namespace mlir;

namespace tilewright::graph::reference {

/// The digits of a row's keys; a fault if one is poison.
static FailureOr<std::vector<unsigned>> readDigits(Operation *op, Tensor &keys,
                                                   Index row, int64_t digit,
                                                   Machine &machine) {
  FailureOr<Row> elements =
      readRow(op, keys, row, int64_t(keys.getShape().size()) - 1);
  if (failed(elements))
    return failure();
  std::vector<unsigned> digits;
  for (Scalar key : *elements) {
    if (key.isPoison())
      return poisonFault(op, key, "a key is poison");
    if (key.hasSpread())
      return machine.stop(op, "a key");
    digits.push_back(key.bits() >> (8 * digit) & 0xff);
  }
  return digits;
}

static LogicalResult evalDigitCounts(DigitCountsOp op, Execution &execution) {
  TensorPtr keys = execution.tensor(0);
  const int64_t digit = op.getDigit(), block = op.getBlock();
  Shape shape = keys->getShape();
  const int64_t blocks = llvm::divideCeil(shape.back(), block);
  shape.back() = 256;
  shape.push_back(blocks);
  // The counts of the row that was asked for last.
  struct Last {
    std::optional<Shape> row;
    std::vector<int64_t> counts;
  };
  auto last = std::make_shared<Last>();
  Machine *machine = &execution.getMachine();
  return execution.setView(0, shape, [=](Index index) -> FailureOr<Scalar> {
    Shape row(index.drop_back());
    row.back() = 0;
    if (!last->row || *last->row != row) {
      auto digits = readDigits(op, *keys, row, digit, *machine);
      if (failed(digits))
        return failure();
      last->counts.assign(256 * blocks, 0);
      for (auto [i, found] : llvm::enumerate(*digits))
        ++last->counts[found * blocks + int64_t(i) / block];
      last->row = row;
    }
    return Scalar::ofBits(
        last->counts[index[index.size() - 2] * blocks + index.back()]);
  });
}

namespace {
/// One op: all rows are moved when the first element is asked for.
struct DigitScatter {
  DigitScatterOp op;
  Machine *machine;
  TensorPtr keys, values, offsets;
  std::map<int64_t, int64_t> sources; // By position, that of the source.
  std::map<int64_t, int64_t> ends;    // By position in `ends`.
  Shape endsShape;
  bool isDone = false;

  LogicalResult apply();
  LogicalResult applyRow(Index row);
};
} // namespace

LogicalResult DigitScatter::applyRow(Index start) {
  auto digits = readDigits(op, *keys, start, op.getDigit(), *machine);
  if (failed(digits))
    return failure();
  const int64_t length = digits->size();
  const int64_t blocks = endsShape[endsShape.size() - 2];
  std::vector<int64_t> next(blocks * 256);
  Shape at(start);
  at.push_back(0);
  for (int64_t n = 0; n < blocks * 256; ++n) {
    at[at.size() - 2] = n % 256;
    at.back() = n / 256;
    FailureOr<Scalar> offset = load(op, *offsets, at);
    if (failed(offset))
      return failure();
    if (offset->isPoison())
      return poisonFault(op, *offset, "an offset is poison");
    if (offset->hasSpread())
      return machine->stop(op, "an offset");
    next[n] = offset->integer(offsets->getElementType());
  }
  Shape from(start), to(start);
  for (int64_t i = 0; i < length; ++i) {
    int64_t &offset = next[i / op.getBlock() * 256 + (*digits)[i]];
    if (offset < 0 || offset >= length)
      return numerics::errorAt(op)
             << "an offset is " << offset << " in a row of " << length;
    from.back() = i;
    to.back() = offset++;
    sources[positionOf(keys->getShape(), to)] =
        positionOf(keys->getShape(), from);
  }
  for (int64_t n = 0; n < blocks * 256; ++n) {
    at[at.size() - 2] = n / 256;
    at.back() = n % 256;
    ends[positionOf(endsShape, at)] = next[n];
  }
  return success();
}

LogicalResult DigitScatter::apply() {
  isDone = true;
  Shape rows = keys->getShape();
  rows.back() = 1;
  for (int64_t n = 0, count = countOf(rows); n < count; ++n)
    if (failed(applyRow(indexOf(rows, n))))
      return failure();
  return success();
}

static LogicalResult evalDigitScatter(DigitScatterOp op, Execution &execution) {
  auto scatter = std::make_shared<DigitScatter>();
  scatter->op = op;
  scatter->machine = &execution.getMachine();
  scatter->keys = execution.tensor(0);
  scatter->values = execution.tensor(1);
  scatter->offsets = execution.tensor(2);
  if (scatter->keys->getShape() != scatter->values->getShape())
    return numerics::errorAt(op) << "keys and values have different shapes";
  scatter->endsShape = scatter->keys->getShape();
  scatter->endsShape.back() =
      llvm::divideCeil(scatter->keys->getShape().back(), op.getBlock());
  scatter->endsShape.push_back(256);
  Scalar unwritten = Scalar::poison(op);
  auto moved = [=](const TensorPtr &tensor) {
    return [=](Index index) -> FailureOr<Scalar> {
      if (!scatter->isDone && failed(scatter->apply()))
        return failure();
      auto found = scatter->sources.find(positionOf(tensor->getShape(), index));
      if (found == scatter->sources.end())
        return unwritten;
      return tensor->at(indexOf(tensor->getShape(), found->second));
    };
  };
  auto end = [=](Index index) -> FailureOr<Scalar> {
    if (!scatter->isDone && failed(scatter->apply()))
      return failure();
    return Scalar::ofBits(scatter->ends[positionOf(scatter->endsShape, index)]);
  };
  return success(succeeded(execution.setView(0, scatter->keys->getShape(),
                                             moved(scatter->keys))) &&
                 succeeded(execution.setView(1, scatter->keys->getShape(),
                                             moved(scatter->values))) &&
                 succeeded(execution.setView(2, scatter->endsShape, end)));
}

void addDigitEvals(EvalTable &table) {
  table.add<DigitCountsOp>(evalDigitCounts);
  table.add<DigitScatterOp>(evalDigitScatter);
}

} // namespace tilewright::graph::reference
