// Comparisons, logic, selection.
#include "frontends/onnx/OpsCommon.h"
#include "graph/build/Logic.h"

namespace tilewright::onnx {
namespace {

template <Comparison comparison> LogicalResult importComparison(Node &node) {
  TRY(auto operands, binaryOperands(node));
  auto &[x, y] = operands;
  return node.done(compare(node.b, comparison, x, y));
}

template <Bitwise op, bool wantsBool> LogicalResult bitwise(Node &node) {
  TRY(auto operands, binaryOperands(node));
  auto &[x, y] = operands;
  if (x->element.isBool() != wantsBool || x->element.isFloat())
    return node.fail("operands have type " + dtypeName(x->element));
  return node.done(combineBits(node.b, op, x, y));
}

LogicalResult importNot(Node &node) {
  TRY(Tensor x, node.input(0));
  if (x->element.isFloat())
    return node.fail("the operand has type " + dtypeName(x->element));
  return node.done(invertBits(node.b, x));
}

LogicalResult importIsNaN(Node &node) {
  TRY(Tensor x, node.input(0));
  if (!x->element.isFloat())
    return node.fail("the operand has type " + dtypeName(x->element));
  return node.done(isNaN(node.b, x));
}

LogicalResult importIsInf(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(bool negative, node.attributes.flag("detect_negative", true));
  TRY(bool positive, node.attributes.flag("detect_positive", true));
  if (!x->element.isFloat())
    return node.fail("the operand has type " + dtypeName(x->element));
  return node.done(isInfinite(node.b, x, negative, positive));
}

LogicalResult importWhere(Node &node) {
  TRY(Tensor condition, node.input(0));
  TRY(Tensor x, node.input(1));
  TRY(Tensor y, node.input(2));
  if (!condition->element.isBool() || x->element != y->element)
    return node.fail("operands have types " + dtypeName(condition->element) +
                     ", " + dtypeName(x->element) + " and " +
                     dtypeName(y->element));
  return node.done(where(node.b, condition, x, y));
}

} // namespace

void addLogicOps(OpTable &t) {
  t.add("Equal", 1, importComparison<Comparison::Equal>, "no strings");
  t.add("Less", 1, importComparison<Comparison::Less>);
  t.add("LessOrEqual", 12, importComparison<Comparison::LessOrEqual>);
  t.add("Greater", 1, importComparison<Comparison::Greater>);
  t.add("GreaterOrEqual", 12, importComparison<Comparison::GreaterOrEqual>);
  t.add("And", 1, bitwise<Bitwise::And, true>);
  t.add("Or", 1, bitwise<Bitwise::Or, true>);
  t.add("Xor", 1, bitwise<Bitwise::Xor, true>);
  t.add("BitwiseAnd", 18, bitwise<Bitwise::And, false>);
  t.add("BitwiseOr", 18, bitwise<Bitwise::Or, false>);
  t.add("BitwiseXor", 18, bitwise<Bitwise::Xor, false>);
  t.add("Not", 1, importNot);
  t.add("BitwiseNot", 18, importNot);
  t.add("IsNaN", 9, importIsNaN);
  t.add("IsInf", 10, importIsInf);
  t.add("Where", 9, importWhere, "no strings");
}

} // namespace tilewright::onnx
