// Windows, Fourier transforms and recurrences over short sequences.
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

#include <cmath>

using namespace mlir;

namespace tilewright::onnx {
namespace {

using Values = ArrayRef<Value>;

/// A sum of cosines: a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N).
LogicalResult cosineWindow(Node &node, double a0, double a1, double a2) {
  GraphBuilder &b = node.b;
  TRY(SmallVector<Expr> size, contentOf(node, 0, "the size"));
  TRY(bool periodic, node.attributes.flag("periodic", true));
  TRY(Element out, node.attributes.element("output_datatype", f32(b)));
  if (size.size() != 1)
    return node.fail("the size must be one number");
  Expr period = periodic ? size[0] : b.sizes.add(size[0], -1);
  return node.done(gather(b, {}, size, out, [&](Scalar &s, Values) {
    Type type = s.builder.getF64Type();
    Value n = s.fromIndex(s.loop(0), type);
    Value count = countInBody(b, s, period, type);
    Value angle = s.div(s.mul(n, s.constant(type, 2 * M_PI)), count);
    auto cosine = [&](double factor, double times) {
      Value at = s.mul(angle, s.constant(type, times));
      return s.mul(s.make<math::CosOp>(at), s.constant(type, factor));
    };
    Value sum = s.sub(s.constant(type, a0), cosine(a1, 1));
    if (a2 != 0)
      sum = s.add(sum, cosine(a2, 2));
    return s.convert(sum, out.type, out.isUnsigned);
  }));
}

LogicalResult importHannWindow(Node &node) {
  return cosineWindow(node, 0.5, 0.5, 0);
}

LogicalResult importHammingWindow(Node &node) {
  return cosineWindow(node, 25.0 / 46, 21.0 / 46, 0);
}

LogicalResult importBlackmanWindow(Node &node) {
  return cosineWindow(node, 0.42, 0.5, 0.08);
}

/// The transform along one axis of a signal of length n, as a sum over its
/// elements. Loops (out..., part, element); part 0 is real, 1 imaginary.
LogicalResult importDFT(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  if (failed(expectRank(node.b, x, 3, "the signal")) || !x->element.isFloat())
    return failure();
  TRY(bool inverse, node.attributes.flag("inverse", false));
  TRY(bool onesided, node.attributes.flag("onesided", false));
  TRY(int64_t axis, node.attributes.integer("axis", 1));
  if (node.opset >= 20) {
    axis = -2;
    if (node.hasInput(2)) {
      TRY(axis, oneIntegerOf(node, 2, "axis"));
    }
  }
  int64_t rank = x->rank();
  TRY(axis, axisOf(node.b, axis, rank));
  auto parts = constantOf(x->dims.back());
  if (axis == rank - 1 || !parts || (*parts != 1 && *parts != 2))
    return node.fail("the signal has shape " + b.sizes.str(x->dims) +
                     " and axis is " + Twine(axis));
  if (inverse && onesided)
    return node.fail("an inverse one-sided transform is not supported");
  Expr n = x->dims[axis];
  if (node.hasInput(1)) {
    TRY(n, oneOf(node, 1, "the length"));
  }
  // A longer signal is truncated, a shorter one padded with zeros.
  SmallVector<Expr> lengths(x->dims);
  lengths[axis] = b.sizes.min(n, x->dims[axis]);
  TRY(x, slice(b, x, SmallVector<Expr>(rank, b.zero()), lengths,
               SmallVector<int64_t>(rank, 1)));
  SmallVector<Expr> loops(x->dims);
  loops[axis] = onesided ? b.sizes.add(b.sizes.floorDiv(n, 2), 1) : n;
  loops[rank - 1] = b.sizes.constant(2);
  loops.push_back(lengths[axis]);
  SmallVector<Operand> operands;
  for (int64_t part = 0; part < *parts; ++part) {
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
    Value angle = s.div(s.mul(s.fromIndex(turn, type),
                              s.constant(type, inverse ? 2 * M_PI : -2 * M_PI)),
                        s.fromIndex(count, type));
    Value cosine = s.make<math::CosOp>(angle);
    Value sine = s.make<math::SinOp>(angle);
    Value real = s.convert(v[0], type);
    Value re = s.mul(real, cosine), im = s.mul(real, sine);
    if (*parts == 2) {
      Value imaginary = s.convert(v[1], type);
      re = s.sub(re, s.mul(imaginary, sine));
      im = s.add(im, s.mul(imaginary, cosine));
    }
    Value isReal = s.eq(s.loop(rank - 1), s.index(0));
    return s.add(v.back(), s.select(isReal, re, im));
  };
  TRY(Tensor sum, generic(b, operands, loops, wide, body, options));
  return node.done(elementwise(b, {sum}, x->element, [&](Scalar &s, Values v) {
    return inverse ? s.div(v[0], countInBody(b, s, n, type)) : v[0];
  }));
}

} // namespace

void addSignalOps(OpTable &t) {
  t.add("HannWindow", 17, importHannWindow, "size known at import");
  t.add("HammingWindow", 17, importHammingWindow, "size known at import");
  t.add("BlackmanWindow", 17, importBlackmanWindow, "size known at import");
  t.add("DFT", 17, importDFT, "as a sum over the signal, in f64");
}

} // namespace tilewright::onnx
