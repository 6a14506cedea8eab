#include "tileir/reference/ProgramInstance.h"

#include "tileir/reference/SetOps.h"

using namespace mlir;

namespace tilewright::reference {

InFlightDiagnostic errorAt(Operation *op) {
  InFlightDiagnostic diagnostic = op->emitError();
  diagnostic << op->getName().getStringRef() << ": ";
  return diagnostic;
}

InFlightDiagnostic poisonError(Operation *op, const Element &element,
                               const Twine &what) {
  InFlightDiagnostic diagnostic = errorAt(op) << what;
  diagnostic.attachNote(element.poisonOrigin()->getLoc())
      << "this operation is not defined for its operands";
  return diagnostic;
}

const Element *findPoison(ArrayRef<Element> elements) {
  auto found =
      llvm::find_if(elements, [](const Element &e) { return e.isPoison(); });
  return found == elements.end() ? nullptr : found;
}

LogicalResult errorAt(Operation *op, const Status &status) {
  return errorAt(op) << status.message();
}

void ProgramInstance::setAll(ValueRange to, ArrayRef<Value> from) {
  for (auto [value, result] : llvm::zip_equal(to, from))
    values.insert_or_assign(value, result);
}

LogicalResult ProgramInstance::stop(Operation *op, const Twine &what) {
  if (!launch.options.undetermined)
    return errorAt(op) << what
                       << " depends on what the specification leaves open";
  *launch.options.undetermined = {op, what.str()};
  return failure();
}

FailureOr<int64_t> ProgramInstance::scalar(Operation *op, mlir::Value value) {
  const Element &element = tile(value).elements.front();
  if (element.isPoison())
    return poisonError(op, element,
                       "uses a poison value as address, bound or condition");
  if (element.hasSpread())
    return stop(op, "an address, a bound or a condition");
  // An i1 is 0 or 1, not -1.
  if (element.getType().isInteger(1))
    return int64_t(element.isTrue());
  return element.toInt();
}

LogicalResult ProgramInstance::step(Operation *op) {
  const bool isLate =
      launch.options.deadline &&
      std::chrono::steady_clock::now() > *launch.options.deadline;
  const bool hasEnough = ++launch.steps > launch.options.stepLimit || isLate;
  if (hasEnough && launch.options.reachedLimit)
    *launch.options.reachedLimit = true;
  if (isLate)
    return errorAt(op) << "the launch takes too long";
  if (hasEnough)
    return errorAt(op) << "the step limit of " << launch.options.stepLimit
                       << " ops is reached; a loop that waits for another "
                          "program does not end here, programs run one after "
                          "the other";
  const OpTable::Eval *eval = OpTable::get().find(op);
  if (!eval && launch.options.moreOps)
    eval = launch.options.moreOps->find(op);
  if (!eval)
    return errorAt(op) << "the interpreter does not know this op";
  return (*eval)(op, *this);
}

FailureOr<SmallVector<Value>> ProgramInstance::run(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(step(&op)))
      return failure();
  SmallVector<Value> results;
  for (mlir::Value operand : block.getTerminator()->getOperands())
    results.push_back(get(operand));
  return results;
}

FailureOr<SmallVector<Value>> ProgramInstance::run(Block &block,
                                                   ArrayRef<Value> arguments) {
  setAll(block.getArguments(), arguments);
  return run(block);
}

/// Evaluates result number `result` of an elementwise op.
static LogicalResult evalResult(Operation *op, unsigned result,
                                const EvalElement &evalElement,
                                ProgramInstance &program) {
  SmallVector<const TileValue *> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(&program.tile(operand));
  TileValue value{op->getResult(result).getType(), {}};
  size_t count = operands.front()->elements.size();
  for (const TileValue *operand : operands)
    count = std::max(count, operand->elements.size());
  for (size_t i = 0; i < count; ++i) {
    SmallVector<Element, 3> elements;
    for (const TileValue *operand : operands)
      // arith.select takes a scalar condition with tiles.
      elements.push_back(operand->elements.size() == 1 ? operand->elements[0]
                                                       : operand->elements[i]);
    if (const Element *poison = findPoison(elements)) {
      value.elements.push_back(
          Element::poison(value.elementType(), poison->poisonOrigin()));
      continue;
    }
    FailureOr<Element> element = evalElement(op, elements, value.elementType());
    if (failed(element))
      return failure();
    if (isOpen(elements, program.getFreedom()))
      element = spreadResult(op, result, elements, std::move(*element),
                             program.getFreedom());
    value.elements.push_back(std::move(*element));
  }
  return program.set(op->getResult(result), std::move(value));
}

void OpTable::addElementwise(StringRef name, std::vector<EvalElement> results) {
  elementwise[name] = results;
  table[name] = [results](Operation *op,
                          ProgramInstance &program) -> LogicalResult {
    for (auto [number, evalElement] : llvm::enumerate(results))
      if (failed(evalResult(op, number, evalElement, program)))
        return failure();
    return success();
  };
}

static OpTable makeTable() {
  OpTable table;
  addArithOps(table);
  addAtomicOps(table);
  addCastOps(table);
  addComputeOps(table);
  addConvertOps(table);
  addControlOps(table);
  addMathOps(table);
  addMemoryOps(table);
  addMiscOps(table);
  addShapeOps(table);
  addSortOps(table);
  return table;
}

const OpTable &OpTable::get() {
  static const OpTable table = makeTable();
  return table;
}

ArrayRef<EvalElement> elementFunctions(Operation *op) {
  return OpTable::get().elementFunctions(op);
}

} // namespace tilewright::reference
