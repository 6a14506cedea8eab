// Arithmetic, element by element.
#include "frontends/onnx/OpsCommon.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

FailureOr<Tensor> floatInput(Node &node) {
  TRY(Tensor x, node.input(0));
  if (x->element.isFloat())
    return x;
  return node.fail("expected a float operand, found " + dtypeName(x->element));
}

template <UnaryFn fn> LogicalResult floatUnary(Node &node) {
  TRY(Tensor x, floatInput(node));
  return node.done(mapElements(node.b, x, fn));
}

template <UnaryFn fn> LogicalResult numberUnary(Node &node) {
  TRY(Tensor x, node.input(0));
  return node.done(mapElements(node.b, x, fn));
}

template <UnaryFn fn> LogicalResult rounding(Node &node) {
  TRY(Tensor x, node.input(0));
  if (!x->content || x->constant) {
    TRY(x, floatInput(node));
  }
  return node.done(roundElements(node.b, x, fn));
}

LogicalResult importNeg(Node &node) {
  TRY(Tensor x, node.input(0));
  return node.done(negate(node.b, x));
}

template <Arithmetic op> LogicalResult binary(Node &node) {
  TRY(auto operands, binaryOperands(node));
  auto &[x, y] = operands;
  return node.done(arithmetic(node.b, op, x, y));
}

template <Arithmetic op> LogicalResult variadic(Node &node) {
  TRY(SmallVector<Tensor> inputs, node.inputs());
  return node.done(arithmetic(node.b, op, inputs));
}

LogicalResult importMean(Node &node) {
  TRY(SmallVector<Tensor> inputs, node.inputs());
  return node.done(meanOf(node.b, inputs));
}

LogicalResult importDiv(Node &node) {
  TRY(auto operands, binaryOperands(node));
  auto &[x, y] = operands;
  return node.done(divide(node.b, x, y));
}

LogicalResult importMod(Node &node) {
  TRY(auto operands, binaryOperands(node));
  auto &[x, y] = operands;
  TRY(bool truncates, node.attributes.flag("fmod", false));
  return node.done(modulo(node.b, x, y, truncates));
}

/// A bound of Clip: an attribute before opset 11, an operand since.
FailureOr<Tensor> clipBound(Node &node, StringRef name, int64_t input,
                            Element element) {
  if (node.opset >= 11)
    return node.optionalInput(input);
  if (!node.attributes.has(name))
    return Tensor();
  TRY(double value, node.attributes.number(name, 0));
  return scalarConstant(node.b, element, value);
}

LogicalResult importClip(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor low, clipBound(node, "min", 1, x->element));
  TRY(Tensor high, clipBound(node, "max", 2, x->element));
  return node.done(clip(node.b, x, low, high));
}

LogicalResult importCast(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Element to, node.attributes.element("to", x->element));
  if (!node.attributes.has("to"))
    return node.fail("attribute 'to' is missing");
  TRY(bool saturate, node.attributes.flag("saturate", true));
  return node.done(convert(node.b, x, to, saturate));
}

LogicalResult importCastLike(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor like, node.input(1));
  TRY(bool saturate, node.attributes.flag("saturate", true));
  return node.done(convert(node.b, x, like->element, saturate));
}

LogicalResult importBitShift(Node &node) {
  TRY(auto operands, binaryOperands(node));
  auto &[x, y] = operands;
  TRY(std::string direction, node.attributes.string("direction", ""));
  if (direction != "LEFT" && direction != "RIGHT")
    return node.fail("attribute 'direction' is '" + direction +
                     "', expected LEFT or RIGHT");
  if (!x->element.isInteger())
    return node.fail("expected integer operands");
  return node.done(shiftBits(node.b, x, y, direction == "LEFT"));
}

void addArithmetic(OpTable &t) {
  t.add("Add", 1, binary<Arithmetic::Add>);
  t.add("Sub", 1, binary<Arithmetic::Subtract>);
  t.add("Mul", 1, binary<Arithmetic::Multiply>);
  t.add("Div", 1, importDiv);
  t.add("Mod", 10, importMod);
  t.add("Sum", 1, variadic<Arithmetic::Add>);
  t.add("Max", 1, variadic<Arithmetic::Max>);
  t.add("Min", 1, variadic<Arithmetic::Min>);
  t.add("Mean", 1, importMean);
  t.add("Clip", 1, importClip);
  t.add("Cast", 1, importCast, "no strings");
  t.add("CastLike", 15, importCastLike, "no strings");
  t.add("BitShift", 11, importBitShift);
}

void addUnary(OpTable &t) {
  t.add("Abs", 1, numberUnary<absolute>);
  t.add("Neg", 1, importNeg);
  t.add("Sign", 9, numberUnary<sign>);
  t.add("Floor", 1, rounding<mathOp<math::FloorOp>>);
  t.add("Ceil", 1, rounding<mathOp<math::CeilOp>>);
  t.add("Round", 11, rounding<mathOp<math::RoundEvenOp>>);
  t.add("Exp", 1, floatUnary<mathOp<math::ExpOp>>);
  t.add("Log", 1, floatUnary<mathOp<math::LogOp>>);
  t.add("Sqrt", 1, floatUnary<mathOp<math::SqrtOp>>);
  t.add("Reciprocal", 1, floatUnary<reciprocal>);
  t.add("Sin", 7, floatUnary<mathOp<math::SinOp>>);
  t.add("Cos", 7, floatUnary<mathOp<math::CosOp>>);
  t.add("Tan", 7, floatUnary<mathOp<math::TanOp>>);
  t.add("Asin", 7, floatUnary<mathOp<math::AsinOp>>);
  t.add("Acos", 7, floatUnary<mathOp<math::AcosOp>>);
  t.add("Atan", 7, floatUnary<mathOp<math::AtanOp>>);
  t.add("Sinh", 9, floatUnary<mathOp<math::SinhOp>>);
  t.add("Cosh", 9, floatUnary<mathOp<math::CoshOp>>);
  t.add("Asinh", 9, floatUnary<mathOp<math::AsinhOp>>);
  t.add("Acosh", 9, floatUnary<mathOp<math::AcoshOp>>);
  t.add("Atanh", 9, floatUnary<mathOp<math::AtanhOp>>);
  t.add("Tanh", 1, floatUnary<mathOp<math::TanhOp>>);
  t.add("Erf", 9, floatUnary<mathOp<math::ErfOp>>);
}

} // namespace

void addElementwiseOps(OpTable &table) {
  addArithmetic(table);
  addUnary(table);
}

} // namespace tilewright::onnx
