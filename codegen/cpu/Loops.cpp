//===- Loops.cpp - Loops over elements and blocks -------------------------===//
#include "codegen/cpu/Loops.h"

#include "codegen/cpu/Arithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::cpu {

LogicalResult inNewScope(Emission &e, function_ref<LogicalResult()> body) {
  SmallVector<KnownElements> outer;
  std::swap(e.memo, outer);
  LogicalResult result = body();
  std::swap(e.memo, outer);
  return result;
}

/// Moves what does not depend on the iteration in front of a loop, which runs
/// at least once. Loads behind an effect stay: it may be what checks an index.
static void hoistInvariants(scf::ForOp loop) {
  bool hasEffect = false;
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
    auto load = dyn_cast<LLVM::LoadOp>(op);
    bool isPlainLoad = load && !load.getVolatile_() &&
                       load.getOrdering() == LLVM::AtomicOrdering::not_atomic;
    bool isInvariant = llvm::all_of(op.getOperands(), [&](Value operand) {
      return loop.isDefinedOutsideOfLoop(operand);
    });
    bool mayMove = isPlainLoad ? !hasEffect : isPure(&op);
    if (op.getNumRegions() == 0 && !op.hasTrait<OpTrait::IsTerminator>() &&
        isInvariant && mayMove)
      op.moveBefore(loop);
    hasEffect |= !isPlainLoad && !isPure(&op);
  }
}

/// Runs `body` over one dimension in vectors of `width`, then over the rest.
/// Whole vectors from `end` on, if given, are left out.
static LogicalResult forEachChunk(int64_t size, int64_t width, Lanes &at,
                                  unsigned dim, Emission &e, LanesBody body,
                                  Value end, bool hoists) {
  ImplicitLocOpBuilder &b = e.b;
  auto run = [&](Value start, VectorPart part) {
    at.index[dim] = start;
    static_cast<VectorPart &>(at) = part;
    at.lane = part.width == 1 ? -1 : static_cast<int>(dim);
    return inNewScope(e, [&] { return body(at); });
  };
  int64_t whole = size / width * width;
  if (whole == width) {
    if (failed(run(index(b, 0), {width})))
      return failure();
  } else if (whole > 0) {
    Value last = index(b, whole);
    if (end)
      last = arith::MinSIOp::create(b, last, end);
    auto loop = scf::ForOp::create(b, index(b, 0), last, index(b, width));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    if (failed(run(loop.getInductionVar(), {width})))
      return failure();
    if (hoists && !end)
      hoistInvariants(loop);
  }
  int64_t start = whole;
  for (const VectorPart &part : partsOfRest(size - whole, e.target)) {
    if (failed(run(index(b, start), part)))
      return failure();
    start += part.elements();
  }
  return success();
}

LogicalResult forEachVector(ArrayRef<int64_t> shape, Type element, Emission &e,
                            LanesBody body, ArrayRef<Value> ends, bool hoists) {
  ImplicitLocOpBuilder &b = e.b;
  Lanes at;
  unsigned inner = 0;
  for (auto [d, size] : llvm::enumerate(shape)) {
    at.index.push_back(index(b, 0));
    if (size > 1)
      inner = d;
  }
  auto endOf = [&](unsigned d) { return ends.empty() ? Value() : ends[d]; };
  OpBuilder::InsertionGuard guard(b);
  // From the outermost; null where it may have no iteration.
  SmallVector<scf::ForOp> loops;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (size == 1 || d == inner)
      continue;
    Value end = endOf(d) ? endOf(d) : index(b, size);
    auto loop = scf::ForOp::create(b, index(b, 0), end, index(b, 1));
    b.setInsertionPointToStart(loop.getBody());
    at.index[d] = loop.getInductionVar();
    loops.push_back(endOf(d) ? scf::ForOp() : loop);
  }
  if (shape.empty())
    return forEachElement(shape, e, body);
  if (failed(forEachChunk(shape[inner], lanesFor(element, e.target), at, inner,
                          e, body, endOf(inner), hoists)))
    return failure();
  for (scf::ForOp loop : llvm::reverse(loops))
    if (hoists && loop)
      hoistInvariants(loop);
  return success();
}

