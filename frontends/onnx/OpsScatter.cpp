// Writes at computed positions.
#include "frontends/onnx/Readers.h"
#include "graph/build/Scatter.h"

namespace tilewright::onnx {
namespace {

FailureOr<ScatterReduction> readReduction(Node &node) {
  TRY(std::string name, node.attributes.string("reduction", "none"));
  constexpr std::pair<StringRef, ScatterReduction> reductions[] = {
      {"none", ScatterReduction::Replace},
      {"add", ScatterReduction::Add},
      {"mul", ScatterReduction::Multiply},
      {"max", ScatterReduction::Max},
      {"min", ScatterReduction::Min}};
  for (auto [known, reduction] : reductions)
    if (name == known)
      return reduction;
  return node.fail("attribute 'reduction' is '" + name +
                   "', expected none, add, mul, max or min");
}

LogicalResult importScatterElements(Node &node) {
  TRY(Tensor data, node.input(0));
  TRY(Tensor indices, node.input(1));
  TRY(Tensor updates, node.input(2));
  TRY(ScatterReduction reduction, readReduction(node));
  TRY(int64_t axis, axisAttribute(node, 0, data->rank()));
  return node.done(
      scatterElements(node.b, data, indices, updates, axis, reduction));
}

LogicalResult importScatterND(Node &node) {
  TRY(Tensor data, node.input(0));
  TRY(Tensor indices, node.input(1));
  TRY(Tensor updates, node.input(2));
  TRY(ScatterReduction reduction, readReduction(node));
  return node.done(scatterSlices(node.b, data, indices, updates, reduction));
}

LogicalResult importTensorScatter(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor cache, node.input(0));
  TRY(Tensor update, node.input(1));
  TRY(Tensor start, node.optionalInput(2));
  TRY(std::string mode, node.attributes.string("mode", "linear"));
  int64_t rank = cache->rank();
  TRY(int64_t axis, axisAttribute(node, -2, rank));
  if (update->rank() != rank || update->element != cache->element ||
      axis == 0 || (mode != "linear" && mode != "circular"))
    return node.fail("cache and update have shapes " +
                     b.sizes.str(cache->dims) + " and " +
                     b.sizes.str(update->dims) + ", mode is '" + mode + "'");
  return node.done(overwriteAlong(b, cache, update, start, axis,
                                  /*wraps=*/mode == "circular"));
}

} // namespace

void addScatterOps(OpTable &t) {
  StringRef limit =
      "each element searches the updates, unless they are combined by add, min "
      "or max, in any order, and are floats or signed integers of 32 or 64 "
      "bits";
  t.add("ScatterElements", 11, importScatterElements, limit);
  t.add("Scatter", 9, importScatterElements, limit);
  t.add("ScatterND", 11, importScatterND, limit);
  t.add("TensorScatter", 24, importTensorScatter);
}

} // namespace tilewright::onnx
