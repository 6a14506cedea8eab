// Ops of linalg that are loops around a body: linalg.generic and all named ops.
#include "graph/reference/Execution.h"

#include "graph/reference/Subscripts.h"
#include "graph/reference/Sums.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace tilewright::graph::reference {

namespace {
/// One op with its operands: loops over points, in each of which the body
/// combines elements of the inputs with those of the results so far.
class Structured {
public:
  Structured(linalg::LinalgOp op, Execution &execution)
      : op(op), inputs(op.getNumDpsInputs()), inits(op.getNumDpsInits()),
        body(*execution.getInstruction().closure->body),
        keptBody(execution.getInstruction().closure->body),
        frame(execution.closureFrame()), machine(execution.getMachine()) {}

  /// Reads operands and sizes. Fails with an error at the op.
  LogicalResult prepare(Execution &execution);
  unsigned inputCount() const { return inputs; }
  unsigned resultCount() const { return inits; }
  const TensorPtr &init(unsigned result) const {
    return operands[inputCount() + result].tensor;
  }
  /// Whether an element of the result can be computed without the others.
  bool isOnDemand(unsigned result) const;
  /// Whether all results are indexed alike, and computed together.
  bool isJoint() const;
  /// One element of each result that is indexed as `result` is.
  FailureOr<SmallVector<Scalar, 2>> compute(unsigned result, Index index);
  /// All elements of all results.
  FailureOr<std::vector<TensorPtr>> computeAll();

private:
  const Subscripts &subscripts(unsigned result) const {
    return maps[inputCount() + result];
  }
  LogicalResult findSizes();
  LogicalResult addSize(unsigned loop, int64_t size);
  LogicalResult checkSubscripts();
  FailureOr<Scalar> read(unsigned operand);
  LogicalResult runPoint(MutableArrayRef<Scalar> accumulators);
  /// By result, if it is a sum whose order is open: its terms begin with the
  /// accumulators of now.
  std::vector<std::optional<OpenSum>>
  beginSums(ArrayRef<Scalar> accumulators) const;
  void addToSums(MutableArrayRef<std::optional<OpenSum>> sums,
                 MutableArrayRef<Scalar> accumulators) const;
  bool isRead(unsigned operand) const { return body.isRead[operand]; }

  linalg::LinalgOp op;
  unsigned inputs, inits;
  const Body &body;
  std::shared_ptr<const Body> keptBody;
  Frame frame;
  Machine &machine;
  std::vector<Slot> operands;
  std::vector<Subscripts> maps;
  /// By result; none in a run without freedom.
  std::vector<std::optional<SumChain>> chains;
  Shape sizes;
  // The point of now, and memory for an index and for what the body takes.
  Shape point, subscript;
  SmallVector<Scalar, 4> arguments;
};
} // namespace

LogicalResult Structured::addSize(unsigned loop, int64_t size) {
  if (sizes[loop] >= 0 && sizes[loop] != size)
    return numerics::errorAt(op)
           << "loop " << loop << " has sizes " << sizes[loop] << " and " << size
           << " by its operands";
  sizes[loop] = size;
  return success();
}

LogicalResult Structured::findSizes() {
  sizes.assign(op.getNumLoops(), -1);
  for (auto [operand, map] : llvm::zip_equal(operands, maps))
    for (unsigned d = 0; d < map.size(); ++d)
      if (std::optional<unsigned> loop = map.loopAt(d))
        if (failed(addSize(*loop, operand.tensor->getShape()[d])))
          return failure();
  if (auto *loop = llvm::find(sizes, -1); loop != sizes.end())
    return numerics::errorAt(op)
           << "no operand says how long loop " << loop - sizes.begin() << " is";
  return success();
}

/// Where the loops lead outside of an operand, which is a fault also if its
/// elements are not used, or another loop is empty. What is not linear is
/// checked when it is read.
LogicalResult Structured::checkSubscripts() {
  for (auto [number, operand, map] : llvm::enumerate(operands, maps))
    for (unsigned d = 0; d < map.size(); ++d) {
      std::optional<SubscriptRange> range = map.rangeAt(d, sizes);
      if (!range)
        continue;
      const int64_t size = operand.tensor->getShape()[d];
      if (range->least < 0 || range->greatest >= size)
        return numerics::errorAt(op)
               << "subscripts " << range->least << " to " << range->greatest
               << " of dimension " << d << " of operand " << number
               << ", whose size is " << size;
    }
  return success();
}

LogicalResult Structured::prepare(Execution &execution) {
  for (OpOperand &operand : op->getOpOperands()) {
    operands.push_back(execution.operand(operand.getOperandNumber()));
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (map.getNumSymbols() > 0)
      return numerics::errorAt(op) << "an indexing map has symbols";
    maps.emplace_back(map);
  }
  arguments.resize(operands.size());
  for (unsigned result = 0; machine.isOpen() && result < inits; ++result)
    chains.push_back(findSumChain(body,
                                  body.sequence.arguments[inputs + result],
                                  body.sequence.yielded[result]));
  if (failed(findSizes()) || failed(checkSubscripts()))
    return failure();
  point.assign(sizes.size(), 0);
  return success();
}

