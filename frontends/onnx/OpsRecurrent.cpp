// Recurrent networks.
#include "frontends/onnx/Node.h"
#include "graph/build/Movement.h"
#include "graph/build/Recurrent.h"

namespace tilewright::onnx {
namespace {

FailureOr<GateFunction> gateFunction(Node &node, StringRef name) {
  if (name == "Sigmoid")
    return GateFunction::Sigmoid;
  if (name == "Tanh")
    return GateFunction::Tanh;
  if (name == "Relu")
    return GateFunction::Relu;
  return node.fail("activation '" + name + "' is not supported");
}

/// The activations of all directions; `defaults` are those of one.
LogicalResult readFunctions(Node &node, const Tensor &weights,
                            ArrayRef<StringRef> defaults,
                            RecurrentOptions &options) {
  const auto *names = node.attributes.find("activations");
  auto directions =
      constantOf(weights->rank() ? weights->dims[0] : node.b.zero());
  for (int64_t d = 0; d < std::min<int64_t>(directions.value_or(0), 2); ++d)
    for (StringRef name : defaults) {
      size_t at = options.functions.size();
      if (names && at < names->strings.size())
        name = names->strings[at];
      TRY(GateFunction function, gateFunction(node, name));
      options.functions.push_back(function);
    }
  return success();
}

/// The weights of DynamicQuantizeLSTM, [D, I, 4 * H], as LSTM has them, and
/// their scales and zero points.
LogicalResult readQuantizedWeights(Node &node, RecurrentOperands &operands) {
  for (Tensor *weights : {&operands.inputWeights, &operands.stateWeights}) {
    if ((*weights)->rank() != 3 || (*weights)->element.bits() != 8)
      return node.fail("weights have shape " +
                       node.b.sizes.str((*weights)->dims) + " and type " +
                       dtypeName((*weights)->element) +
                       ", expected three dimensions of i8 or u8");
    TRY(*weights, swapLast(node.b, *weights));
  }
  TRY(operands.inputScale, node.input(8));
  TRY(operands.inputZero, node.input(9));
  TRY(operands.stateScale, node.input(10));
  TRY(operands.stateZero, node.input(11));
  return success();
}

LogicalResult recur(Node &node, RecurrentCell cell,
                    ArrayRef<StringRef> functions, bool isQuantized = false) {
  RecurrentOperands operands;
  TRY(operands.x, node.input(0));
  TRY(operands.inputWeights, node.input(1));
  TRY(operands.stateWeights, node.input(2));
  TRY(operands.bias, node.optionalInput(3));
  TRY(operands.lengths, node.optionalInput(4));
  TRY(operands.hidden, node.optionalInput(5));
  if (cell == RecurrentCell::LongShortTerm) {
    TRY(operands.state, node.optionalInput(6));
    TRY(operands.peephole, node.optionalInput(7));
  }
  if (isQuantized && failed(readQuantizedWeights(node, operands)))
    return failure();
  RecurrentOptions options;
  options.cell = cell;
  TRY(options.batchFirst, node.attributes.flag("layout", false));
  TRY(options.linearBeforeReset,
      node.attributes.flag("linear_before_reset", false));
  TRY(double clip, node.attributes.number("clip", 0));
  TRY(bool inputForget, node.attributes.flag("input_forget", false));
  if (clip != 0 || inputForget)
    return node.fail("clip and input_forget are not supported");
  TRY(std::string direction, node.attributes.string("direction", "forward"));
  options.reverse = direction == "reverse";
  if (failed(readFunctions(node, operands.stateWeights, functions, options)))
    return failure();
  options.wantsSteps = node.hasOutput(0);
  options.wantsHidden = node.hasOutput(1);
  options.wantsState = node.hasOutput(2);
  TRY(Recurrent result, recurrent(node.b, operands, options));
  const Tensor results[] = {result.steps, result.hidden, result.state};
  for (auto [i, tensor] : llvm::enumerate(results))
    if (tensor && failed(node.set(i, tensor)))
      return failure();
  return success();
}

LogicalResult importRNN(Node &node) {
  return recur(node, RecurrentCell::Plain, {"Tanh"});
}

LogicalResult importLSTM(Node &node) {
  return recur(node, RecurrentCell::LongShortTerm, {"Sigmoid", "Tanh", "Tanh"});
}

LogicalResult importDynamicQuantizeLSTM(Node &node) {
  return recur(node, RecurrentCell::LongShortTerm, {"Sigmoid", "Tanh", "Tanh"},
               /*isQuantized=*/true);
}

LogicalResult importGRU(Node &node) {
  return recur(node, RecurrentCell::Gated, {"Sigmoid", "Tanh"});
}

} // namespace

void addRecurrentOps(OpTable &t) {
  StringRef limit = "activations Sigmoid, Tanh, Relu; no clip";
  t.add("RNN", 1, importRNN, limit);
  t.add("LSTM", 1, importLSTM, limit);
  t.add("GRU", 1, importGRU, limit);
  t.add("DynamicQuantizeLSTM", 1, importDynamicQuantizeLSTM, limit,
        "com.microsoft");
}

} // namespace tilewright::onnx
