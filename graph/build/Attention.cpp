#include "graph/build/Attention.h"

#include "graph/analysis/SizeBounds.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/MatMul.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"
#include "graph/build/TensorValues.h"

#include <cmath>

using namespace mlir;

namespace tilewright::build {
namespace {

/// What attention computes from. All heads in groups: queries are
/// [B, Hkv, G, S, D], keys and values [B, Hkv, 1, T, D].
struct Heads {
  Tensor q, k, v;
  /// As operands of the scores, once they are grouped: [..., Hkv or 1, G or 1,
  /// S, T] and [B, 1, 1, 1, 1].
  Tensor mask, lengths;
  /// The mask's shape as it is given.
  SmallVector<Expr> maskDims;
  int64_t heads = 0, kvHeads = 0, group = 1;
  double scale = 0;
  bool causal = false, threeDims = false;
  Expr past;
};

/// [B, S, H * D] as [B, outer, inner, S, D].
FailureOr<Tensor> splitHeads(GraphBuilder &b, const Tensor &x, int64_t outer,
                             int64_t inner) {
  Sizes &z = b.sizes;
  auto width = constantOf(x->dims[2]);
  if (!width || outer * inner < 1 || *width % (outer * inner) != 0)
    return b.fail("an operand has shape " + z.str(x->dims) +
                  ", whose last size does not divide into " +
                  Twine(outer * inner) + " heads");
  TRY(Tensor split,
      reshape(b, x,
              {x->dims[0], x->dims[1], z.constant(outer), z.constant(inner),
               z.constant(*width / (outer * inner))}));
  return transpose(b, split, {0, 2, 3, 1, 4});
}

LogicalResult countHeads(GraphBuilder &b, Heads &a) {
  int64_t rank = a.q->rank();
  a.threeDims = rank == 3;
  if ((rank != 3 && rank != 4) || a.k->rank() != rank || a.v->rank() != rank ||
      a.q->element != a.k->element || !a.q->element.isFloat())
    return b.fail("operands have shapes " + b.sizes.str(a.q->dims) + ", " +
                  b.sizes.str(a.k->dims) + " and " + b.sizes.str(a.v->dims) +
                  ", expected three or four dimensions each");
  if (!a.threeDims) {
    auto heads = constantOf(a.q->dims[1]), kvHeads = constantOf(a.k->dims[1]);
    if (!heads || !kvHeads)
      return b.fail("the number of heads must be static");
    a.heads = *heads;
    a.kvHeads = *kvHeads;
  }
  if (a.heads < 1 || a.kvHeads < 1 || a.heads % a.kvHeads != 0 ||
      a.heads > 100000)
    return b.fail("there are " + Twine(a.heads) + " query heads and " +
                  Twine(a.kvHeads) + " key heads");
  a.group = a.heads / a.kvHeads;
  return success();
}

LogicalResult groupHeads(GraphBuilder &b, Heads &a) {
  if (a.threeDims) {
    TRY(a.q, splitHeads(b, a.q, a.kvHeads, a.group));
    TRY(a.k, splitHeads(b, a.k, a.kvHeads, 1));
    TRY(a.v, splitHeads(b, a.v, a.kvHeads, 1));
    return success();
  }
  SmallVector<Expr> dims = {a.q->dims[0], b.sizes.constant(a.kvHeads),
                            b.sizes.constant(a.group), a.q->dims[2],
                            a.q->dims[3]};
  TRY(a.q, reshape(b, a.q, dims));
  a.k = rearrange(b, a.k, {0, 1, -1, 2, 3});
  a.v = rearrange(b, a.v, {0, 1, -1, 2, 3});
  return success();
}

/// Puts the cache before the new keys or values, along the sequence.
FailureOr<Tensor> withPast(GraphBuilder &b, const Tensor &past,
                           const Tensor &now) {
  if (!past)
    return now;
  if (past->rank() != 4)
    return b.fail("the cache has shape " + b.sizes.str(past->dims) +
                  ", expected four dimensions");
  return concat(b, {rearrange(b, past, {0, 1, -1, 2, 3}), now}, 3);
}

/// The mask as wide as the keys: what it lacks is hidden, one of one column
/// too.
FailureOr<Tensor> padMask(GraphBuilder &b, const Tensor &mask, Expr keys) {
  Expr width = mask->dims.back();
  if (width == keys)
    return mask;
  std::string message = "the mask has shape " + b.sizes.str(mask->dims) +
                        ", expected at most " + b.sizes.str(keys) +
                        " columns, one for each key";
  if (less(b.sizes, keys, width) == true)
    return b.fail(message);
  checkAtMost(b, width, keys, message);
  SmallVector<Expr> low(mask->rank(), b.zero()), high = low;
  high.back() = b.sizes.sub(keys, width);
  TypedAttr value = mask->element.isBool()
                        ? TypedAttr(b.builder.getBoolAttr(false))
                        : constantAttr(b, mask->element, -INFINITY);
  return pad(b, mask, low, high, value);
}

/// The mask as [..., Hkv or 1, G or 1, S, T], padded to T keys.
FailureOr<Tensor> groupMask(GraphBuilder &b, const Heads &a, Expr keys) {
  int64_t rank = a.mask->rank();
  if (rank < 1 || rank > 4)
    return b.fail("the mask has shape " + b.sizes.str(a.mask->dims));
  TRY(Tensor mask, padMask(b, a.mask, keys));
  if (rank < 3)
    return mask;
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < rank; ++i) {
    kept.push_back(i);
    if (i == rank - 3)
      kept.push_back(-1);
  }
  Expr heads = mask->dims[rank - 3];
  if (isConst(heads, 1) || a.group == 1)
    return rearrange(b, mask, kept);
  SmallVector<Expr> dims(mask->dims);
  dims[rank - 3] = b.sizes.constant(a.kvHeads);
  dims.insert(dims.begin() + rank - 2, b.sizes.constant(a.group));
  return reshape(b, mask, dims);
}

/// What is read for each score to know which keys it sees.
SmallVector<Tensor> maskOperands(const Heads &a) {
  SmallVector<Tensor> operands;
  for (const Tensor &operand : {a.mask, a.lengths})
    if (operand)
      operands.push_back(operand);
  return operands;
}

/// Conditions that all hold where a query sees a key, but for a mask of floats,
/// which is added. `masks` are the elements of `maskOperands`.
SmallVector<Value> seenIf(Scalar &s, GraphBuilder &b, const Heads &a,
                          Values masks) {
  Scalar t(s.builder, s.loc);
  SmallVector<Value> conditions;
  if (a.mask && a.mask->element.isBool())
    conditions.push_back(masks[0]);
  if (a.causal)
    conditions.push_back(t.le(s.loop(4), s.add(s.loop(3), b.index(a.past))));
  if (a.lengths)
    conditions.push_back(t.lt(s.loop(4), t.toIndex(masks.back())));
  return conditions;
}

/// Adds the mask, the causal mask and the lengths' mask to the scores.
FailureOr<Tensor> maskScores(GraphBuilder &b, const Heads &a,
                             const Tensor &scores) {
  SmallVector<Tensor> operands = {scores};
  llvm::append_range(operands, maskOperands(a));
  if (operands.size() == 1 && !a.causal)
    return scores;
  TRY(Tensor result,
      elementwise(b, operands, scores->element, [&](Scalar &s, Values v) {
        Value score = v[0], hidden = s.like(score, -INFINITY);
        if (a.mask && !a.mask->element.isBool())
          score = s.add(score, s.convert(v[1], score.getType()));
        for (Value seen : seenIf(s, b, a, v.drop_front()))
          score = s.select(seen, score, hidden);
        return score;
      }));
  if (result->dims != scores->dims)
    return b.fail("the mask has shape " + b.sizes.str(a.maskDims) +
                  ", which does not fit " + b.sizes.str(scores->dims));
  return result;
}

/// The weights of the keys. A query that sees none gives each the weight 0;
/// where the scores of all that it sees are -infinity, their softmax is NaN, as
/// any.
FailureOr<Tensor> weigh(GraphBuilder &b, const Heads &a, const Tensor &masked) {
  SmallVector<Tensor> operands = maskOperands(a);
  // A causal mask alone leaves the first key to all queries.
  if (operands.empty())
    return softmax(b, masked, 4, false);
  TRY(Tensor top, reduceMax(b, masked, {4}, true));
  operands.insert(operands.begin(), {masked, top});
  TRY(Tensor powers,
      elementwise(b, operands, top->element, [&](Scalar &s, Values v) {
        Values masks = v.drop_front(2);
        SmallVector<Value> conditions = seenIf(s, b, a, masks);
        if (a.mask && a.mask->element.isFloat())
          conditions.push_back(s.ne(masks[0], s.like(masks[0], -INFINITY)));
        // A hidden score is -infinity less 0, never less itself.
        Value least = v[1], zero = s.like(least, 0);
        for (Value seen : conditions)
          least = s.select(seen, least, zero);
        return s.exp(s.sub(v[0], least));
      }));
  TRY(Tensor sum, reduceSum(b, powers, {4}, true));
  // It is at least 1 where a key is seen.
  TRY(sum, elementwise(b, {sum}, sum->element, [](Scalar &s, Values v) {
        return s.select(s.eq(v[0], s.like(v[0], 0)), s.like(v[0], 1), v[0]);
      }));
  return elementwise(b, {powers, sum}, masked->element,
                     [](Scalar &s, Values v) { return s.div(v[0], v[1]); });
}

/// [B, Hkv, G, S, T] as [B, H, S, T].
FailureOr<Tensor> joinGroups(GraphBuilder &b, const Tensor &x) {
  return reshape(b, x,
                 {x->dims[0], b.sizes.mul(x->dims[1], x->dims[2]), x->dims[3],
                  x->dims[4]});
}

/// The result, and the scores of a stage.
LogicalResult computeAttention(GraphBuilder &b, Heads &a,
                               const AttentionOptions &o, Attention &result) {
  Element out = a.q->element;
  Element wide = out.isNarrowFloat() ? f32(b) : out;
  TRY(Tensor keys, swapLast(b, a.k));
  TRY(Tensor raw, matmul(b, a.q, keys, wide));
  TRY(Tensor scaled, elementwise(b, {raw}, wide, [&](Scalar &s, Values v) {
        return s.mul(v[0], s.like(v[0], a.scale));
      }));
  Tensor scores = scaled;
  if (o.softcap > 0) {
    TRY(scores, elementwise(b, {scaled}, wide, [&](Scalar &s, Values v) {
          Value cap = s.like(v[0], o.softcap);
          return s.mul(s.tanh(s.div(v[0], cap)), cap);
        }));
  }
  if (a.mask) {
    a.maskDims = a.mask->dims;
    TRY(a.mask, groupMask(b, a, scores->dims.back()));
  }
  if (a.lengths)
    a.lengths = rearrange(b, a.lengths, {0, -1, -1, -1, -1});
  TRY(Tensor masked, maskScores(b, a, scores));
  TRY(Tensor weights, weigh(b, a, masked));
  if (o.scores) {
    const Tensor stages[] = {scaled, scores, masked, weights};
    TRY(Tensor shown, convert(b, stages[size_t(*o.scores)], out));
    TRY(result.scores, joinGroups(b, shown));
  }
  // Matrix instructions multiply narrow elements.
  Element factor = a.v->element == out ? out : wide;
  TRY(Tensor factors, convert(b, weights, factor));
  TRY(Tensor values, convert(b, a.v, factor));
  TRY(Tensor product, matmul(b, factors, values, factor));
  TRY(product, convert(b, product, out));
  if (!a.threeDims) {
    TRY(result.values, joinGroups(b, product));
    return success();
  }
  TRY(Tensor moved, transpose(b, product, {0, 3, 1, 2, 4}));
  Expr width =
      b.sizes.product({moved->dims[2], moved->dims[3], moved->dims[4]});
  TRY(result.values,
      reshape(b, moved, {moved->dims[0], moved->dims[1], width}));
  return success();
}

/// What rotates the elements of a head, all of them.
struct Rotation {
  /// x as [batch, heads, sequence, head size] or [batch, sequence, heads * head
  /// size].
  Tensor x, cosine, sine, positions;
  int64_t headSize;
  /// Whether pairs are neighbours, not half a head apart.
  bool interleaved;
};

/// x as heads of pairs, each read once for both of its results: pairs are a
/// dimension of two points.
FailureOr<Tensor> rotatePairs(GraphBuilder &b, const Rotation &r) {
  const int64_t half = r.headSize / 2;
  SmallVector<Expr> dims(r.x->dims);
  const bool isFlat = dims.size() == 3;
  const int64_t sequence = isFlat ? 1 : 2;
  dims.back() = b.sizes.constant(half);
  if (isFlat)
    dims.insert(dims.end() - 1,
                b.sizes.constant(*constantOf(r.x->dims.back()) / r.headSize));
  const int64_t side = r.interleaved ? 4 : 3, pair = r.interleaved ? 3 : 4;
  dims.insert(dims.begin() + side, b.sizes.constant(2));
  TRY(Tensor x, reshape(b, r.x, dims));
  Operand low{x, {}}, high{x, {}};
  for (int64_t i = 0; i < 5; ++i) {
    low.at.push_back(i == side ? b.zero() : b.loop(i));
    high.at.push_back(i == side ? b.sizes.constant(1) : b.loop(i));
  }
  SmallVector<Operand> operands = {low, high};
  if (r.positions)
    operands.push_back({r.positions, {b.loop(0), b.loop(sequence)}});
  else
    for (const Tensor &angles : {r.cosine, r.sine})
      operands.push_back({angles, {b.loop(0), b.loop(sequence), b.loop(pair)}});
  Type wide = b.builder.getF32Type();
  if (x->element.type.isF64())
    wide = x->element.type;
  TRY(Tensor turned,
      gather(b, operands, dims, x->element, [&](Scalar &s, Values v) {
        Scalar t(s.builder, s.loc);
        auto angle = [&](const Tensor &cache, size_t number) -> Value {
          if (!r.positions)
            return s.convert(v[number], wide);
          Value row = boundedIndex(b, s, t.toIndex(v[2]), cache->dims[0]);
          return s.convert(extractElement(b, s, cache, {row, s.loop(pair)}),
                           wide);
        };
        Value first = s.convert(v[0], wide), second = s.convert(v[1], wide);
        Value c = angle(r.cosine, 2), w = angle(r.sine, 3);
        Value isFirst = s.eq(s.loop(side), s.index(0));
        Value result =
            s.select(isFirst, s.sub(s.mul(first, c), s.mul(second, w)),
                     s.add(s.mul(second, c), s.mul(first, w)));
        return s.convert(result, x->element.type);
      }));
  return reshape(b, turned, r.x->dims);
}

} // namespace