bool Structured::isJoint() const {
  for (unsigned other = 1; other < resultCount(); ++other)
    if (subscripts(other).getMap() != subscripts(0).getMap())
      return false;
  return true;
}

bool Structured::isOnDemand(unsigned result) const {
  if (!subscripts(result).isProjection())
    return false;
  for (unsigned other = 0; other < resultCount(); ++other)
    if (isRead(inputCount() + other) &&
        subscripts(other).getMap() != subscripts(result).getMap())
      return false;
  return true;
}

/// The element of an operand at the point of now.
FailureOr<Scalar> Structured::read(unsigned operand) {
  if (!operands[operand].tensor)
    return operands[operand].scalar;
  if (failed(maps[operand].at(point, subscript)))
    return numerics::errorAt(op)
           << "a map divides by a number that is not positive";
  return load(op, *operands[operand].tensor, subscript);
}

/// The body at the point of now.
LogicalResult Structured::runPoint(MutableArrayRef<Scalar> accumulators) {
  for (unsigned input = 0; input < inputCount(); ++input) {
    if (!isRead(input))
      continue;
    FailureOr<Scalar> element = read(input);
    if (failed(element))
      return failure();
    arguments[input] = *element;
  }
  for (unsigned result = 0; result < resultCount(); ++result) {
    if (!isRead(inputCount() + result))
      continue;
    arguments[inputCount() + result] = accumulators[result];
  }
  for (Body::Loop loop : body.loops)
    frame[loop.slot].scalar = Scalar::ofBits(point[loop.dim]);
  for (auto [slot, argument] :
       llvm::zip_equal(body.sequence.arguments, arguments))
    frame[slot].scalar = argument;
  if (failed(run(body.sequence.instructions, frame, machine)))
    return failure();
  for (auto [accumulator, slot] :
       llvm::zip_equal(accumulators, body.sequence.yielded))
    accumulator = frame[slot].scalar;
  return success();
}

std::vector<std::optional<OpenSum>>
Structured::beginSums(ArrayRef<Scalar> accumulators) const {
  std::vector<std::optional<OpenSum>> sums(chains.size());
  for (auto [result, chain] : llvm::enumerate(chains))
    if (chain) {
      sums[result].emplace(*chain, init(result)->getElementType(), machine);
      sums[result]->add(accumulators[result]);
    }
  return sums;
}

/// The terms of the point for which the body has run. Accumulators that are
/// sums go on without a spread, which their terms make at the end.
void Structured::addToSums(MutableArrayRef<std::optional<OpenSum>> sums,
                           MutableArrayRef<Scalar> accumulators) const {
  for (auto [result, sum] : llvm::enumerate(sums))
    if (sum) {
      sum->addPoint(frame);
      accumulators[result] = accumulators[result].alone();
    }
}

static void finishSums(ArrayRef<std::optional<OpenSum>> sums,
                       MutableArrayRef<Scalar> accumulators) {
  for (auto [result, sum] : llvm::enumerate(sums))
    if (sum)
      accumulators[result] = sum->result(accumulators[result]);
}

FailureOr<SmallVector<Scalar, 2>> Structured::compute(unsigned result,
                                                      Index index) {
  const Subscripts &map = subscripts(result);
  SmallVector<Scalar, 2> accumulators(resultCount());
  // Nothing to add to: what stays is read by nobody, and not computed.
  Shape inner = sizes;
  bool isWritten = true;
  for (unsigned d = 0; d < map.size(); ++d) {
    std::optional<unsigned> loop = map.loopAt(d);
    if (loop)
      inner[*loop] = 1;
    else
      isWritten &= map.constantAt(d) == index[d];
  }
  const bool isEmpty = !isWritten || countOf(inner) == 0;
  for (unsigned other = 0; other < resultCount(); ++other) {
    bool isNeeded = isEmpty || isRead(inputCount() + other);
    if (!isNeeded || subscripts(other).getMap() != map.getMap())
      continue;
    FailureOr<Scalar> first = init(other)->at(index);
    if (failed(first))
      return failure();
    accumulators[other] = *first;
  }
  if (isEmpty)
    return accumulators;
  std::vector<std::optional<OpenSum>> sums = beginSums(accumulators);
  // The loops of the index stay, the others run, row-major.
  Shape offset(sizes.size(), 0), step(sizes.size(), 0);
  for (unsigned d = 0; d < map.size(); ++d)
    if (std::optional<unsigned> loop = map.loopAt(d))
      offset[*loop] = index[d];
  do {
    for (size_t loop = 0; loop < sizes.size(); ++loop)
      point[loop] = offset[loop] + step[loop];
    if (failed(runPoint(accumulators)))
      return failure();
    if (!sums.empty())
      addToSums(sums, accumulators);
  } while (advance(inner, step));
  finishSums(sums, accumulators);
  return accumulators;
}

