// Tensors that follow from a shape or from numbers.
#include "frontends/torch/Promotion.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/Shape.h"

using namespace mlir;

namespace tilewright::torch {
namespace {

/// One value for all elements of the result.
LogicalResult fill(Call &c, double value) {
  TRY(Dims dims, c.dims());
  TRY(Element out, c.resultElement());
  return c.done(filled(c.b, dims, constantAttr(c.b, out, value), out));
}

LogicalResult importZeros(Call &c) { return fill(c, 0); }
LogicalResult importOnes(Call &c) { return fill(c, 1); }

LogicalResult importFull(Call &c) {
  TRY(Dims dims, c.dims());
  TRY(Element out, c.resultElement());
  TRY(Term value, termOf(c, c.find("fill_value") ? "fill_value" : "s"));
  TRY(Tensor filled, convert(c.b, value.tensor, out));
  return c.done(expand(c.b, filled, dims));
}

/// Whether an argument is a float.
bool isReal(Call &c, StringRef name) {
  const Argument *argument = c.find(name);
  return c.isReal(name) ||
         (argument && std::holds_alternative<double>(argument->value));
}

LogicalResult importArange(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Element out, c.resultElement());
  bool isFloat = isReal(c, "start") || isReal(c, "end") || isReal(c, "step");
  if (isFloat) {
    double from = 0, step = 1;
    if (c.find("start")) {
      TRY(from, c.number("start"));
    }
    TRY(double to, c.number("end"));
    if (c.find("step")) {
      TRY(step, c.number("step"));
    }
    Element wide = out.isFloat() ? out : Element{b.builder.getF64Type()};
    TRY(Tensor range, floatRange(b, from, to, step, wide));
    return c.done(convert(b, range, out));
  }
  Expr from = b.zero(), step = b.sizes.constant(1);
  if (c.find("start")) {
    TRY(from, c.size("start"));
  }
  TRY(Expr to, c.size("end"));
  if (c.find("step")) {
    TRY(step, c.size("step"));
  }
  TRY(Tensor range,
      integerRange(b, from, to, step, out.isFloat() ? i64(b) : out));
  return c.done(convert(b, range, out));
}

LogicalResult importEye(Call &c) {
  TRY(Dims dims, c.dims());
  TRY(Element out, c.resultElement());
  if (dims.size() != 2)
    return c.fail("expected a matrix as its result");
  return c.done(diagonal(c.b, dims, 0, out));
}

} // namespace

void addCreateOps(OpTable &t) {
  t.add({"aten.zeros.default", "aten.zeros_like.default",
         "aten.new_zeros.default", "aten.empty.memory_format",
         "aten.empty_like.default", "aten.new_empty.default",
         "aten.empty_strided.default", "aten.new_empty_strided.default",
         "aten.empty_permuted.default"},
        importZeros);
  t.add(
      {"aten.ones.default", "aten.ones_like.default", "aten.new_ones.default"},
      importOnes);
  t.add({"aten.full.default", "aten.full_like.default", "aten.new_full.default",
         "aten.scalar_tensor.default"},
        importFull);
  t.add({"aten.arange.default", "aten.arange.start", "aten.arange.start_step"},
        importArange);
  t.add({"aten.eye.default", "aten.eye.m"}, importEye);
}

} // namespace tilewright::torch
