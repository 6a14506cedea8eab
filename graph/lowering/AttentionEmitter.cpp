//===- AttentionEmitter.cpp - softmax(f(Q K)) V in one kernel -------------===//
#include "graph/lowering/AttentionEmitter.h"

#include "graph/lowering/ContractionEmitter.h"
#include "graph/lowering/KernelFrame.h"
#include "graph/lowering/MemoryEmitter.h"
#include "graph/lowering/OperandEmitter.h"
#include "graph/lowering/ReductionEmitter.h"
#include "graph/lowering/ReductionLoops.h"
#include "graph/lowering/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::graph {

namespace {
class AttentionWalk {
public:
  AttentionWalk(KernelFrame &frame, const AttentionMatch &match)
      : frame(frame), match(match), b(frame.builder), loc(frame.loc) {}
  FailureOr<Value> run(const Box &box);

private:
  std::optional<Box> boxOf(Value wanted, Value reader, const Box &box);
  LogicalResult locate(const Box &loops);
  Box keysOf(linalg::GenericOp reduction, const Box &rows, const Box &loops);
  LogicalResult readQueries();
  FailureOr<Value> endOfKeys();
  LogicalResult hideKeys();
  Value hidden(const Box &scores, Value tile);
  FailureOr<Value> step(const Box &loops, Value sums, Tiles &carried);
  FailureOr<Value> finish(Value sums, Value total);
  Value ofRows(Value tile, Value like);
  Value constantLike(Value tile, double number);
  Value compare(arith::CmpFPredicate predicate, Value a, Value b);
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(this->b, loc, condition, a, b);
  }

  KernelFrame &frame;
  const AttentionMatch &match;
  OpBuilder &b;
  Location loc;
  /// What a step reads: of the weights, of the powers, of the scores and those
  /// with hidden ones, if any, and their rows in the maximum, the total and the
  /// factor.
  Box weights, powers, scores, masked, maximum, total, factor;
};
} // namespace

/// The box of `wanted` that elementwise ops read for a box of `reader`.
std::optional<Box> AttentionWalk::boxOf(Value wanted, Value reader,
                                        const Box &box) {
  if (wanted == reader)
    return box;
  auto op = reader.getDefiningOp<linalg::GenericOp>();
  if (!op || !match.ops.contains(op) || !isElementwise(op))
    return std::nullopt;
  const Box loops = loopBox(frame, op, box);
  for (OpOperand *input : op.getDpsInputOperands()) {
    std::optional<Box> inner =
        operandBox(frame, op.getMatchingIndexingMap(input), loops);
    if (inner)
      if (std::optional<Box> found = boxOf(wanted, input->get(), *inner))
        return found;
  }
  return std::nullopt;
}

/// Finds the boxes of a step of the product with these loops.
LogicalResult AttentionWalk::locate(const Box &loops) {
  linalg::GenericOp product = match.product;
  std::optional<Box> first = operandBox(
      frame, product.getMatchingIndexingMap(product.getDpsInputOperand(0)),
      loops);
  auto find = [&](Value wanted, Value reader, const Box &from, Box &found) {
    std::optional<Box> box = boxOf(wanted, reader, from);
    if (box)
      found = *box;
    return box.has_value();
  };
  if (first)
    weights = *first;
  if (!first || !find(match.powers, match.weights, weights, powers) ||
      !find(match.scores->getResult(0), match.powers, powers, scores) ||
      (match.lastKey && !find(match.masked, match.powers, powers, masked)) ||
      !find(match.maximum->getResult(0), match.powers, powers, maximum) ||
      !find(match.factor, match.weights, weights, factor) ||
      !find(match.total->getResult(0), match.factor, factor, total))
    return product.emitError("expected an attention whose rows are boxes");
  return success();
}

/// The loops of a reduction of these rows along the keys of a step.
Box AttentionWalk::keysOf(linalg::GenericOp reduction, const Box &rows,
                          const Box &loops) {
  Box result = loopBox(frame, reduction, rows);
  const unsigned own = reductionLoops(reduction).front(),
                 keys = reductionLoops(match.product).front();
  result.offset[own] = loops.offset[keys];
  result.size[own] = loops.size[keys];
  result.step[own] = 1;
  return result;
}

Value AttentionWalk::constantLike(Value tile, double number) {
  auto type = cast<RankedTensorType>(tile.getType());
  return splat(frame, b.getFloatAttr(type.getElementType(), number),
               type.getShape());
}

