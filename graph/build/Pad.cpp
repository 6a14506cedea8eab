#include "graph/build/Pad.h"

#include "graph/build/Checks.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::build {
namespace {

StringRef nameOf(PadMode mode) {
  switch (mode) {
  case PadMode::Edge:
    return "edge";
  case PadMode::Reflect:
    return "reflect";
  default:
    return "wrap";
  }
}

/// Where padding with the input's own elements reads.
Value paddedPosition(GraphBuilder &b, Scalar &s, PadMode mode, Value at,
                     Expr size) {
  Scalar t(s.builder, s.loc);
  Value zero = s.index(0), count = b.index(size);
  Value last = s.sub(count, s.index(1));
  if (mode == PadMode::Edge)
    return t.clamp(at, zero, last);
  auto modulo = [&](Value v, Value m) {
    Value rest = s.make<arith::RemSIOp>(v, m);
    return t.select(t.lt(rest, zero), t.add(rest, m), rest);
  };
  if (mode == PadMode::Wrap)
    return modulo(at, count);
  // Reflection has a period of 2 (size - 1).
  Value period = t.max(t.mul(last, s.index(2)), s.index(1));
  Value folded = modulo(at, period);
  return t.min(folded, t.sub(period, folded));
}

FailureOr<Tensor> padByPosition(GraphBuilder &b, const Tensor &x,
                                ArrayRef<Expr> low, ArrayRef<Expr> high,
                                PadMode mode) {
  SmallVector<Expr> dims;
  for (int64_t i = 0; i < x->rank(); ++i) {
    Expr added = b.sizes.add(low[i], high[i]);
    dims.push_back(b.sizes.add(x->dims[i], added));
    if (!isConst(added, 0))
      checkAtMost(b, b.sizes.constant(1), x->dims[i],
                  "Pad in mode " + nameOf(mode) +
                      " of a dimension without elements");
  }
  denseValue(b, x);
  return gather(b, {}, dims, x->element, [&](Scalar &s, ArrayRef<Value>) {
    SmallVector<Value> at;
    for (int64_t i = 0; i < x->rank(); ++i) {
      Value position = s.loop(i);
      if (!isConst(low[i], 0) || !isConst(high[i], 0))
        position = paddedPosition(b, s, mode, s.sub(position, b.index(low[i])),
                                  x->dims[i]);
      at.push_back(position);
    }
    return extractElement(b, s, x, at);
  });
}

/// Negative padding takes elements away. Amounts that follow from sizes of
/// inputs are not negative.
FailureOr<Tensor> cropNegative(GraphBuilder &b, const Tensor &x,
                               SmallVectorImpl<Expr> &low,
                               SmallVectorImpl<Expr> &high) {
  SmallVector<Expr> offsets, lengths(x->dims);
  for (int64_t i = 0; i < x->rank(); ++i) {
    offsets.push_back(b.zero());
    for (Expr *amount : {&low[i], &high[i]}) {
      if (constantOf(*amount).value_or(0) >= 0 && !b.indices.isLocal(*amount))
        continue;
      Expr cut = b.sizes.positivePart(b.sizes.mul(*amount, -1));
      lengths[i] = b.sizes.sub(lengths[i], cut);
      if (amount == &low[i])
        offsets[i] = cut;
      *amount = b.sizes.positivePart(*amount);
    }
  }
  return slice(b, x, offsets, lengths, SmallVector<int64_t>(x->rank(), 1));
}

} // namespace

FailureOr<Tensor> padOrCrop(GraphBuilder &b, Tensor x, ArrayRef<Expr> low,
                            ArrayRef<Expr> high, TypedAttr value) {
  SmallVector<Expr> before(low), after(high);
  TRY(x, cropNegative(b, x, before, after));
  return pad(b, x, before, after, value);
}

FailureOr<Tensor> padRepeating(GraphBuilder &b, Tensor x, ArrayRef<Expr> low,
                               ArrayRef<Expr> high, PadMode mode) {
  SmallVector<Expr> before(low), after(high);
  TRY(x, cropNegative(b, x, before, after));
  return padByPosition(b, x, before, after, mode);
}

} // namespace tilewright::build