FailureOr<Attention> attention(GraphBuilder &b,
                               const AttentionOperands &operands,
                               const AttentionOptions &o) {
  Heads a;
  a.q = operands.queries;
  a.k = operands.keys;
  a.v = operands.values;
  a.heads = o.heads;
  a.kvHeads = o.kvHeads;
  if (failed(countHeads(b, a)) || failed(groupHeads(b, a)))
    return failure();
  a.mask = operands.mask;
  a.lengths = operands.lengths;
  a.causal = o.causal;
  const Tensor &past = operands.pastKeys;
  a.past = past && past->rank() == 4 ? past->dims[2] : b.zero();
  TRY(a.k, withPast(b, past, a.k));
  TRY(a.v, withPast(b, operands.pastValues, a.v));
  auto headSize = constantOf(a.q->dims[4]);
  if (!headSize && !o.scale)
    return b.fail("the size of a head must be static");
  a.scale = o.scale ? *o.scale : 1 / std::sqrt(double(*headSize));
  Attention result;
  result.presentKeys = rearrange(b, a.k, {0, 1, 3, 4});
  result.presentValues = rearrange(b, a.v, {0, 1, 3, 4});
  if (failed(computeAttention(b, a, o, result)))
    return failure();
  return result;
}

FailureOr<Tensor> rotate(GraphBuilder &b, const Tensor &x, const Tensor &cosine,
                         const Tensor &sine, const Tensor &positions,
                         const RotationOptions &o) {
  const int64_t heads = o.heads;
  const bool interleaved = o.interleaved;
  int64_t rotated = o.rotated;
  bool threeDims = x->rank() == 3;
  auto width = constantOf(x->rank() ? x->dims.back() : b.zero());
  if ((!threeDims && x->rank() != 4) || !width ||
      (threeDims && (heads < 1 || *width % heads != 0)))
    return b.fail("the input has shape " + b.sizes.str(x->dims) +
                  " and there are " + Twine(heads) + " heads");
  int64_t headSize = threeDims ? *width / heads : *width;
  if (rotated == 0)
    rotated = headSize;
  int64_t half = rotated / 2, cacheRank = positions ? 2 : 3;
  if (rotated < 2 || rotated > headSize || cosine->rank() != cacheRank ||
      sine->rank() != cacheRank || !isConst(cosine->dims.back(), half) ||
      (positions && positions->rank() != 2))
    return b.fail("the caches have shapes " + b.sizes.str(cosine->dims) +
                  " and " + b.sizes.str(sine->dims) + ", expected " +
                  Twine(cacheRank) + " dimensions, the last of " + Twine(half));
  for (const Tensor &t : {x, cosine, sine})
    denseValue(b, t);
  if (positions)
    denseValue(b, positions);
  if (rotated == headSize && headSize % 2 == 0)
    return rotatePairs(b, {x, cosine, sine, positions, headSize, interleaved});
  int64_t last = x->rank() - 1, sequence = threeDims ? 1 : 2;
  auto body = [&](Scalar &s, Values) {
    Scalar t(s.builder, s.loc);
    SmallVector<Value> at;
    for (int64_t i = 0; i <= last; ++i)
      at.push_back(s.loop(i));
    Value i = threeDims ? s.make<arith::RemUIOp>(at[last], s.index(headSize))
                        : at[last];
    Value isFirst, pair, angle;
    Value size = s.index(half), one = s.index(1);
    if (interleaved) {
      isFirst = s.eq(s.make<arith::AndIOp>(i, one), s.index(0));
      pair = s.select(isFirst, s.add(at[last], one), s.sub(at[last], one));
      angle = s.make<arith::DivUIOp>(i, s.index(2));
    } else {
      isFirst = t.lt(i, size);
      pair = s.select(isFirst, s.add(at[last], size), s.sub(at[last], size));
      angle = s.select(isFirst, i, s.sub(i, size));
    }
    Value rotates = t.lt(i, s.index(rotated));
    pair = s.select(rotates, pair, at[last]);
    angle = s.select(rotates, angle, s.index(0));
    SmallVector<Value> cacheAt = {at[0], at[sequence], angle};
    if (positions) {
      Value position = extractElement(b, s, positions, {at[0], at[sequence]});
      cacheAt = {boundedIndex(b, s, t.toIndex(position), cosine->dims[0]),
                 angle};
    }
    Type wide = s.builder.getF32Type();
    if (x->element.type.isF64())
      wide = x->element.type;
    Value own = extractElement(b, s, x, at);
    SmallVector<Value> pairAt = at;
    pairAt[last] = pair;
    Value other = s.convert(extractElement(b, s, x, pairAt), wide);
    Value c = s.convert(extractElement(b, s, cosine, cacheAt), wide);
    Value w = s.convert(extractElement(b, s, sine, cacheAt), wide);
    Value turned = s.mul(other, w);
    Value signedTurn = s.select(isFirst, s.neg(turned), turned);
    Value result = s.add(s.mul(s.convert(own, wide), c), signedTurn);
    return s.select(rotates, s.convert(result, x->element.type), own);
  };
  return gather(b, {}, x->dims, x->element, body);
}

} // namespace tilewright::build
