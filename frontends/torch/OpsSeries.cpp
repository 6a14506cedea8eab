// Numbers at equal distances, and sums of trapezoids between them.
#include "frontends/torch/Promotion.h"
#include "frontends/torch/Views.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduce.h"
#include "graph/build/Scan.h"
#include "graph/build/Shape.h"

using namespace mlir;

namespace tilewright::torch {
namespace {

/// Numbers from both ends to the middle, as PyTorch computes them, or powers
/// of `base` with these exponents. Ends may be tensors without dimensions.
LogicalResult importSpace(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Term start, termOf(c, "start"));
  TRY(Term end, termOf(c, "end"));
  TRY(int64_t count, c.integer("steps"));
  TRY(Element out, c.resultElement());
  std::optional<double> base;
  if (c.find("base")) {
    TRY(double given, c.number("base"));
    base = given;
  }
  // As PyTorch, steps of integers are f32, and powers of integers f64.
  Element type = out.isFloat() ? accumulatorOf(b, out) : f32(b);
  if (!out.isFloat() && base)
    type = {b.builder.getF64Type()};
  TRY(Tensor from, convert(b, start.tensor, type));
  TRY(Tensor to, convert(b, end.tensor, type));
  TRY(Tensor result,
      elementwiseOver(
          b, {b.sizes.constant(count)}, {from, to}, type,
          [&](Scalar &s, Values v) {
            Type real = v[0].getType();
            Scalar t(s.builder, s.loc);
            Value i = s.loop(0), last = s.index(count - 1);
            Value step =
                s.div(s.sub(v[1], v[0]),
                      s.constant(real, std::max<int64_t>(count - 1, 1)));
            auto at = [&](Value steps) {
              return s.mul(s.fromIndex(steps, real), step);
            };
            Value isFirstHalf =
                t.lt(i, s.index(std::max<int64_t>(count / 2, 1)));
            Value value = s.select(isFirstHalf, s.add(v[0], at(i)),
                                   s.sub(v[1], at(s.sub(last, i))));
            return base ? s.make<math::PowFOp>(s.constant(real, *base), value)
                        : value;
          }));
  return c.done(convert(b, result, out));
}

/// The elements of a dimension without the first or the last one.
FailureOr<Tensor> neighbours(GraphBuilder &b, const Tensor &x, int64_t axis,
                             bool later) {
  Expr rest = b.sizes.positivePart(b.sizes.add(x->dims[axis], -1));
  return readStrip(b, x,
                   {axis, later ? b.sizes.constant(1) : b.zero(), rest, 1});
}

/// Integrals by the rule of the trapezoid, whole or up to each element.
template <bool cumulates> LogicalResult importTrapezoid(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor y, c.tensor("y"));
  TRY(Element out, c.resultElement());
  if (y->rank() == 0)
    return c.fail("expected at least one dimension");
  TRY(int64_t axis, c.axis("dim", y->rank()));
  TRY(Tensor left, neighbours(b, y, axis, false));
  TRY(Tensor right, neighbours(b, y, axis, true));
  Tensor distance;
  double dx = 1;
  if (c.find("x")) {
    TRY(Tensor x, c.tensor("x"));
    if (x->rank() == 0)
      return c.fail("expected positions with at least one dimension");
    // A vector lies along the dimension.
    if (x->rank() == 1) {
      SmallVector<int64_t> kept(y->rank(), -1);
      kept[axis] = 0;
      x = rearrange(b, x, kept);
    }
    int64_t own = axis - y->rank() + x->rank();
    if (own < 0)
      return c.fail("expected positions for the dimension");
    TRY(Tensor before, neighbours(b, x, own, false));
    TRY(Tensor after, neighbours(b, x, own, true));
    TRY(distance, arithmetic(b, Arithmetic::Subtract, after, before));
  } else {
    TRY(dx, c.number("dx"));
  }
  // Whole numbers wrap in their own type, as PyTorch's.
  TRY(Tensor areas, arithmetic(b, Arithmetic::Add, left, right));
  if (distance) {
    Element common = promoteTypes(b, areas->element, distance->element);
    TRY(areas, convert(b, areas, common));
    TRY(distance, convert(b, distance, common));
    TRY(areas, arithmetic(b, Arithmetic::Multiply, areas, distance));
  }
  TRY(areas, convert(b, areas, areas->element.isFloat() ? out : i64(b)));
  TRY(Tensor total, cumulates ? cumulate(b, areas, axis, {})
                              : sumAlong(b, areas, {axis}, false, plainSum));
  TRY(total, convert(b, total, out));
  return c.done(elementwise(b, {total}, out, [&](Scalar &s, Values v) {
    return s.mul(v[0], s.like(v[0], dx / 2));
  }));
}

} // namespace

void addSeriesOps(OpTable &t) {
  t.add({"aten.linspace.default", "aten.linspace.Tensor_Tensor",
         "aten.linspace.Tensor_Scalar", "aten.linspace.Scalar_Tensor",
         "aten.logspace.default", "aten.logspace.Tensor_Tensor",
         "aten.logspace.Tensor_Scalar", "aten.logspace.Scalar_Tensor"},
        importSpace);
  t.add({"aten.trapezoid.x", "aten.trapezoid.dx", "aten.trapz.x",
         "aten.trapz.dx"},
        importTrapezoid<false>);
  t.add({"aten.cumulative_trapezoid.x", "aten.cumulative_trapezoid.dx"},
        importTrapezoid<true>);
}

} // namespace tilewright::torch
