// Reads at computed positions.
#include "frontends/onnx/Readers.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/FoldBinary.h"
#include "graph/build/Gather.h"
#include "graph/build/Regions.h"
#include "graph/build/Scan.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

LogicalResult importGather(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor indices, node.input(1));
  if (failed(expectRank(node.b, x, 1, "the data")))
    return failure();
  TRY(int64_t axis, axisAttribute(node, 0, x->rank()));
  return node.done(gatherAlong(node.b, x, indices, axis));
}

LogicalResult importGatherElements(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor indices, node.input(1));
  TRY(int64_t axis, axisAttribute(node, 0, x->rank()));
  return node.done(gatherElements(node.b, x, indices, axis));
}

LogicalResult importGatherND(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Tensor indices, node.input(1));
  TRY(int64_t batch, node.attributes.integer("batch_dims", 0));
  if (failed(expectRank(b, indices, 1, "the indices")))
    return failure();
  auto depth = constantOf(indices->dims.back());
  if (!depth || batch < 0 || batch > x->rank() || *depth > x->rank() - batch ||
      batch >= indices->rank() || !indices->element.isInteger())
    return node.fail(
        "data has shape " + b.sizes.str(x->dims) + " and indices have shape " +
        b.sizes.str(indices->dims) +
        ", which do not go together with batch_dims = " + Twine(batch));
  return node.done(gatherSlices(b, x, indices, batch));
}

/// The depth of a OneHot, which may be a float.
FailureOr<Expr> depthOf(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor depth, knownInput(node, 1));
  if (auto known = knownIntegers(b.sizes, *depth); known && known->size() == 1)
    return (*known)[0];
  if (countOf(*depth) != 1)
    return failUnknown(node, 1, "depth");
  TRY(Tensor whole, convert(b, depth, i64(b)));
  return readSize(b, whole, 0);
}

LogicalResult importOneHot(Node &node) {
  TRY(Tensor indices, node.input(0));
  TRY(Tensor values, node.input(2));
  TRY(Expr depth, depthOf(node));
  TRY(int64_t axis, axisAttribute(node, -1, indices->rank() + 1));
  return node.done(oneHot(node.b, indices, depth, values, axis));
}

template <bool product> LogicalResult importCumulative(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(auto axisValue, integersOf(node, 1, "axis"));
  if (axisValue.size() != 1)
    return node.fail("axis has " + Twine(axisValue.size()) + " values");
  TRY(int64_t axis, axisOf(node.b, axisValue[0], x->rank()));
  CumulateOptions options;
  options.multiplies = product;
  TRY(options.exclusive, node.attributes.flag("exclusive", false));
  TRY(options.reverse, node.attributes.flag("reverse", false));
  return node.done(cumulate(node.b, x, axis, options));
}

} // namespace

void addGatherOps(OpTable &t) {
  t.add("Gather", 1, importGather);
  t.add("GatherElements", 11, importGatherElements);
  t.add("GatherND", 11, importGatherND);
  t.add("OneHot", 9, importOneHot);
  t.add("CumSum", 11, importCumulative<false>, "axis constant");
  t.add("CumProd", 26, importCumulative<true>, "axis constant");
}

} // namespace tilewright::onnx
