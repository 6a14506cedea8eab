// Comparisons, logic, bits, selection.
#include "frontends/torch/Promotion.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Logic.h"

using namespace mlir;

namespace tilewright::torch {
namespace {

template <Comparison comparison, bool inverted = false>
LogicalResult importComparison(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "other"));
  TRY(p.x, convert(c.b, p.x, p.common));
  TRY(p.y, convert(c.b, p.y, p.common));
  TRY(Tensor result, compare(c.b, comparison, p.x, p.y));
  return inverted ? c.done(invertBits(c.b, result)) : c.set(0, result);
}

/// Whether elements are not zero.
FailureOr<Tensor> truthOf(GraphBuilder &b, const Tensor &x) {
  return convert(b, x, boolean(b));
}

template <Bitwise op> LogicalResult importLogical(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor y, c.tensor("other"));
  TRY(x, truthOf(c.b, x));
  TRY(y, truthOf(c.b, y));
  return c.done(combineBits(c.b, op, x, y));
}

LogicalResult importLogicalNot(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(x, truthOf(c.b, x));
  return c.done(invertBits(c.b, x));
}

template <Bitwise op> LogicalResult importBitwise(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "other"));
  return c.done(combineBits(c.b, op, p.x, p.y));
}

LogicalResult importBitwiseNot(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  return c.done(invertBits(c.b, x));
}

template <bool left> LogicalResult importShift(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "other"));
  if (left || p.common.isUnsigned)
    return c.done(shiftBits(c.b, p.x, p.y, left));
  int64_t bits = p.common.bits();
  return c.done(
      elementwise(c.b, {p.x, p.y}, p.common, [&](Scalar &s, Values v) {
        Scalar t(s.builder, s.loc, /*isUnsigned=*/true);
        Value most = s.integer(v[1].getType(), bits - 1);
        return s.make<arith::ShRSIOp>(v[0], t.min(v[1], most));
      }));
}

LogicalResult importIsNan(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  if (!x->element.isFloat())
    return c.done(elementwise(c.b, {x}, boolean(c.b), [](Scalar &s, Values) {
      return s.truth(false);
    }));
  return c.done(isNaN(c.b, x));
}

template <bool negative, bool positive> LogicalResult importIsInf(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  if (!x->element.isFloat())
    return c.done(elementwise(c.b, {x}, boolean(c.b), [](Scalar &s, Values) {
      return s.truth(false);
    }));
  return c.done(isInfinite(c.b, x, negative, positive));
}

LogicalResult importWhere(Call &c) {
  TRY(Tensor condition, c.tensor("condition"));
  TRY(condition, truthOf(c.b, condition));
  TRY(Pair p, promotedPair(c, "self", "other"));
  // Nothing is computed: numbers have the result's type, too.
  TRY(p.x, convert(c.b, p.x, p.common));
  TRY(p.y, convert(c.b, p.y, p.common));
  return c.done(where(c.b, condition, p.x, p.y));
}

LogicalResult importMaskedFill(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor mask, c.tensor("mask"));
  TRY(Term value, termOf(c, "value"));
  TRY(Tensor filled, convert(c.b, value.tensor, x->element));
  return c.done(where(c.b, mask, filled, x));
}

/// Whether elements are in a list: of few tests, or their inverse.
LogicalResult importIsIn(Call &c) {
  TRY(Pair p, promotedPair(c, "elements", "test_elements"));
  TRY(bool inverted, c.flag("invert"));
  auto count = countOf(*p.y);
  if (!count || *count > 1024)
    return c.fail("expected at most 1024 test elements, found " +
                  c.b.sizes.str(p.y->dims));
  Element out = boolean(c.b);
  Operand own{p.x, {}};
  for (int64_t i = 0; i < p.x->rank(); ++i)
    own.at.push_back(c.b.loop(i));
  GenericOptions options;
  options.parallelLoops = p.x->rank();
  options.init = c.b.builder.getBoolAttr(false);
  SmallVector<Expr> loops(p.x->dims);
  Operand tests{p.y, {}};
  for (Expr dim : p.y->dims) {
    tests.at.push_back(c.b.loop(loops.size()));
    loops.push_back(dim);
  }
  TRY(Tensor found, generic(
                        c.b, {own, tests}, loops, out,
                        [](Scalar &s, Values v) {
                          return s.logicalOr(v[2], s.eq(v[0], v[1]));
                        },
                        options));
  return c.done(inverted ? invertBits(c.b, found) : found);
}

} // namespace

void addCompareOps(OpTable &t) {
  t.add({"aten.eq.Tensor", "aten.eq.Scalar"},
        importComparison<Comparison::Equal>);
  t.add({"aten.ne.Tensor", "aten.ne.Scalar"},
        importComparison<Comparison::Equal, true>);
  t.add({"aten.lt.Tensor", "aten.lt.Scalar"},
        importComparison<Comparison::Less>);
  t.add({"aten.le.Tensor", "aten.le.Scalar"},
        importComparison<Comparison::LessOrEqual>);
  t.add({"aten.gt.Tensor", "aten.gt.Scalar"},
        importComparison<Comparison::Greater>);
  t.add({"aten.ge.Tensor", "aten.ge.Scalar"},
        importComparison<Comparison::GreaterOrEqual>);
  t.add("aten.logical_and.default", importLogical<Bitwise::And>);
  t.add("aten.logical_or.default", importLogical<Bitwise::Or>);
  t.add("aten.logical_xor.default", importLogical<Bitwise::Xor>);
  t.add("aten.logical_not.default", importLogicalNot);
  t.add({"aten.bitwise_and.Tensor", "aten.bitwise_and.Scalar",
         "aten.__and__.Tensor", "aten.__and__.Scalar"},
        importBitwise<Bitwise::And>);
  t.add({"aten.bitwise_or.Tensor", "aten.bitwise_or.Scalar",
         "aten.__or__.Tensor", "aten.__or__.Scalar"},
        importBitwise<Bitwise::Or>);
  t.add({"aten.bitwise_xor.Tensor", "aten.bitwise_xor.Scalar",
         "aten.__xor__.Tensor", "aten.__xor__.Scalar"},
        importBitwise<Bitwise::Xor>);
  t.add("aten.bitwise_not.default", importBitwiseNot);
  t.add({"aten.bitwise_left_shift.Tensor",
         "aten.bitwise_left_shift.Tensor_Scalar",
         "aten.bitwise_left_shift.Scalar_Tensor", "aten.__lshift__.Scalar",
         "aten.__lshift__.Tensor"},
        importShift<true>);
  t.add({"aten.bitwise_right_shift.Tensor",
         "aten.bitwise_right_shift.Tensor_Scalar",
         "aten.bitwise_right_shift.Scalar_Tensor", "aten.__rshift__.Scalar",
         "aten.__rshift__.Tensor"},
        importShift<false>);
  t.add("aten.isnan.default", importIsNan);
  t.add("aten.isinf.default", importIsInf<true, true>);
  t.add("aten.isposinf.default", importIsInf<false, true>);
  t.add("aten.isneginf.default", importIsInf<true, false>);
  t.add({"aten.where.self", "aten.where.ScalarSelf", "aten.where.ScalarOther",
         "aten.where.Scalar"},
        importWhere);
  t.add({"aten.masked_fill.Scalar", "aten.masked_fill.Tensor"},
        importMaskedFill);
  t.add({"aten.isin.Tensor_Tensor", "aten.isin.Tensor_Scalar"}, importIsIn);
}

} // namespace tilewright::torch
