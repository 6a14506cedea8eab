#include "graph/build/Boxes.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Compaction.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduce.h"
#include "graph/build/Reduction.h"
#include "graph/build/Regions.h"
#include "graph/build/Sort.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::build {
namespace {

/// What is known of a box while others are chosen.
enum Status : int64_t { Out = 0, Open = 1, Chosen = 2 };

/// A suppression: boxes of each class are in the order of their scores.
struct Suppression {
  /// [4, batch, classes, n]: the least x and y, and the greatest.
  Tensor corners;
  Tensor overlap;
};

/// The corners of boxes in the order of each class.
FailureOr<Tensor> cornersOf(GraphBuilder &b, const Tensor &boxes,
                            const Tensor &order, bool hasCenters) {
  Dims dims{b.sizes.constant(4)};
  dims.append(order->dims);
  denseValue(b, boxes);
  return gather(
      b, {{order, {b.loop(1), b.loop(2), b.loop(3)}}}, dims, boxes->element,
      [&](Scalar &s, Values v) {
        Scalar t(s.builder, s.loc);
        Value box = s.toIndex(v[0]), k = s.loop(0), two = s.index(2);
        Value isGreatest = t.ge(k, two);
        Value along = t.select(isGreatest, t.sub(k, two), k);
        auto number = [&](Value at) {
          return extractElement(b, s, boxes, {s.loop(1), box, at},
                                /*isPart=*/true);
        };
        if (hasCenters) {
          Value center = number(along), size = number(t.add(along, two));
          Value half = s.div(size, s.like(size, 2));
          return s.select(isGreatest, s.add(center, half), s.sub(center, half));
        }
        // Corners are (y, x), in any order.
        Value first = t.sub(s.index(1), along);
        Value a = number(first), c = number(t.add(first, two));
        return s.select(isGreatest, s.max(a, c), s.min(a, c));
      });
}

/// The first open box of each class; n if there is none.
FailureOr<Tensor> firstOpen(GraphBuilder &b, const Tensor &status) {
  const int64_t axis = status->rank() - 1;
  const Expr size = status->dims[axis];
  TRY(Tensor places,
      gather(b, {{status, {b.loop(0), b.loop(1), b.loop(2)}}}, status->dims,
             i64(b), [&](Scalar &s, Values v) {
               Value at = s.fromIndex(s.loop(axis), s.builder.getI64Type());
               Value none = s.fromIndex(b.index(size), s.builder.getI64Type());
               return s.select(s.eq(v[0], s.like(v[0], Open)), at, none);
             }));
  TRY(Tensor first, extremeAlong(b, places, {axis}, /*keepDims=*/false,
                                 /*isMax=*/false));
  // Without boxes the minimum is that of nothing.
  return elementwise(b, {first}, i64(b), [&](Scalar &s, Values v) {
    return s.min(v[0], s.fromIndex(b.index(size), v[0].getType()));
  });
}

/// Whether two boxes overlap too much; the numbers are least x and y, and
/// greatest x and y, of each.
Value overlaps(Scalar &s, Values one, Values other, Value limit) {
  Value zero = s.like(limit, 0);
  auto area = [&](Values box) {
    return s.mul(s.sub(box[2], box[0]), s.sub(box[3], box[1]));
  };
  auto common = [&](int64_t k) {
    return s.sub(s.min(one[k + 2], other[k + 2]), s.max(one[k], other[k]));
  };
  Value width = common(0), height = common(1);
  Value shared = s.mul(width, height);
  Value whole = s.sub(s.add(area(one), area(other)), shared);
  Value result = s.gt(s.div(shared, whole), limit);
  for (Value size : {width, height, area(one), area(other), whole})
    result = s.logicalAnd(result, s.gt(size, zero));
  return result;
}

/// Chooses the first open box of each class, and takes out what it suppresses.
FailureOr<Tensor> choose(GraphBuilder &b, const Suppression &how,
                         const Tensor &status, const Tensor &first) {
  const Expr size = status->dims[2];
  denseValue(b, how.corners);
  Dims each{b.sizes.constant(4), status->dims[0], status->dims[1]};
  TRY(Tensor chosen,
      gather(b, {{first, {b.loop(1), b.loop(2)}}}, each, how.corners->element,
             [&](Scalar &s, Values v) {
               Value at = boundedIndex(b, s, s.toIndex(v[0]), size,
                                       /*wrapNegative=*/false);
               return extractElement(b, s, how.corners,
                                     {s.loop(0), s.loop(1), s.loop(2), at});
             }));
  const Expr batch = b.loop(0), kind = b.loop(1), box = b.loop(2);
  SmallVector<Operand> operands{
      {status, {batch, kind, box}}, {first, {batch, kind}}, {how.overlap, {}}};
  for (int64_t k = 0; k < 4; ++k)
    operands.push_back({how.corners, {b.sizes.constant(k), batch, kind, box}});
  for (int64_t k = 0; k < 4; ++k)
    operands.push_back({chosen, {b.sizes.constant(k), batch, kind}});
  return gather(
      b, operands, status->dims, status->element, [&](Scalar &s, Values v) {
        Scalar t(s.builder, s.loc);
        auto is = [&](Status which) { return s.like(v[0], double(which)); };
        Value isOut =
            s.logicalAnd(s.eq(v[0], is(Open)),
                         overlaps(s, v.slice(3, 4), v.slice(7, 4), v[2]));
        Value isFirst = t.eq(s.loop(2), t.toIndex(v[1]));
        return s.select(isFirst, is(Chosen), s.select(isOut, is(Out), v[0]));
      });
}

/// Which boxes are open at the beginning.
FailureOr<Tensor> initialStatus(GraphBuilder &b, const Tensor &scores,
                                const Tensor &least) {
  const Element element{b.builder.getI32Type()};
  if (!least)
    return broadcastTo(b, scalarConstant(b, element, Open), scores->dims);
  return elementwise(b, {scores, least}, element, [&](Scalar &s, Values v) {
    return s.select(s.gt(v[0], v[1]), s.integer(element.type, Open),
                    s.integer(element.type, Out));
  });
}

/// How many boxes of a class there are up to its last open one, at most.
FailureOr<Expr> readReach(GraphBuilder &b, const Tensor &status) {
  TRY(Tensor ends, gather(b, {{status, {b.loop(0), b.loop(1), b.loop(2)}}},
                          status->dims, i64(b), [&](Scalar &s, Values v) {
                            Value end = s.add(s.loop(2), s.index(1));
                            Type type = s.builder.getI64Type();
                            return s.select(s.eq(v[0], s.like(v[0], Open)),
                                            s.fromIndex(end, type),
                                            s.integer(type, 0));
                          }));
  TRY(Tensor reach, extremeAlong(b, ends, {0, 1, 2}, /*keepDims=*/false,
                                 /*isMax=*/true));
  // Without boxes the maximum is that of nothing.
  TRY(reach, elementwise(b, {reach}, i64(b), [](Scalar &s, Values v) {
        return s.max(v[0], s.like(v[0], 0));
      }));
  return readSize(b, reach, 0, status->dims[2]);
}

/// The first boxes of each class.
FailureOr<Tensor> firstBoxes(GraphBuilder &b, const Tensor &x, Expr count) {
  const SmallVector<Expr> starts(3, b.zero());
  return slice(b, x, starts, {x->dims[0], x->dims[1], count}, {1, 1, 1});
}

/// Rows (batch, class, box) from the columns (batch, class, number in order).
FailureOr<Tensor> boxRows(GraphBuilder &b, const Tensor &columns,
                          const Tensor &order) {
  denseValue(b, order);
  SmallVector<Operand> operands;
  for (int64_t k = 0; k < 3; ++k)
    operands.push_back({columns, {b.sizes.constant(k), b.loop(0)}});
  return gather(b, operands, {columns->dims[1], b.sizes.constant(3)}, i64(b),
                [&](Scalar &s, Values v) {
                  Scalar t(s.builder, s.loc);
                  SmallVector<Value> at;
                  for (Value number : v)
                    at.push_back(s.toIndex(number));
                  Value box = extractElement(b, s, order, at);
                  Value isFirst = t.eq(s.loop(1), s.index(0));
                  Value isLast = t.eq(s.loop(1), s.index(2));
                  return s.select(isLast, box, s.select(isFirst, v[0], v[1]));
                });
}

/// The status of all boxes when no class has an open one, or each has `most`.
FailureOr<Tensor> chooseAll(GraphBuilder &b, const Suppression &how,
                            const Tensor &status, Expr most) {
  const Expr size = status->dims[2];
  auto isOpen = [&](const Tensor &at) -> FailureOr<Tensor> {
    TRY(Tensor open, elementwise(b, {at}, boolean(b), [&](Scalar &s, Values v) {
          return s.lt(v[0], s.fromIndex(b.index(size), v[0].getType()));
        }));
    return extremeAlong(b, open, {0, 1}, /*keepDims=*/false, /*isMax=*/true);
  };
  TRY(Tensor first, firstOpen(b, status));
  LoopParts parts;
  parts.count = b.sizes.min(b.sizes.positivePart(most), size);
  TRY(parts.condition, isOpen(first));
  parts.state = {status, first};
  auto body = [&](Expr, ArrayRef<Tensor> state) -> FailureOr<Iteration> {
    TRY(Tensor next, choose(b, how, state[0], state[1]));
    TRY(Tensor following, firstOpen(b, next));
    TRY(Tensor goesOn, isOpen(following));
    return Iteration{goesOn, {next, following}, {}};
  };
  TRY(LoopResults results, repeat(b, parts, body));
  return results.state[0];
}

} // namespace

