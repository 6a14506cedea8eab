// Recurrent networks.
#include "frontends/onnx/Node.h"
#include "graph/build/Movement.h"
#include "graph/build/Recurrent.h"

namespace tilewright::onnx {
namespace {

/// A function by its name; its numbers are the next of those lists that it
/// takes a number from, or behind their ends those of the operator of that
/// name.
FailureOr<GateActivation> activation(Node &node, StringRef name,
                                     ArrayRef<double> &alphas,
                                     ArrayRef<double> &betas) {
  struct Row {
    StringLiteral name;
    GateFunction function;
    std::optional<double> a = {}, b = {};
  };
  static const Row rows[] = {
      {"Sigmoid", GateFunction::Sigmoid},
      {"Tanh", GateFunction::Tanh},
      {"Relu", GateFunction::Relu},
      {"Affine", GateFunction::Affine, 1, 0},
      {"LeakyRelu", GateFunction::LeakyRelu, .01},
      {"ThresholdedRelu", GateFunction::ThresholdedRelu, 1},
      {"ScaledTanh", GateFunction::ScaledTanh, 1, 1},
      {"HardSigmoid", GateFunction::HardSigmoid, .2, .5},
      {"Elu", GateFunction::Elu, 1},
      {"Softsign", GateFunction::Softsign},
      {"Softplus", GateFunction::Softplus}};
  const Row *row = llvm::find_if(rows, [&](const Row &each) {
    return each.name.equals_insensitive(name);
  });
  if (row == std::end(rows))
    return node.fail("there is no activation '" + name + "'");
  auto next = [](std::optional<double> otherwise, ArrayRef<double> &list) {
    if (!otherwise || list.empty())
      return otherwise.value_or(0);
    const double number = list.front();
    list = list.drop_front();
    return number;
  };
  return GateActivation{row->function, next(row->a, alphas),
                        next(row->b, betas)};
}

/// The activations of all directions; `defaults` are those of one.
LogicalResult readFunctions(Node &node, const Tensor &weights,
                            ArrayRef<StringRef> defaults,
                            RecurrentOptions &options) {
  const auto *names = node.attributes.find("activations");
  TRY(SmallVector<double> alpha, node.attributes.numbers("activation_alpha"));
  TRY(SmallVector<double> beta, node.attributes.numbers("activation_beta"));
  ArrayRef<double> alphas = alpha, betas = beta;
  auto directions =
      constantOf(weights->rank() ? weights->dims[0] : node.b.zero());
  for (int64_t d = 0; d < std::min<int64_t>(directions.value_or(0), 2); ++d)
    for (StringRef name : defaults) {
      size_t at = options.functions.size();
      if (names && at < names->strings.size())
        name = names->strings[at];
      TRY(GateActivation function, activation(node, name, alphas, betas));
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
  TRY(options.clip, node.attributes.number("clip", 0));
  TRY(options.inputForget, node.attributes.flag("input_forget", false));
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
  t.add("RNN", 1, importRNN);
  t.add("LSTM", 1, importLSTM);
  t.add("GRU", 1, importGRU);
  t.add("DynamicQuantizeLSTM", 1, importDynamicQuantizeLSTM, "",
        "com.microsoft");
}

} // namespace tilewright::onnx