LogicalResult forEachElement(ArrayRef<int64_t> shape, Emission &e,
                             LanesBody body) {
  ImplicitLocOpBuilder &b = e.b;
  Lanes at;
  OpBuilder::InsertionGuard guard(b);
  for (int64_t size : shape) {
    if (size == 1) {
      at.index.push_back(index(b, 0));
      continue;
    }
    auto loop = scf::ForOp::create(b, index(b, 0), index(b, size), index(b, 1));
    b.setInsertionPointToStart(loop.getBody());
    at.index.push_back(loop.getInductionVar());
  }
  return inNewScope(e, [&] { return body(at); });
}

LogicalResult forEachBlock(int64_t total, int64_t size, Emission &e,
                           BlockBody body) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t whole = total / size * size;
  auto run = [&](Value start, int64_t count) {
    return inNewScope(e, [&] { return body(start, count); });
  };
  if (whole == size) {
    if (failed(run(index(b, 0), size)))
      return failure();
  } else if (whole > 0) {
    auto loop =
        scf::ForOp::create(b, index(b, 0), index(b, whole), index(b, size));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    if (failed(run(loop.getInductionVar(), size)))
      return failure();
  }
  return total > whole ? run(index(b, whole), total - whole) : success();
}

SmallVector<int64_t> unitsOf(int64_t count, int64_t unit) {
  return unit < count && count % unit == 0 ? SmallVector<int64_t>{unit}
                                           : SmallVector<int64_t>{};
}

/// Runs `body` for the elements from `start` to `end`: see forObserved().
static LogicalResult forUnits(Value start, Value end, ArrayRef<int64_t> units,
                              Emission &e, BlockBody body) {
  ImplicitLocOpBuilder &b = e.b;
  for (int64_t unit : units) {
    Value stop = end;
    if (unit != units.back()) {
      Value left = arith::SubIOp::create(b, end, start);
      Value rest = arith::RemUIOp::create(b, left, index(b, unit));
      stop = arith::SubIOp::create(b, end, rest);
    }
    auto loop = scf::ForOp::create(b, start, stop, index(b, unit));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    if (failed(
            inNewScope(e, [&] { return body(loop.getInductionVar(), unit); })))
      return failure();
    start = stop;
  }
  return success();
}

LogicalResult forObserved(Value start, int64_t count, ArrayRef<int64_t> units,
                          Value end, Emission &e, BlockBody body) {
  ImplicitLocOpBuilder &b = e.b;
  if (!end)
    return body(start, count);
  auto inBlock = [&](Block *block, auto emit) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(block);
    return inNewScope(e, emit);
  };
  auto whole = [&] { return body(start, count); };
  auto branch = [&](Value index, bool hasElse) {
    Value exists =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index, end);
    return scf::IfOp::create(b, exists, hasElse);
  };
  scf::IfOp isAny = branch(start, false);
  return inBlock(isAny.thenBlock(), [&] {
    if (units.empty())
      return whole();
    scf::IfOp isAll =
        branch(add(b, start, index(b, count - units.back())), true);
    if (failed(inBlock(isAll.thenBlock(), whole)))
      return failure();
    return inBlock(isAll.elseBlock(),
                   [&] { return forUnits(start, end, units, e, body); });
  });
}

Value guarded(ImplicitLocOpBuilder &b, Value mask, Type type, Value otherwise,
              llvm::function_ref<Value()> access) {
  if (!mask)
    return access();
  auto branch = scf::IfOp::create(b, type ? TypeRange(type) : TypeRange(), mask,
                                  bool(type));
  OpBuilder::InsertionGuard guard(b);
  if (!type) {
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    access();
    return {};
  }
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, access());
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, otherwise);
  return branch.getResult(0);
}

Attribute notUnrolled(MLIRContext *context) {
  auto disable = BoolAttr::get(context, true);
  auto unroll =
      LLVM::LoopUnrollAttr::get(context, disable, {}, {}, {}, {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {},
                                       {}, {}, {}, {}, {}, {}, {}, {});
}

} // namespace tilewright::cpu
