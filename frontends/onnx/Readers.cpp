#include "frontends/onnx/Readers.h"

#include "frontends/onnx/GraphImporter.h"
#include "graph/build/KnownTensor.h"
#include "graph/build/Regions.h"
#include "graph/build/Remedy.h"

using namespace mlir;

namespace tilewright::onnx {

FailureOr<Tensor> knownInput(Node &node, int64_t i) {
  TRY(Tensor tensor, node.input(i));
  Tensor known = evaluate(node.b, tensor);
  if (!known || known == tensor)
    return tensor;
  node.importer.scopes.define(node.proto.input[i], known);
  return known;
}

LogicalResult failUnknown(Node &node, int64_t i, StringRef what) {
  TRY(Tensor tensor, node.input(i));
  return failUnknown(node.b,
                     what + " (input '" + node.proto.input[i] +
                         "') must be known when the model is imported",
                     tensor);
}

FailureOr<SmallVector<Expr>> contentOf(Node &node, int64_t i, StringRef what) {
  TRY(Tensor tensor, knownInput(node, i));
  if (!tensor->content)
    return failUnknown(node, i, what);
  return SmallVector<Expr>(*tensor->content);
}

FailureOr<SmallVector<int64_t>> integersOf(Node &node, int64_t i,
                                           StringRef what) {
  TRY(SmallVector<Expr> content, contentOf(node, i, what));
  auto values = constantsOf(content);
  if (!values)
    return node.fail(what + " (input '" + node.proto.input[i] +
                     "') must be constant, found " + node.b.sizes.str(content) +
                     sizeRemedy(node.b, content));
  return *values;
}

FailureOr<SmallVector<Expr>> sizesOf(Node &node, int64_t i, StringRef what,
                                     int64_t least, Expr greatest) {
  TRY(Tensor tensor, knownInput(node, i));
  if (tensor->content)
    return SmallVector<Expr>(*tensor->content);
  if (!tensor->element.isInteger() || !isReadable(*tensor))
    return failUnknown(node, i, what);
  TRY(Tensor known, readElements(node.b, tensor, least, greatest));
  // Other readers find the same sizes.
  node.importer.scopes.define(node.proto.input[i], known);
  return SmallVector<Expr>(*known->content);
}

/// The only one of an operand's elements.
static FailureOr<Expr> onlyOf(Node &node, int64_t i, StringRef what,
                              ArrayRef<Expr> content) {
  if (content.size() != 1)
    return node.fail(what + " (input '" + node.proto.input[i] + "') has " +
                     Twine(content.size()) + " elements, expected one");
  return content[0];
}

FailureOr<Expr> sizeOf(Node &node, int64_t i, StringRef what, int64_t least,
                       Expr greatest) {
  TRY(SmallVector<Expr> content, sizesOf(node, i, what, least, greatest));
  return onlyOf(node, i, what, content);
}

FailureOr<Expr> oneOf(Node &node, int64_t i, StringRef what) {
  TRY(SmallVector<Expr> content, contentOf(node, i, what));
  return onlyOf(node, i, what, content);
}

FailureOr<int64_t> oneIntegerOf(Node &node, int64_t i, StringRef what) {
  TRY(Expr value, oneOf(node, i, what));
  if (auto constant = constantOf(value))
    return *constant;
  return node.fail(what + " (input '" + node.proto.input[i] +
                   "') must be constant, found " + node.b.sizes.str(value) +
                   sizeRemedy(node.b, value));
}

FailureOr<SmallVector<double>> numbersOf(Node &node, int64_t i, StringRef what,
                                         int64_t most) {
  TRY(Tensor tensor, knownInput(node, i));
  auto count = countOf(*tensor);
  if (!count || !tensor->constant) {
    if (!tensor->content)
      return failUnknown(node, i, what);
    return node.fail(what + " (input '" + node.proto.input[i] +
                     "') must be constant, found " +
                     node.b.sizes.str(*tensor->content) +
                     sizeRemedy(node.b, *tensor->content));
  }
  if (*count > most)
    return node.fail(what + " (input '" + node.proto.input[i] + "') has " +
                     Twine(*count) + " values, expected at most " +
                     Twine(most));
  SmallVector<double> values;
  for (int64_t at = 0; at < *count; ++at)
    values.push_back(floatAt(*tensor, at));
  return values;
}

FailureOr<double> scalarOf(Node &node, int64_t i, StringRef what) {
  TRY(SmallVector<double> values, numbersOf(node, i, what, 1));
  if (values.empty())
    return node.fail(what + " (input '" + node.proto.input[i] +
                     "') has no elements");
  return values[0];
}

FailureOr<int64_t> axisAttribute(Node &node, int64_t otherwise, int64_t rank) {
  TRY(int64_t value, node.attributes.integer("axis", otherwise));
  return axisOf(node.b, value, rank);
}

FailureOr<std::optional<SmallVector<int64_t>>>
integersOrInput(Node &node, StringRef name, int64_t i, int64_t since) {
  using Result = std::optional<SmallVector<int64_t>>;
  if (node.opset >= since) {
    if (!node.hasInput(i))
      return Result();
    TRY(SmallVector<int64_t> values, integersOf(node, i, name));
    return Result(values);
  }
  if (!node.attributes.has(name))
    return Result();
  TRY(SmallVector<int64_t> values, node.attributes.integers(name));
  return Result(values);
}

} // namespace tilewright::onnx
