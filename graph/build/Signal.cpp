#include "graph/build/Signal.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

#include <cmath>

using namespace mlir;

namespace tilewright::build {

FailureOr<Tensor> cosineWindow(GraphBuilder &b, Expr size, Element out,
                               const CosineWindow &window) {
  Expr period = window.periodic ? size : b.sizes.add(size, -1);
  return gather(b, {}, {size}, out, [&](Scalar &s, Values) {
    Type type = s.builder.getF64Type();
    Value n = s.fromIndex(s.loop(0), type);
    Value count = countInBody(b, s, period, type);
    Value angle = s.div(s.mul(n, s.constant(type, 2 * M_PI)), count);
    auto cosine = [&](double factor, double times) {
      Value at = s.mul(angle, s.constant(type, times));
      return s.mul(s.make<math::CosOp>(at), s.constant(type, factor));
    };
    Value sum = s.sub(s.constant(type, window.a0), cosine(window.a1, 1));
    if (window.a2 != 0)
      sum = s.add(sum, cosine(window.a2, 2));
    return s.convert(sum, out.type, out.isUnsigned);
  });
}

/// The transform along one axis of a signal of length n, as a sum over its
/// elements. Loops (out..., part, element); part 0 is real, 1 imaginary.
FailureOr<Tensor> fourierTransform(GraphBuilder &b, const Tensor &signal,
                                   Expr n, const FourierOptions &o) {
  Tensor x = signal;
  const int64_t axis = o.axis, rank = x->rank();
  const int64_t parts = *constantOf(x->dims.back());
  // A longer signal is truncated, a shorter one padded with zeros.
  SmallVector<Expr> lengths(x->dims);
  lengths[axis] = b.sizes.min(n, x->dims[axis]);
  TRY(x, slice(b, x, SmallVector<Expr>(rank, b.zero()), lengths,
               SmallVector<int64_t>(rank, 1)));
  SmallVector<Expr> loops(x->dims);
  loops[axis] = o.oneSided ? b.sizes.add(b.sizes.floorDiv(n, 2), 1) : n;
  loops[rank - 1] = b.sizes.constant(2);
  loops.push_back(lengths[axis]);
  SmallVector<Operand> operands;
  for (int64_t part = 0; part < parts; ++part) {
    Operand operand{x, {}};
    for (int64_t i = 0; i < rank - 1; ++i)
      operand.at.push_back(i == axis ? b.loop(rank) : b.loop(i));
    operand.at.push_back(b.sizes.constant(part));
    operands.push_back(operand);
  }
  Type type = b.builder.getF64Type();
  Element wide{type};
  GenericOptions options;
  options.parallelLoops = rank;
  options.init = b.builder.getF64FloatAttr(0);
  options.widen = false;
  auto body = [&](Scalar &s, Values v) {
    // The angle's multiple is taken modulo n as an integer.
    Value count = b.index(n);
    Value turn =
        s.make<arith::RemUIOp>(s.mul(s.loop(axis), s.loop(rank)), count);
    Value angle =
        s.div(s.mul(s.fromIndex(turn, type),
                    s.constant(type, o.inverse ? 2 * M_PI : -2 * M_PI)),
              s.fromIndex(count, type));
    Value cosine = s.make<math::CosOp>(angle);
    Value sine = s.make<math::SinOp>(angle);
    Value real = s.convert(v[0], type);
    Value re = s.mul(real, cosine), im = s.mul(real, sine);
    if (parts == 2) {
      Value imaginary = s.convert(v[1], type);
      re = s.sub(re, s.mul(imaginary, sine));
      im = s.add(im, s.mul(imaginary, cosine));
    }
    Value isReal = s.eq(s.loop(rank - 1), s.index(0));
    return s.add(v.back(), s.select(isReal, re, im));
  };
  TRY(Tensor sum, generic(b, operands, loops, wide, body, options));
  return elementwise(b, {sum}, x->element, [&](Scalar &s, Values v) {
    return o.inverse ? s.div(v[0], countInBody(b, s, n, type)) : v[0];
  });
}

} // namespace tilewright::build
