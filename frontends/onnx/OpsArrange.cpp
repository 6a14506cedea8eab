// Rarer rearrangements: crops, reversals, columns to images, bit casts.
#include "frontends/onnx/Readers.h"
#include "graph/build/Arrange.h"
#include "graph/build/Checks.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

LogicalResult importCenterCropPad(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(SmallVector<Expr> shape, sizesOf(node, 1, "the shape", 0));
  SmallVector<int64_t> axes = axesFrom(0, x->rank());
  if (node.attributes.has("axes")) {
    axes.clear();
    TRY(SmallVector<int64_t> values, node.attributes.integers("axes"));
    for (int64_t value : values) {
      TRY(int64_t axis, axisOf(node.b, value, x->rank()));
      axes.push_back(axis);
    }
  }
  if (axes.size() != shape.size())
    return node.fail("the shape has " + Twine(shape.size()) +
                     " sizes, expected " + Twine(axes.size()));
  return node.done(cropOrPad(b, x, axes, shape));
}

LogicalResult importReverseSequence(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Tensor lengths, node.input(1));
  if (failed(expectRank(node.b, x, 2, "the input")))
    return failure();
  TRY(int64_t batch, node.attributes.integer("batch_axis", 1));
  TRY(int64_t time, node.attributes.integer("time_axis", 0));
  if (batch < 0 || batch > 1 || time != 1 - batch || lengths->rank() != 1)
    return node.fail("batch_axis is " + Twine(batch) + ", time_axis is " +
                     Twine(time) + ", lengths have shape " +
                     b.sizes.str(lengths->dims));
  if (!lengths->element.isInteger())
    return node.fail("lengths have type " + dtypeName(lengths->element));
  if (failed(expectLengths(node.b, lengths, x->dims[time], "sequence_lens")))
    return failure();
  return node.done(reverseSequences(b, x, lengths, batch));
}

LogicalResult importBitCast(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Element to, node.attributes.element("to", x->element));
  return node.done(bitCast(node.b, x, to));
}

LogicalResult importCol2Im(Node &node) {
  ColumnsToImageOptions o;
  TRY(Tensor x, node.input(0));
  TRY(o.image, contentOf(node, 1, "image_shape"));
  TRY(o.block, integersOf(node, 2, "block_shape"));
  int64_t spatial = o.image.size();
  auto list = [&](StringRef name, int64_t size,
                  int64_t otherwise) -> FailureOr<SmallVector<int64_t>> {
    TRY(SmallVector<int64_t> values, node.attributes.integers(name));
    if (values.empty())
      values.assign(size, otherwise);
    if (int64_t(values.size()) != size)
      return node.fail("attribute '" + name + "' has " + Twine(values.size()) +
                       " values, expected " + Twine(size));
    return values;
  };
  TRY(o.strides, list("strides", spatial, 1));
  TRY(o.dilations, list("dilations", spatial, 1));
  TRY(auto pads, list("pads", 2 * spatial, 0));
  o.padLow.assign(pads.begin(), pads.begin() + spatial);
  o.padHigh.assign(pads.begin() + spatial, pads.end());
  return node.done(columnsToImage(node.b, x, o));
}

LogicalResult importCausalConvWithState(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor w, node.input(1));
  TRY(Tensor bias, node.optionalInput(2));
  TRY(Tensor past, node.optionalInput(3));
  TRY(std::string activation, node.attributes.string("activation", "none"));
  if (activation != "none" && activation != "silu" && activation != "swish")
    return node.fail("attribute 'activation' is '" + activation + "'");
  TRY(CausalConv result, causalConvolve(node.b, x, w, bias, past,
                                        /*activates=*/activation != "none"));
  if (failed(node.set(1, result.state)))
    return failure();
  return node.set(0, result.values);
}

} // namespace

void addArrangeOps(OpTable &t) {
  t.add("CenterCropPad", 18, importCenterCropPad);
  t.add("ReverseSequence", 10, importReverseSequence);
  t.add("BitCast", 26, importBitCast);
  t.add("Col2Im", 18, importCol2Im, "shapes known at import");
  t.add("CausalConvWithState", 27, importCausalConvWithState);
}

} // namespace tilewright::onnx