Value AttentionWalk::compare(arith::CmpFPredicate predicate, Value x, Value y) {
  return arith::CmpFOp::create(b, loc, predicate, x, y);
}

/// Numbers of the rows, for all columns of `like`, [.., rows, columns].
Value AttentionWalk::ofRows(Value tile, Value like) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(like.getType()).getShape());
  SmallVector<int64_t> rows = shape;
  rows.back() = 1;
  return broadcast(frame, reshape(frame, tile, rows), shape);
}

/// Reads the queries of the program, for all steps.
LogicalResult AttentionWalk::readQueries() {
  linalg::GenericOp product = match.scores;
  Box loops = loopBox(frame, product, scores);
  for (unsigned loop : reductionLoops(product)) {
    loops.offset[loop] = constantOffset(frame, 0);
    loops.size[loop] = frame.sizes.steps[product][loop];
    loops.step[loop] = 1;
  }
  OpOperand *queries = product.getDpsInputOperand(0);
  std::optional<Box> box =
      operandBox(frame, product.getMatchingIndexingMap(queries), loops);
  return box ? LogicalResult(emitTile(frame, queries->get(), *box)) : success();
}

/// Behind the last key that a query of the program sees, at most their number;
/// null where it may see all.
FailureOr<Value> AttentionWalk::endOfKeys() {
  if (!match.lastKey)
    return Value();
  const unsigned queries = match.lastKey->queries;
  FailureOr<AffineExpr> keys =
      loopSize(frame, match.product, reductionLoops(match.product).front());
  FailureOr<Value> length =
      failed(keys) ? FailureOr<Value>() : frame.sizeValue(*keys);
  if (failed(length))
    return failure();
  const int64_t behind = maximum.size[queries] + match.lastKey->ahead;
  Value end = b.createOrFold<arith::AddIOp>(loc, maximum.offset[queries].value,
                                            frame.index(behind));
  return b.createOrFold<arith::MinSIOp>(loc, end, *length);
}

/// These scores, but -infinity behind the last key that a query sees.
Value AttentionWalk::hidden(const Box &scores, Value tile) {
  const unsigned rows = match.lastKey->queries, keys = scores.rank() - 1;
  auto along = [&](unsigned dim) {
    SmallVector<int64_t> shape(scores.rank(), 1);
    shape[dim] = scores.size[dim];
    auto type = RankedTensorType::get(scores.size[dim], b.getI32Type());
    return broadcast(frame,
                     reshape(frame, tile::IotaOp::create(b, loc, type), shape),
                     scores.size);
  };
  Value ahead = b.createOrFold<arith::SubIOp>(loc, scores.offset[rows].value,
                                              scores.offset[keys].value);
  ahead = b.createOrFold<arith::AddIOp>(loc, ahead,
                                        frame.index(match.lastKey->ahead));
  ahead = b.createOrFold<arith::IndexCastOp>(loc, b.getI32Type(), ahead);
  Value last = arith::AddIOp::create(
      b, loc, along(rows), broadcastScalar(frame, ahead, scores.size));
  Value isSeen = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle,
                                       along(keys), last);
  return select(isSeen, tile, constantLike(tile, -INFINITY));
}

/// Computes the masked scores of a step, without its comparisons where all
/// queries of the program see all its keys.
LogicalResult AttentionWalk::hideKeys() {
  if (!match.lastKey)
    return success();
  frame.holding.insert_range(match.lastKey->conditions);
  frame.scopes.emplace_back();
  FailureOr<Value> open = emitTile(frame, match.masked, masked);
  frame.scopes.pop_back();
  frame.holding.clear();
  if (failed(open))
    return failure();
  const unsigned rows = match.lastKey->queries, keys = masked.rank() - 1;
  Value last = arith::AddIOp::create(b, loc, masked.offset[keys].value,
                                     frame.index(masked.size[keys] - 1)),
        seen = arith::AddIOp::create(b, loc, masked.offset[rows].value,
                                     frame.index(match.lastKey->ahead));
  Value hasHidden =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, last, seen);
  auto choice = scf::IfOp::create(
      b, loc, hasHidden,
      [&](OpBuilder &inner, Location) {
        OpBuilder::InsertionGuard guard(b);
        b.restoreInsertionPoint(inner.saveInsertionPoint());
        scf::YieldOp::create(b, loc, hidden(masked, *open));
      },
      [&](OpBuilder &inner, Location) {
        scf::YieldOp::create(inner, loc, *open);
      });
  frame.scopes.back().push_back({match.masked, masked, choice.getResult(0)});
  return success();
}

