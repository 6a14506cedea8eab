// Ops on whole rows of a tensor: sort, top_k and scan.
#include "graph/reference/Execution.h"

#include "graph/ir/Graph.h"
#include "tileir/reference/Combiner.h"
#include "tileir/reference/Sorting.h"

using namespace mlir;

namespace tilewright::graph::reference {

namespace {
/// The rows of all results for the index of a row, whose coordinate along the
/// axis is 0.
using RowFn = std::function<FailureOr<std::vector<Row>>(Index)>;
} // namespace

/// Results whose rows along `axis` are computed together; those of the last
/// row are kept.
static LogicalResult setRows(Execution &execution, int64_t axis,
                             ArrayRef<Shape> shapes, RowFn compute) {
  struct Last {
    std::optional<Shape> row;
    std::vector<Row> results;
  };
  auto last = std::make_shared<Last>();
  for (auto [number, shape] : llvm::enumerate(shapes)) {
    auto element = [=, number = number](Index index) -> FailureOr<Scalar> {
      Shape row(index);
      row[axis] = 0;
      if (!last->row || *last->row != row) {
        FailureOr<std::vector<Row>> results = compute(row);
        if (failed(results))
          return failure();
        last->row = row;
        last->results = std::move(*results);
      }
      return last->results[number][index[axis]];
    };
    if (failed(execution.setComputed(number, shape, element)))
      return failure();
  }
  return success();
}

/// The rows of all inputs that begin at one index.
static FailureOr<std::vector<Row>>
readRows(Operation *op, ArrayRef<TensorPtr> inputs, Index start, int64_t axis) {
  std::vector<Row> rows;
  for (const TensorPtr &input : inputs) {
    FailureOr<Row> row = readRow(op, *input, start, axis);
    if (failed(row))
      return failure();
    rows.push_back(std::move(*row));
  }
  return rows;
}

/// All inputs of an op, of one shape; else a fault.
static FailureOr<std::vector<TensorPtr>> equalInputs(Execution &execution) {
  std::vector<TensorPtr> inputs;
  for (unsigned n = 0; n < execution.getOp()->getNumOperands(); ++n) {
    inputs.push_back(execution.tensor(n));
    if (inputs[n]->getShape() != inputs[0]->getShape())
      return numerics::errorAt(execution.getOp())
             << "inputs have shapes " << textOf(inputs[0]->getShape())
             << " and " << textOf(inputs[n]->getShape());
  }
  return inputs;
}

//===--- sort, top_k ------------------------------------------------------===//

/// The elements of a row; none if one of them is poison.
static std::optional<std::vector<numerics::Element>>
elementsOfRow(const Row &row, Type type) {
  std::vector<numerics::Element> elements;
  for (Scalar element : row) {
    if (element.isPoison())
      return std::nullopt;
    elements.push_back(element.element(type));
  }
  return elements;
}

/// The row in sorted order. Poison, which has no set, is moved as it is.
static Row sortRow(const Row &row, Type type,
                   const numerics::SortedOrder &order, int64_t count) {
  std::optional<std::vector<numerics::Element>> elements;
  if (order.isOpen())
    elements = elementsOfRow(row, type);
  Row sorted;
  for (int64_t n = 0; n < count; ++n)
    sorted.push_back(elements ? Scalar::of(order.select(*elements, n))
                              : row[order.getPositions()[n]]);
  return sorted;
}

static Scalar firstPoison(const Row &row) {
  return *llvm::find_if(row, [](Scalar x) { return x.isPoison(); });
}

static LogicalResult evalSort(SortOp op, Execution &execution) {
  FailureOr<std::vector<TensorPtr>> found = equalInputs(execution);
  if (failed(found))
    return failure();
  const int64_t axis = op.getAxis();
  const bool descending = op.getDescending();
  const bool isUnsigned = op.getIsUnsigned();
  auto compute = [=,
                  inputs = *found](Index start) -> FailureOr<std::vector<Row>> {
    FailureOr<std::vector<Row>> rows = readRows(op, inputs, start, axis);
    if (failed(rows))
      return failure();
    const Row &keys = rows->front();
    auto elements = elementsOfRow(keys, inputs[0]->getElementType());
    if (!elements)
      return std::vector<Row>(rows->size(),
                              Row(keys.size(), firstPoison(keys)));
    const numerics::SortedOrder order(*elements, descending, isUnsigned);
    std::vector<Row> sorted;
    for (auto [row, input] : llvm::zip_equal(*rows, inputs))
      sorted.push_back(
          sortRow(row, input->getElementType(), order, int64_t(row.size())));
    return sorted;
  };
  return setRows(execution, axis,
                 SmallVector<Shape>(found->size(), (*found)[0]->getShape()),
                 compute);
}

static LogicalResult evalTopK(TopKOp op, Execution &execution) {
  TensorPtr source = execution.tensor(0);
  const int64_t axis = op.getAxis();
  const bool smallest = op.getSmallest();
  const bool isUnsigned = op.getIsUnsigned();
  const int64_t count =
      cast<RankedTensorType>(op.getValues().getType()).getDimSize(axis);
  Type indexType = getElementTypeOrSelf(op.getIndices());
  if (count > source->getShape()[axis])
    return numerics::errorAt(op) << "selects " << count << " of "
                                 << source->getShape()[axis] << " elements";
  auto compute = [=](Index start) -> FailureOr<std::vector<Row>> {
    FailureOr<Row> row = readRow(op, *source, start, axis);
    if (failed(row))
      return failure();
    auto elements = elementsOfRow(*row, source->getElementType());
    if (!elements)
      return std::vector<Row>(2, Row(count, firstPoison(*row)));
    const numerics::SortedOrder order(*elements, !smallest, isUnsigned);
    Row numbers;
    for (size_t n = 0; n < row->size(); ++n)
      numbers.push_back(Scalar::ofBits(n));
    return std::vector<Row>{
        sortRow(*row, source->getElementType(), order, count),
        sortRow(numbers, indexType, order, count)};
  };
  Shape shape = source->getShape();
  shape[axis] = count;
  return setRows(execution, axis, {shape, shape}, compute);
}

//===--- scan -------------------------------------------------------------===//

/// What a scan permits for each of its inputs: none without freedom.
static std::vector<numerics::OpenCombination>
openCombinations(ScanOp op, const Machine &machine) {
  std::vector<numerics::OpenCombination> found;
  const unsigned inputs = op.getInputs().size();
  for (unsigned n = 0; machine.isOpen() && n < inputs; ++n)
    found.emplace_back(
        numerics::combinationOf(op.getRegion().front(), inputs, n),
        getElementTypeOrSelf(op.getInputs()[n]), machine.freedom);
  return found;
}

static LogicalResult evalScan(ScanOp op, Execution &execution) {
  FailureOr<std::vector<TensorPtr>> found = equalInputs(execution);
  if (failed(found))
    return failure();
  const int64_t axis = op.getAxis();
  const bool reverse = op.getReverse();
  auto body = std::make_shared<LaterBody>(execution);
  auto compute = [=, inputs = *found,
                  combinations = openCombinations(op, execution.getMachine())](
                     Index start) -> FailureOr<std::vector<Row>> {
    FailureOr<std::vector<Row>> read = readRows(op, inputs, start, axis);
    if (failed(read))
      return failure();
    std::vector<Row> &rows = *read;
    const int64_t size = rows[0].size();
    // Two numbers for each input: what is combined so far, and the next one.
    SmallVector<Scalar> sums(rows.size()), arguments(2 * rows.size());
    std::vector<numerics::OpenCombination> open = combinations;
    for (int64_t n = 0; n < size; ++n) {
      const int64_t at = reverse ? size - 1 - n : n;
      for (size_t input = 0; input < rows.size(); ++input) {
        arguments[input] = sums[input];
        arguments[rows.size() + input] = rows[input][at];
      }
      FailureOr<SmallVector<Scalar, 2>> combined =
          SmallVector<Scalar, 2>(ArrayRef(arguments).drop_front(rows.size()));
      if (n > 0)
        combined = body->run(arguments);
      if (failed(combined))
        return failure();
      for (size_t input = 0; input < rows.size(); ++input) {
        sums[input] = (*combined)[input];
        Scalar &element = rows[input][at];
        if (open.empty()) {
          element = sums[input];
          continue;
        }
        Type type = inputs[input]->getElementType();
        open[input].add(element.element(type));
        element = Scalar::of(
            open[input].result(sums[input].element(type), /*isScan=*/true));
      }
    }
    return rows;
  };
  return setRows(execution, axis,
                 SmallVector<Shape>(found->size(), (*found)[0]->getShape()),
                 compute);
}

void addRowEvals(EvalTable &table) {
  table.add<ScanOp>(evalScan);
  table.add<SortOp>(evalSort);
  table.add<TopKOp>(evalTopK);
}

} // namespace tilewright::graph::reference