FailureOr<Tensor> suppressNonMaxima(GraphBuilder &b, const Tensor &boxes,
                                    const Tensor &scores,
                                    const SuppressionOptions &options) {
  if (boxes->rank() != 3 || scores->rank() != 3 ||
      !isConst(boxes->dims[2], 4) || !boxes->element.isFloat() ||
      scores->element != boxes->element)
    return b.fail("boxes and scores have shapes " + b.sizes.str(boxes->dims) +
                  " and " + b.sizes.str(scores->dims) +
                  ", expected [batch, n, 4] and [batch, classes, n]");
  if (failed(matchSize(b, boxes->dims[0], scores->dims[0], "the boxes")) ||
      failed(matchSize(b, boxes->dims[1], scores->dims[2], "the boxes")))
    return failure();
  TRY(Ordered sorted, sort(b, scores, 2, /*isDescending=*/true));
  Tensor least =
      options.leastScore ? rearrange(b, options.leastScore, {}) : Tensor();
  TRY(Tensor status, initialStatus(b, sorted.values, least));
  Tensor order = sorted.indices;
  if (least) {
    // What comes then works on the boxes that may be chosen.
    TRY(Expr reach, readReach(b, status));
    TRY(status, firstBoxes(b, status, reach));
    TRY(order, firstBoxes(b, order, reach));
  }
  Suppression how;
  TRY(how.corners, cornersOf(b, boxes, order, options.hasCenters));
  how.overlap = options.greatestOverlap
                    ? rearrange(b, options.greatestOverlap, {})
                    : scalarConstant(b, boxes->element, 0);
  const Expr most = options.mostPerClass ? options.mostPerClass : b.zero();
  TRY(status, chooseAll(b, how, status, most));
  TRY(Tensor isChosen,
      elementwise(b, {status}, boolean(b), [](Scalar &s, Values v) {
        return s.eq(v[0], s.like(v[0], Chosen));
      }));
  TRY(Tensor columns, nonZero(b, isChosen));
  return boxRows(b, columns, order);
}

} // namespace tilewright::build