FailureOr<std::vector<TensorPtr>> Structured::computeAll() {
  std::vector<std::vector<Scalar>> elements;
  for (unsigned result = 0; result < resultCount(); ++result) {
    FailureOr<std::vector<Scalar>> first = elementsOf(op, *init(result));
    if (failed(first))
      return failure();
    elements.push_back(std::move(*first));
  }
  SmallVector<Scalar, 2> accumulators(resultCount());
  SmallVector<Scalar *, 2> targets(resultCount());
  // By element, those of which the order is open.
  std::map<Scalar *, OpenSum> sums;
  point.assign(sizes.size(), 0);
  bool goesOn = countOf(sizes) > 0;
  for (; goesOn; goesOn = advance(sizes, point)) {
    for (unsigned result = 0; result < resultCount(); ++result) {
      const Shape &shape = init(result)->getShape();
      if (failed(subscripts(result).at(point, subscript)) ||
          !contains(shape, subscript))
        return numerics::errorAt(op) << "writes outside of result " << result;
      targets[result] = &elements[result][positionOf(shape, subscript)];
      accumulators[result] = *targets[result];
      if (!chains.empty() && chains[result])
        if (auto [entry, isNew] =
                sums.try_emplace(targets[result], *chains[result],
                                 init(result)->getElementType(), machine);
            isNew)
          entry->second.add(accumulators[result]);
    }
    if (failed(runPoint(accumulators)))
      return failure();
    for (unsigned result = 0; result < resultCount(); ++result) {
      *targets[result] = accumulators[result];
      if (auto sum = sums.find(targets[result]); sum != sums.end()) {
        sum->second.addPoint(frame);
        *targets[result] = accumulators[result].alone();
      }
    }
  }
  for (auto &[target, sum] : sums)
    *target = sum.result(*target);
  std::vector<TensorPtr> tensors;
  for (unsigned result = 0; result < resultCount(); ++result)
    tensors.push_back(std::make_shared<StoredTensor>(
        init(result)->getElementType(), init(result)->getShape(),
        std::move(elements[result])));
  return tensors;
}

//===--- The op -----------------------------------------------------------===//

/// All results at once, when the first element is asked for.
static LogicalResult setTogether(std::shared_ptr<Structured> structured,
                                 Execution &execution) {
  auto all = std::make_shared<std::vector<TensorPtr>>();
  for (unsigned result = 0; result < structured->resultCount(); ++result) {
    auto element = [=](Index index) -> FailureOr<Scalar> {
      if (all->empty()) {
        FailureOr<std::vector<TensorPtr>> computed = structured->computeAll();
        if (failed(computed))
          return failure();
        *all = std::move(*computed);
      }
      return (*all)[result]->at(index);
    };
    if (failed(execution.setView(result, structured->init(result)->getShape(),
                                 element)))
      return failure();
  }
  return success();
}

/// Each element by itself; what is computed with it is remembered too.
static LogicalResult setOnDemand(std::shared_ptr<Structured> structured,
                                 Execution &execution) {
  auto tensors = std::make_shared<std::vector<std::weak_ptr<ComputedTensor>>>();
  const bool isJoint = structured->isJoint();
  for (unsigned result = 0; result < structured->resultCount(); ++result) {
    auto element = [=](Index index) -> FailureOr<Scalar> {
      FailureOr<SmallVector<Scalar, 2>> values =
          structured->compute(result, index);
      if (failed(values))
        return failure();
      for (unsigned other = 0; isJoint && other < tensors->size(); ++other)
        if (auto tensor = (*tensors)[other].lock(); tensor && other != result)
          tensor->put(index, (*values)[other]);
      return (*values)[result];
    };
    if (failed(execution.setComputed(
            result, structured->init(result)->getShape(), element)))
      return failure();
    const TensorPtr &tensor =
        execution.getFrame()[execution.getInstruction().results[result]].tensor;
    tensors->push_back(std::dynamic_pointer_cast<ComputedTensor>(tensor));
  }
  return success();
}

LogicalResult evalStructured(Operation *operation, Execution &execution) {
  auto op = cast<linalg::LinalgOp>(operation);
  if (op->getNumResults() != unsigned(op.getNumDpsInits()))
    return numerics::errorAt(op) << "expected results that are tensors";
  auto structured = std::make_shared<Structured>(op, execution);
  if (failed(structured->prepare(execution)))
    return failure();
  bool onDemand = true;
  for (unsigned result = 0; result < structured->resultCount(); ++result)
    onDemand &= structured->isOnDemand(result);
  return onDemand ? setOnDemand(std::move(structured), execution)
                  : setTogether(std::move(structured), execution);
}

} // namespace tilewright::graph::reference
