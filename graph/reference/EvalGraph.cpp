// The graph dialect, but for what works on rows: bodies of ops, sizes and
// checks, scatters.
#include "graph/reference/Execution.h"

#include "graph/ir/Graph.h"
#include "graph/reference/Sums.h"
#include "tileir/reference/Rounding.h"

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace tilewright::graph::reference {

//===--- Bodies -----------------------------------------------------------===//

/// The body is what the op computes; its arguments are the operands.
static LogicalResult takeBody(Execution &execution) {
  SmallVector<Slot> arguments;
  for (unsigned n = 0; n < execution.getOp()->getNumOperands(); ++n)
    arguments.push_back(execution.operand(n));
  FailureOr<SmallVector<Slot>> results = execution.runRegion(0, arguments);
  return failed(results) ? failure() : execution.setAll(*results);
}

static LogicalResult evalGroup(GroupOp, Execution &execution) {
  return takeBody(execution);
}

static LogicalResult evalComposite(CompositeOp, Execution &execution) {
  return takeBody(execution);
}

//===--- Sizes and checks -------------------------------------------------===//

/// An element as a number that decides; a fault if it is poison. The run stops
/// if it is not determined.
static FailureOr<int64_t> readNumber(Operation *op, Tensor &tensor, Index index,
                                     Machine &machine) {
  FailureOr<Scalar> element = load(op, tensor, index);
  if (failed(element))
    return failure();
  if (element->isPoison())
    return poisonFault(op, *element, "reads poison");
  if (element->hasSpread())
    return machine.stop(op, "a number that is checked, or an index");
  return element->integer(tensor.getElementType());
}

static LogicalResult evalCondition(ConditionOp op, Execution &execution) {
  FailureOr<int64_t> value =
      readNumber(op, *execution.tensor(0), {}, execution.getMachine());
  if (failed(value))
    return failure();
  execution.setInteger(0, *value);
  return success();
}

static LogicalResult evalSize(SizeOp op, Execution &execution) {
  FailureOr<int64_t> value =
      readNumber(op, *execution.tensor(0), {}, execution.getMachine());
  if (failed(value))
    return failure();
  if (*value < int64_t(op.getAtLeast()))
    return numerics::errorAt(op) << "the size is " << *value
                                 << ", expected at least " << op.getAtLeast();
  if (op.getAtMost()) {
    FailureOr<int64_t> most = execution.integer(1);
    if (failed(most))
      return failure();
    if (*value > *most)
      return numerics::errorAt(op)
             << "the size is " << *value << ", expected at most " << *most;
  }
  execution.setInteger(0, *value);
  return success();
}

static LogicalResult evalResizeRows(ResizeRowsOp op, Execution &execution) {
  TensorPtr source = execution.tensor(0);
  FailureOr<int64_t> rows = execution.integer(1);
  if (failed(rows))
    return failure();
  Shape shape = source->getShape();
  shape[0] = *rows;
  Scalar unwritten = Scalar::poison(op);
  return execution.setView(0, shape, [=](Index index) -> FailureOr<Scalar> {
    if (index[0] < source->getShape()[0])
      return source->at(index);
    return unwritten;
  });
}

static LogicalResult evalCheck(CheckOp op, Execution &execution) {
  FailureOr<int64_t> size = execution.integer(0);
  FailureOr<int64_t> expected = execution.integer(1);
  if (failed(size) || failed(expected))
    return failure();
  const bool holds = op.getAtMost() ? *size <= *expected : *size == *expected;
  if (!holds)
    return numerics::errorAt(op)
           << op.getMessage() << ": found " << *size << ", expected "
           << (op.getAtMost() ? "at most " : "") << *expected;
  return success();
}

static LogicalResult evalRequire(RequireOp op, Execution &execution) {
  const TensorPtr &source = execution.tensor(0);
  SmallVector<int64_t> bounds;
  for (unsigned n = 1; n < op->getNumOperands(); ++n) {
    FailureOr<int64_t> bound = execution.integer(n);
    if (failed(bound))
      return failure();
    bounds.push_back(*bound);
  }
  for (int64_t n = 0, count = source->count(); n < count; ++n) {
    Shape index = indexOf(source->getShape(), n);
    FailureOr<int64_t> value =
        readNumber(op, *source, index, execution.getMachine());
    if (failed(value))
      return failure();
    const bool holds = bounds.empty()
                           ? *value != 0
                           : bounds[0] <= *value && *value < bounds[1];
    if (!holds)
      return numerics::errorAt(op) << op.getMessage() << ": element "
                                   << textOf(index) << " is " << *value;
  }
  return success();
}

//===--- scatter ----------------------------------------------------------===//

static APFloat combineFloats(StringRef kind, APFloat a, const APFloat &b) {
  if (kind == "add")
    a.add(b, APFloat::rmNearestTiesToEven);
  else if (kind == "mul")
    a.multiply(b, APFloat::rmNearestTiesToEven);
  else if (kind == "min")
    a = llvm::minimum(a, b);
  else
    a = llvm::maximum(a, b);
  return a;
}

static APInt combineInts(StringRef kind, const APInt &a, const APInt &b) {
  if (kind == "add")
    return a + b;
  if (kind == "mul")
    return a * b;
  if (kind == "min")
    return a.slt(b) ? a : b;
  if (kind == "max")
    return a.sgt(b) ? a : b;
  if (kind == "umin")
    return a.ult(b) ? a : b;
  return a.ugt(b) ? a : b;
}

static Scalar combine(StringRef kind, Scalar old, Scalar update, Type type,
                      Machine &machine) {
  if (kind == "set")
    return update;
  if (old.isPoison() || update.isPoison())
    return old.isPoison() ? old : update;
  if (isa<FloatType>(type)) {
    const numerics::Element a = old.element(type), b = update.element(type);
    auto compute = [&](ArrayRef<numerics::Element> x) {
      return FailureOr(
          numerics::computeFloat(x[0].getType(), x, [&](ArrayRef<APFloat> n) {
            return combineFloats(kind, n[0], n[1]);
          }));
    };
    Scalar result = Scalar::of(
        machine.randomly
            ? *machine.randomly->compute({a, b}, cast<FloatType>(type), compute)
            : *compute({a, b}));
    if (!old.hasSpread() && !update.hasSpread())
      return result;
    // Those of sums and products are gathered apart.
    const auto set = kind == "min"
                         ? numerics::minimum(a.permitted(), b.permitted())
                         : numerics::maximum(a.permitted(), b.permitted());
    return settle(result, set, type, /*areSingle=*/false);
  }
  if (old.hasSpread() || update.hasSpread())
    return Scalar::ofBits(old.bits()).amongAny();
  APInt result = combineInts(kind, old.element(type).integer(),
                             update.element(type).integer());
  return Scalar::ofBits(result.getZExtValue());
}

namespace {
/// One scatter: all updates are applied, in row-major order, when the first
/// element is asked for.
struct Scatter {
  ScatterOp op;
  Machine *machine;
  TensorPtr updates, data;
  std::vector<TensorPtr> indices;
  /// Elements that updates changed, by position.
  std::map<int64_t, Scalar> changed;
  /// In a run with freedom what is permitted for sums and products of floats.
  std::map<int64_t, OpenSum> sums;
  std::optional<SumChain> chain;
  bool isDone = false;

  LogicalResult apply();
  /// The element of the data that an update is for; none if it is outside.
  FailureOr<std::optional<int64_t>> target(Index update);
};
} // namespace

FailureOr<std::optional<int64_t>> Scatter::target(Index update) {
  Shape symbols, at;
  const Shape &shape = data->getShape();
  for (auto [tensor, attribute] : llvm::zip_equal(indices, op.getIndexMaps())) {
    Shape from;
    for (AffineExpr result :
         cast<AffineMapAttr>(attribute).getValue().getResults()) {
      FailureOr<int64_t> coordinate = evaluate(result, update);
      if (failed(coordinate))
        return numerics::errorAt(op)
               << "a map divides by a number that is not positive";
      from.push_back(*coordinate);
    }
    FailureOr<int64_t> number = readNumber(op, *tensor, from, *machine);
    if (failed(number))
      return failure();
    symbols.push_back(*number);
  }
  for (auto [d, result] : llvm::enumerate(op.getTarget().getResults())) {
    FailureOr<int64_t> coordinate = evaluate(result, update, symbols);
    assert(succeeded(coordinate) && "a dimension or a symbol (scatter_c3)");
    // Only an index counts from the end.
    if (isa<AffineSymbolExpr>(result) && *coordinate < 0)
      *coordinate += shape[d];
    at.push_back(*coordinate);
  }
  if (!contains(shape, at))
    return std::optional<int64_t>();
  return std::optional(positionOf(shape, at));
}

LogicalResult Scatter::apply() {
  isDone = true;
  for (int64_t n = 0, count = updates->count(); n < count; ++n) {
    Shape index = indexOf(updates->getShape(), n);
    FailureOr<std::optional<int64_t>> position = target(index);
    if (failed(position))
      return failure();
    if (!*position)
      continue;
    FailureOr<Scalar> update = load(op, *updates, index);
    if (failed(update))
      return failure();
    auto [entry, isNew] = changed.try_emplace(**position);
    if (isNew && op.getKind() != "set") {
      FailureOr<Scalar> old =
          load(op, *data, indexOf(data->getShape(), **position));
      if (failed(old))
        return failure();
      entry->second = *old;
      if (chain)
        sums.try_emplace(**position, *chain, data->getElementType(), *machine)
            .first->second.add(*old);
    }
    entry->second = combine(op.getKind(), entry->second, *update,
                            data->getElementType(), *machine);
    if (chain)
      sums.at(**position).add(*update);
  }
  for (auto &[position, sum] : sums)
    changed[position] = sum.result(changed[position]);
  return success();
}

/// How the updates of an element are combined, if their order matters.
static std::optional<SumChain> openChainOf(ScatterOp op,
                                           const Machine &machine) {
  using Kind = numerics::AnyOrder::Kind;
  if (!machine.isOpen() ||
      !isa<FloatType>(getElementTypeOrSelf(op->getResult(0))))
    return std::nullopt;
  if (op.getKind() == "add")
    return SumChain{Kind::sum, {}};
  if (op.getKind() == "mul")
    return SumChain{Kind::product, {}};
  return std::nullopt;
}

static LogicalResult evalScatter(ScatterOp op, Execution &execution) {
  auto scatter = std::make_shared<Scatter>();
  scatter->op = op;
  scatter->machine = &execution.getMachine();
  scatter->updates = execution.tensor(0);
  scatter->data = execution.tensor(1);
  for (unsigned n = 2; n < op->getNumOperands(); ++n)
    scatter->indices.push_back(execution.tensor(n));
  const Shape &shape = scatter->data->getShape();
  scatter->chain = openChainOf(op, execution.getMachine());
  auto element = [=](Index index) -> FailureOr<Scalar> {
    if (!scatter->isDone && failed(scatter->apply()))
      return failure();
    auto found =
        scatter->changed.find(positionOf(scatter->data->getShape(), index));
    return found == scatter->changed.end() ? scatter->data->at(index)
                                           : FailureOr<Scalar>(found->second);
  };
  if (failed(execution.setView(0, shape, element)))
    return failure();
  if (!op.getOwners())
    return success();
  // The content is not specified, so that nobody may read it.
  Shape owned;
  for (unsigned dim : op.getOwnedDims())
    owned.push_back(shape[dim]);
  Scalar unwritten = Scalar::poison(op);
  return execution.setView(1, owned, [=](Index) { return unwritten; });
}

void addGraphEvals(EvalTable &table) {
  table.add<CheckOp>(evalCheck);
  table.add<CompositeOp>(evalComposite);
  table.add<ConditionOp>(evalCondition);
  table.add<GroupOp>(evalGroup);
  table.add<RequireOp>(evalRequire);
  table.add<ResizeRowsOp>(evalResizeRows);
  table.add<ScatterOp>(evalScatter);
  table.add<SizeOp>(evalSize);
}

} // namespace tilewright::graph::reference
