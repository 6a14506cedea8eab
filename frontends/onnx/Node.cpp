#include "frontends/onnx/Node.h"

#include "frontends/onnx/GraphImporter.h"

using namespace mlir;

namespace tilewright::onnx {

bool Node::hasInput(int64_t i) const {
  return i < std::ssize(proto.input) && !proto.input[i].empty() &&
         !importer.scopes.isAbsent(proto.input[i]);
}

FailureOr<Tensor> Node::input(int64_t i) {
  TRY(Tensor tensor, optionalInput(i));
  if (!tensor)
    return fail("input " + Twine(i) + " is missing");
  return tensor;
}

FailureOr<Tensor> Node::optionalInput(int64_t i) {
  if (!hasInput(i))
    return Tensor();
  TRY(NamedValue found, value(i));
  if (found.sequence)
    return fail("input '" + proto.input[i] +
                "' is a sequence, expected a tensor");
  return found.tensor;
}

FailureOr<Sequence> Node::sequence(int64_t i) {
  TRY(NamedValue found, value(i));
  if (!found.sequence)
    return fail(
        "input '" + proto.input[i] + "' is " +
        (found.tensor ? "a tensor" : "an optional value that is absent") +
        ", expected a sequence");
  return found.sequence;
}

FailureOr<NamedValue> Node::value(int64_t i) {
  if (i >= numInputs() || proto.input[i].empty())
    return fail("input " + Twine(i) + " is missing");
  const NamedValue *found = importer.scopes.find(proto.input[i]);
  if (!found)
    return fail("input '" + proto.input[i] +
                "' is not the output of an earlier node, an input or an "
                "initializer");
  return *found;
}

FailureOr<SmallVector<Tensor>> Node::inputs(int64_t atLeast) {
  SmallVector<Tensor> tensors;
  for (int64_t i = 0; i < std::max(numInputs(), atLeast); ++i) {
    TRY(Tensor tensor, input(i));
    tensors.push_back(tensor);
  }
  return tensors;
}

LogicalResult Node::set(int64_t i, const NamedValue &value) {
  if (hasOutput(i))
    importer.scopes.define(proto.output[i], value);
  return success();
}

LogicalResult Node::done(FailureOr<Tensor> tensor) {
  if (failed(tensor))
    return failure();
  return set(0, *tensor);
}

void OpTable::add(StringRef name, int64_t since, Handler handler,
                  StringRef limits, StringRef domain) {
  positions[(domain + "::" + name).str()] = rows.size();
  rows.push_back({name.str(), domain.str(), since, handler, limits.str()});
}

const OpEntry *OpTable::find(StringRef domain, StringRef name) const {
  auto it = positions.find((domain + "::" + name).str());
  return it == positions.end() ? nullptr : &rows[it->second];
}

const OpTable &opTable() {
  static const OpTable table = [] {
    OpTable all;
    for (auto add : {addElementwiseOps,
                     addActivationOps,
                     addLogicOps,
                     addReduceOps,
                     addNormOps,
                     addMatMulOps,
                     addConvOps,
                     addPoolOps,
                     addShapeOps,
                     addMovementOps,
                     addGatherOps,
                     addResizeOps,
                     addQuantOps,
                     addAttentionOps,
                     addControlOps,
                     addLossOps,
                     addSampleOps,
                     addScatterOps,
                     addSignalOps,
                     addArrangeOps,
                     addRecurrentOps,
                     addTopKOps,
                     addPowerOps,
                     addMicrosoftOps,
                     addMicrosoftQuantOps,
                     addTraditionalOps,
                     addLinearModelOps,
                     addTreeOps,
                     addSequenceOps,
                     addSelectionOps,
                     addScanOps})
      add(all);
    return all;
  }();
  return table;
}

} // namespace tilewright::onnx
