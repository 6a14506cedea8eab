#include "graph/reference/GraphReference.h"

#include "graph/reference/Execution.h"

using namespace mlir;

namespace tilewright::graph::reference {

struct GraphReference::State {
  State(func::FuncOp function, const ReferenceOptions &options)
      : function(function), machine(options) {}

  /// An element of a result.
  FailureOr<Scalar> at(unsigned result, ArrayRef<int64_t> index);

  func::FuncOp function;
  // Tensors refer to the machine, and go before it.
  Machine machine;
  Frame frame;
  std::vector<Slot> results;
};

GraphReference::GraphReference(std::unique_ptr<State> state)
    : state(std::move(state)) {}
GraphReference::GraphReference(GraphReference &&) noexcept = default;
GraphReference::~GraphReference() = default;

/// One input as a value, checked against the argument's type.
static FailureOr<Slot> makeInput(func::FuncOp function, unsigned number,
                                 const Array &input) {
  Type type = function.getArgumentTypes()[number];
  auto tensor = dyn_cast<RankedTensorType>(type);
  ArrayRef<int64_t> expected = tensor ? tensor.getShape() : ArrayRef<int64_t>();
  bool fits = expected.size() == input.shape.size() &&
              countOf(input.shape) == int64_t(input.bits.size());
  for (size_t d = 0; fits && d < expected.size(); ++d)
    fits = ShapedType::isDynamic(expected[d]) || expected[d] == input.shape[d];
  if (!fits)
    return numerics::errorAt(function)
           << "argument " << number << " is " << type << ", found "
           << input.bits.size() << " elements of shape " << textOf(input.shape);
  std::vector<Scalar> elements;
  for (uint64_t bits : input.bits)
    elements.push_back(Scalar::ofBits(bits));
  if (!tensor)
    return Slot{elements.front(), nullptr};
  return Slot{Scalar(),
              std::make_shared<StoredTensor>(
                  tensor.getElementType(),
                  Shape(ArrayRef<int64_t>(input.shape)), std::move(elements))};
}

LogicalResult GraphReference::check(func::FuncOp function) {
  return success(succeeded(compileBody(function.getBody())));
}

FailureOr<GraphReference>
GraphReference::create(func::FuncOp function, ArrayRef<Array> inputs,
                       const ReferenceOptions &options) {
  if (function.isExternal())
    return numerics::errorAt(function) << "has no body";
  if (inputs.size() != function.getNumArguments())
    return numerics::errorAt(function) << "takes " << function.getNumArguments()
                                       << " arguments, found " << inputs.size();
  FailureOr<std::shared_ptr<const Body>> body = compileBody(function.getBody());
  if (failed(body))
    return failure();
  auto state = std::make_unique<State>(function, options);
  state->frame = (*body)->frame();
  for (auto [number, slot] : llvm::enumerate((*body)->sequence.arguments)) {
    FailureOr<Slot> input = makeInput(function, number, inputs[number]);
    if (failed(input))
      return failure();
    state->frame[slot] = std::move(*input);
  }
  state->machine.functions[function] = *body;
  if (failed(
          run((*body)->sequence.instructions, state->frame, state->machine))) {
    if (state->machine.undetermined.op)
      return GraphReference(std::move(state));
    return failure();
  }
  for (unsigned slot : (*body)->sequence.yielded)
    state->results.push_back(state->frame[slot]);
  return GraphReference(std::move(state));
}

unsigned GraphReference::resultCount() const { return state->results.size(); }

ArrayRef<int64_t> GraphReference::shape(unsigned result) const {
  const TensorPtr &tensor = state->results[result].tensor;
  return tensor ? ArrayRef<int64_t>(tensor->getShape()) : ArrayRef<int64_t>();
}

FailureOr<Scalar> GraphReference::State::at(unsigned result,
                                            ArrayRef<int64_t> index) {
  machine.undetermined = {};
  const Slot &slot = results[result];
  if (!slot.tensor)
    return slot.scalar;
  return load(function.getBody().front().getTerminator(), *slot.tensor, index);
}

FailureOr<numerics::Element> GraphReference::element(unsigned result,
                                                     ArrayRef<int64_t> index) {
  FailureOr<Scalar> value = state->at(result, index);
  if (failed(value))
    return failure();
  return value->element(
      getElementTypeOrSelf(state->function.getResultTypes()[result]));
}

FailureOr<numerics::Permitted>
GraphReference::permitted(unsigned result, ArrayRef<int64_t> index) {
  FailureOr<numerics::Element> value = element(result, index);
  if (failed(value))
    return failure();
  return value->isPoison() ? numerics::Permitted::any() : value->permitted();
}

const numerics::Undetermined &GraphReference::undetermined() const {
  return state->machine.undetermined;
}

FailureOr<Array> GraphReference::all(unsigned result) {
  Array array{SmallVector<int64_t>(shape(result)), {}};
  for (int64_t n = 0, count = countOf(array.shape); n < count; ++n) {
    Shape index = indexOf(array.shape, n);
    FailureOr<Scalar> value = state->at(result, index);
    if (failed(value))
      return failure();
    if (value->isPoison())
      return poisonFault(state->function.getBody().front().getTerminator(),
                         *value,
                         "element " + textOf(index) + " of result " +
                             Twine(result) + " is poison");
    array.bits.push_back(value->bits());
  }
  return array;
}

uint64_t GraphReference::opCount() const { return state->machine.ops; }

} // namespace tilewright::graph::reference