FailureOr<Value> AttentionWalk::step(const Box &loops, Value sums,
                                     Tiles &carried) {
  if (failed(locate(loops)) || failed(hideKeys()))
    return failure();
  FailureOr<Value> top = accumulate(
      frame, match.maximum, keysOf(match.maximum, maximum, loops), carried[0]);
  if (failed(top))
    return failure();
  // No infinity less infinity where all keys so far are hidden.
  Value isHidden =
      compare(arith::CmpFPredicate::OEQ, *top, constantLike(*top, -INFINITY));
  Value shift = select(isHidden, constantLike(*top, 0), *top);
  Value fade = math::ExpOp::create(
      b, loc, arith::SubFOp::create(b, loc, carried[0], shift));
  auto &cached = frame.scopes.back();
  cached.push_back({match.maximum->getResult(0), maximum,
                    accumulated(frame, match.maximum, shift, maximum)});
  Value before = arith::MulFOp::create(
      b, loc, carried[1],
      reshape(frame, fade,
              cast<RankedTensorType>(carried[1].getType()).getShape()));
  // Powers of hidden scores are 0 with this shift, too, as it is finite.
  frame.holding.insert_range(match.shifts);
  FailureOr<Value> sum =
      accumulate(frame, match.total, keysOf(match.total, total, loops), before);
  FailureOr<Value> tile = emitTile(frame, match.powers, powers);
  frame.holding.clear();
  if (failed(sum) || failed(tile))
    return failure();
  // The product multiplies the powers, not the weights.
  Type element = getElementTypeOrSelf(match.weights.getType());
  Value narrow = *tile;
  if (element != getElementTypeOrSelf(narrow.getType()))
    narrow = arith::TruncFOp::create(
        b, loc, cast<RankedTensorType>(narrow.getType()).clone(element),
        narrow);
  frame.scopes.back().push_back(
      {match.weights, weights, reshape(frame, narrow, weights.size)});
  carried = {*top, *sum};
  return Value(arith::MulFOp::create(b, loc, sums, ofRows(fade, sums)));
}

FailureOr<Value> AttentionWalk::finish(Value sums, Value sum) {
  Value rows = accumulated(frame, match.total, sum, total);
  frame.scopes.back().push_back({match.total->getResult(0), total, rows});
  FailureOr<Value> number = emitTile(frame, match.factor, factor);
  if (failed(number))
    return failure();
  Value all = ofRows(*number, sums);
  Value result = match.isDivisor
                     ? arith::DivFOp::create(b, loc, sums, all).getResult()
                     : arith::MulFOp::create(b, loc, sums, all).getResult();
  if (!match.dropsNaN)
    return result;
  Value totals = ofRows(rows, sums);
  Value isEmpty =
      compare(arith::CmpFPredicate::UEQ, totals, constantLike(totals, 0));
  return select(isEmpty, constantLike(result, 0), result);
}

FailureOr<Value> AttentionWalk::run(const Box &box) {
  // Any step has the shapes of all.
  Box loops = loopBox(frame, match.product, box);
  const unsigned keys = reductionLoops(match.product).front();
  loops.size[keys] = frame.sizes.steps[match.product][keys];
  if (failed(locate(loops)))
    return failure();
  ProductHooks hooks;
  for (auto [reduction, rows, start] :
       {std::tuple(match.maximum, &maximum, -INFINITY),
        std::tuple(match.total, &total, 0.0f)}) {
    Box parallel = keysOf(reduction, *rows, loops);
    parallel.size[reductionLoops(reduction).front()] = 1;
    Type element = getElementTypeOrSelf(reduction->getResult(0).getType());
    hooks.carried.push_back(
        splat(frame, b.getFloatAttr(element, start), parallel.size));
  }
  auto before = [&](const Box &current, Value sums, Tiles &carried) {
    return step(current, sums, carried);
  };
  auto after = [&](Value sums, const Tiles &carried) {
    return finish(sums, carried[1]);
  };
  if (failed(readQueries()))
    return failure();
  FailureOr<Value> end = endOfKeys();
  if (failed(end))
    return failure();
  hooks.end = *end;
  hooks.before = before;
  hooks.after = after;
  return emitContraction(frame, match.product, box, hooks);
}

FailureOr<Value> emitAttention(KernelFrame &frame, linalg::GenericOp,
                               const Box &box) {
  return AttentionWalk(frame, *frame.group.attention).run(box);
}

} // namespace tilewright::graph
