#include "graph/reference/Execution.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tileir/reference/SetOps.h"

using namespace mlir;

namespace tilewright::graph::reference {

/// A chain of more tensors that wait for each other is computed at once:
/// otherwise the stack of this process would end it.
static constexpr unsigned kDeepest = 300;

LogicalResult Machine::checkLimit(Operation *op) const {
  if (ops <= options.mostOps)
    return success();
  if (options.reachedLimit)
    *options.reachedLimit = true;
  return numerics::errorAt(op)
         << "the limit of " << options.mostOps << " ops is reached";
}

LogicalResult run(const std::vector<Instruction> &code, Frame &frame,
                  Machine &machine) {
  machine.ops += code.size();
  if (!code.empty() && failed(machine.checkLimit(code.front().op)))
    return failure();
  // With free roundings the result of each op is a set, with random ones it is
  // first exact.
  const bool isFast = !machine.roundsFreely() && !machine.randomly;
  for (const Instruction &instruction : code) {
    if (instruction.onBits && isFast) {
      const Scalar a = frame[instruction.operands.front()].scalar;
      const Scalar b = frame[instruction.operands.back()].scalar;
      if (a.isDefined() && b.isDefined()) {
        frame[instruction.results.front()].scalar =
            Scalar::ofBits(instruction.onBits(a.bits(), b.bits()));
        continue;
      }
    }
    Execution execution(instruction, frame, machine);
    if (failed((*instruction.eval)(instruction.op, execution)))
      return failure();
  }
  return success();
}

LogicalResult Machine::stop(Operation *op, const Twine &what) {
  undetermined = {op, what.str()};
  return failure();
}

//===--- Execution --------------------------------------------------------===//

FailureOr<int64_t> Execution::integer(unsigned number) const {
  Scalar value = scalar(number);
  Type type = getOp()->getOperand(number).getType();
  if (value.isPoison())
    return poisonFault(getOp(), value,
                       "uses poison as index, size or condition");
  if (value.hasSpread())
    return machine.stop(getOp(), "an index, a size or a condition");
  return value.integer(type);
}

FailureOr<Shape> Execution::integers(ArrayRef<int64_t> statics,
                                     OperandRange dynamics) const {
  Shape numbers;
  unsigned next = dynamics.empty() ? 0 : dynamics.getBeginOperandIndex();
  for (int64_t known : statics) {
    if (!ShapedType::isDynamic(known)) {
      numbers.push_back(known);
      continue;
    }
    FailureOr<int64_t> value = integer(next++);
    if (failed(value))
      return failure();
    numbers.push_back(*value);
  }
  return numbers;
}

void Execution::setInteger(unsigned number, int64_t value) {
  unsigned width = numerics::widthOf(getOp()->getResult(number).getType());
  set(number, Scalar::ofBits(uint64_t(value) &
                             llvm::maskTrailingOnes<uint64_t>(width)));
}

LogicalResult Execution::set(unsigned number, TensorPtr tensor) {
  auto type = cast<RankedTensorType>(getOp()->getResult(number).getType());
  auto fits = [](auto sizes) {
    auto [expected, found] = sizes;
    return found >= 0 && (ShapedType::isDynamic(expected) || expected == found);
  };
  if (!llvm::all_of(llvm::zip_equal(type.getShape(), tensor->getShape()), fits))
    return numerics::errorAt(getOp())
           << "a result has shape " << textOf(tensor->getShape())
           << ", its type is " << type;
  if (tensor->depth > kDeepest) {
    FailureOr<TensorPtr> stored = store(getOp(), tensor);
    if (failed(stored))
      return failure();
    tensor = *stored;
  }
  frame[instruction.results[number]].tensor = std::move(tensor);
  return success();
}

LogicalResult Execution::set(unsigned number, Slot value) {
  if (value.tensor)
    return set(number, std::move(value.tensor));
  set(number, value.scalar);
  return success();
}

LogicalResult Execution::setAll(ArrayRef<Slot> values) {
  for (auto [number, value] : llvm::enumerate(values))
    if (failed(set(number, value)))
      return failure();
  return success();
}

/// Of a tensor that is computed from the operands and captured values.
static unsigned depthOver(const Instruction &instruction, const Frame &frame) {
  unsigned depth = 0;
  auto add = [&](unsigned slot) {
    if (frame[slot].tensor)
      depth = std::max(depth, frame[slot].tensor->depth + 1);
  };
  llvm::for_each(instruction.operands, add);
  if (instruction.closure)
    for (auto [outer, inner] : instruction.closure->captures)
      add(outer);
  return depth;
}

LogicalResult Execution::setView(unsigned number, Shape shape,
                                 ElementFn element) {
  auto tensor = std::make_shared<FunctionTensor>(
      getElementTypeOrSelf(getOp()->getResult(number)), std::move(shape),
      std::move(element));
  tensor->depth = depthOver(instruction, frame);
  return set(number, std::move(tensor));
}

LogicalResult Execution::setComputed(unsigned number, Shape shape,
                                     ElementFn element) {
  auto tensor = std::make_shared<ComputedTensor>(
      getElementTypeOrSelf(getOp()->getResult(number)), std::move(shape),
      machine.memory, std::move(element));
  tensor->depth = depthOver(instruction, frame);
  return set(number, std::move(tensor));
}

FailureOr<SmallVector<Slot>> Execution::runRegion(unsigned number,
                                                  ArrayRef<Slot> arguments) {
  const Sequence &sequence = instruction.regions[number];
  for (auto [slot, argument] : llvm::zip_equal(sequence.arguments, arguments))
    frame[slot] = argument;
  ++machine.ops;
  if (failed(machine.checkLimit(getOp())))
    return failure();
  if (failed(run(sequence.instructions, frame, machine)))
    return failure();
  SmallVector<Slot> results;
  for (unsigned slot : sequence.yielded)
    results.push_back(frame[slot]);
  return results;
}

Frame Execution::closureFrame() const {
  Frame inner = instruction.closure->body->frame();
  for (auto [from, to] : instruction.closure->captures)
    inner[to] = frame[from];
  return inner;
}

//===--- Elements ---------------------------------------------------------===//

Scalar choose(Scalar condition, Scalar whenTrue, Scalar whenFalse, Type type) {
  if (condition.isPoison())
    return condition;
  const Scalar chosen = condition.bits() ? whenTrue : whenFalse;
  if (!condition.hasSpread())
    return chosen;
  return Scalar::of(numerics::uniteElements(
      chosen.element(type),
      (condition.bits() ? whenFalse : whenTrue).element(type)));
}

Scalar settle(Scalar computed, const numerics::Permitted &set, Type type,
              bool areSingle) {
  return Scalar::of(numerics::settle(computed.element(type), set, areSingle));
}

std::string textOf(ArrayRef<int64_t> numbers) {
  std::string text = "[";
  for (auto [n, number] : llvm::enumerate(numbers))
    text += (n ? ", " : "") + std::to_string(number);
  return text + "]";
}

LogicalResult poisonFault(Operation *op, Scalar element, const Twine &what) {
  InFlightDiagnostic error = numerics::errorAt(op) << what;
  Operation *origin = element.getOrigin();
  StringRef dialect = origin->getName().getDialectNamespace();
  StringRef why = isa<tensor::ExtractOp>(origin)
                      ? "this reads outside of its tensor"
                  : dialect == "arith" || dialect == "math"
                      ? "this operation is not defined for its operands"
                      : "nothing wrote this element here";
  error.attachNote(origin->getLoc()) << why;
  return error;
}

FailureOr<Scalar> load(Operation *op, Tensor &tensor, Index index) {
  if (!contains(tensor.getShape(), index))
    return numerics::errorAt(op)
           << "reads element " << textOf(index) << " of a tensor of shape "
           << textOf(tensor.getShape());
  return tensor.at(index);
}

FailureOr<Row> readRow(Operation *op, Tensor &source, Index start,
                       int64_t axis) {
  Row row;
  Shape at(start);
  if (failed(checkRoom(op, source.getShape()[axis])))
    return failure();
  for (; at[axis] < source.getShape()[axis]; ++at[axis]) {
    FailureOr<Scalar> element = load(op, source, at);
    if (failed(element))
      return failure();
    row.push_back(*element);
  }
  return row;
}

FailureOr<SmallVector<Scalar, 2>> LaterBody::run(ArrayRef<Scalar> arguments) {
  for (auto [slot, argument] :
       llvm::zip_equal(body->sequence.arguments, arguments))
    frame[slot].scalar = argument;
  if (failed(reference::run(body->sequence.instructions, frame, machine)))
    return failure();
  SmallVector<Scalar, 2> results;
  for (unsigned slot : body->sequence.yielded)
    results.push_back(frame[slot].scalar);
  return results;
}

FailureOr<Scalar> LaterBody::at(Index index) {
  SmallVector<Scalar, 4> arguments;
  for (int64_t coordinate : index)
    arguments.push_back(Scalar::ofBits(coordinate));
  FailureOr<SmallVector<Scalar, 2>> results = run(arguments);
  if (failed(results))
    return failure();
  return results->front();
}

FailureOr<int64_t> evaluate(AffineExpr expression, ArrayRef<int64_t> dims,
                            ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expression);
  FailureOr<int64_t> a = evaluate(binary.getLHS(), dims, symbols);
  FailureOr<int64_t> b = evaluate(binary.getRHS(), dims, symbols);
  if (failed(a) || failed(b))
    return failure();
  if (binary.getKind() == AffineExprKind::Add)
    return int64_t(uint64_t(*a) + uint64_t(*b));
  if (binary.getKind() == AffineExprKind::Mul)
    return int64_t(uint64_t(*a) * uint64_t(*b));
  if (*b <= 0)
    return failure();
  const int64_t rest = *a % *b;
  const int64_t down = *a / *b - (rest < 0);
  if (binary.getKind() == AffineExprKind::FloorDiv)
    return down;
  if (binary.getKind() == AffineExprKind::CeilDiv)
    return *a / *b + (rest > 0);
  return rest < 0 ? rest + *b : rest;
}

//===--- EvalTable --------------------------------------------------------===//

const Eval *EvalTable::find(Operation *op) const {
  static const Eval elementwise = evalElementwise;
  static const Eval structured = evalStructured;
  auto found = table.find(op->getName().getStringRef());
  if (found != table.end())
    return &found->second;
  if (isa<linalg::LinalgOp>(op))
    return &structured;
  StringRef dialect = op->getName().getDialectNamespace();
  if ((dialect == "arith" || dialect == "math") &&
      !numerics::elementFunctions(op).empty())
    return &elementwise;
  return nullptr;
}

static EvalTable makeEvalTable() {
  EvalTable table;
  addAffineEvals(table);
  addControlEvals(table);
  addDigitEvals(table);
  addGraphEvals(table);
  addLinalgEvals(table);
  addRowEvals(table);
  addScalarEvals(table);
  addSliceEvals(table);
  addTensorEvals(table);
  return table;
}

const EvalTable &EvalTable::get() {
  static const EvalTable table = makeEvalTable();
  return table;
}

} // namespace tilewright::graph::reference
