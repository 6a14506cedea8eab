//===- KeepControlFlow.cpp - Branches and loops that stay in the graph ----===//
#include "graph/analysis/Blocks.h"
#include "graph/ir/Graph.h"
#include "graph/transforms/Build.h"
#include "graph/transforms/Flattener.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilewright::graph {

/// A tensor for a number of this type, as a branch or a loop has it in memory.
static Type storedType(Type type) {
  if (type.isIndex())
    type = IntegerType::get(type.getContext(), 64);
  return type.isIntOrFloat() ? RankedTensorType::get({}, type) : type;
}

/// What a branch or a loop has of these types: all but sizes is in memory.
static SmallVector<Type> keptTypes(TypeRange types) {
  return llvm::map_to_vector(types, [](Type type) {
    return type.isIndex() ? type : storedType(type);
  });
}

/// Puts numbers of type index that are no sizes in memory: the host does not
/// know them. Whether there were any.
static bool storeUnknown(ArrayRef<Value> values, SmallVector<Type> &types) {
  bool isChanged = false;
  for (auto [value, type] : llvm::zip_equal(values, types))
    if (type.isIndex() && !isSize(value)) {
      type = storedType(type);
      isChanged = true;
    }
  return isChanged;
}

/// Whether the op may stay in the graph: it is in no body, and all that it
/// carries and yields has memory of the graph, or is a size.
bool Flattener::mayKeep(Operation *op) const {
  auto isKept = [](Type type) {
    return type.isIntOrIndexOrFloat() || isa<RankedTensorType>(type);
  };
  if (bodies > 0 || !llvm::all_of(op->getResultTypes(), isKept))
    return false;
  auto loop = dyn_cast<scf::WhileOp>(op);
  return !loop || llvm::all_of(loop.getInits().getTypes(), isKept);
}

/// The values in their types in a branch or a loop.
Flattener::Values Flattener::toTensors(Location loc, ArrayRef<Value> values,
                                       ArrayRef<Type> types) {
  Values result;
  for (auto [value, type] : llvm::zip_equal(values, types)) {
    auto read = value.getDefiningOp<tensor::ExtractOp>();
    if (value.getType() == type) {
      result.push_back(value);
    } else if (read && read.getTensor().getType() == type) {
      result.push_back(read.getTensor());
    } else {
      Value number = value;
      if (value.getType().isIndex())
        number = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                            value);
      result.push_back(
          tensor::FromElementsOp::create(builder, loc, type, number));
    }
  }
  return result;
}

/// The values in their types outside of it.
Flattener::Values Flattener::fromTensors(Location loc, ValueRange values,
                                         TypeRange types) {
  Values result;
  for (auto [value, type] : llvm::zip_equal(values, types)) {
    Value number = value;
    if (value.getType() != type)
      number = tensor::ExtractOp::create(builder, loc, value, ValueRange());
    if (number.getType() != type)
      number = arith::IndexCastOp::create(builder, loc, type, number);
    result.push_back(number);
  }
  return result;
}

/// The memory that holds a condition.
Value Flattener::conditionTensor(Location loc, Value condition) {
  if (auto known = condition.getDefiningOp<ConditionOp>())
    return known.getTensor();
  return toTensors(loc, condition, storedType(condition.getType())).front();
}

/// A bound of a loop as a size of at least `least`: read by the host if it
/// depends on elements.
Value Flattener::sizeOf(Location loc, Value bound, int64_t least) {
  if (!bound.getType().isIndex())
    bound = builder.createOrFold<arith::IndexCastOp>(
        loc, builder.getIndexType(), bound);
  if (isSize(bound))
    return bound;
  Value tensor = toTensors(loc, bound, storedType(bound.getType())).front();
  return SizeOp::create(builder, loc, tensor, least);
}

/// The end of a count that begins at 0 or more, as a size: no end below 0 makes
/// a difference.
Value Flattener::limitOf(Location loc, Value bound) {
  if (!isSize(bound)) {
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(bound.getType(), 0));
    bound = arith::MaxSIOp::create(builder, loc, bound, zero);
  }
  return sizeOf(loc, bound, 0);
}

//===----------------------------------------------------------------------===//
// Branches.
//===----------------------------------------------------------------------===//

/// Whether the type is a number, or a tensor of few elements.
static bool isSmall(Type type) {
  constexpr int64_t mostElements = 4096;
  auto tensor = dyn_cast<RankedTensorType>(type);
  return type.isIntOrIndexOrFloat() ||
         (tensor && tensor.hasStaticShape() &&
          tensor.getNumElements() <= mostElements);
}

/// Whether all elements are computed one by one, from others at known indices.
static bool isPointwise(linalg::LinalgOp op) {
  return op.getNumReductionLoops() == 0 &&
         llvm::all_of(op->getRegion(0).front(), [](Operation &inner) {
           return !isa<tensor::ExtractOp>(inner) && isPure(&inner);
         });
}

/// Whether to compute the op for nothing costs little and cannot fail.
static bool isCheap(Operation &op) {
  auto isKnown = [](Type type) {
    auto tensor = dyn_cast<ShapedType>(type);
    return !tensor || tensor.hasStaticShape();
  };
  if (!llvm::all_of(op.getResultTypes(), isSmall) ||
      !llvm::all_of(op.getOperandTypes(), isKnown))
    return false;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return isPointwise(structured);
  if (op.getNumRegions() > 0 || !isPure(&op))
    return false;
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return llvm::all_of(extract.getIndices(),
                        [](Value index) { return constantOf(index); });
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return slice.getOffsets().empty() && slice.getStrides().empty();
  return isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) ||
         isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::DimOp,
             tensor::EmptyOp, tensor::ExpandShapeOp, tensor::FromElementsOp,
             tensor::ReshapeOp, tensor::SplatOp>(op);
}

static bool isCheap(Block &side, ArrayRef<Value> yielded) {
  return llvm::all_of(side, [](Operation &op) { return isCheap(op); }) &&
         llvm::all_of(yielded,
                      [](Value value) { return isSmall(value.getType()); });
}

/// One of two sides, as `condition` says when the program runs. Both are
/// emitted; if they are cheap, both are computed and the results are selected,
/// else the branch stays. The results of `op` are those of each side.
FailureOr<Flattener::Values> Flattener::emitBranch(Operation *op,
                                                   Value condition,
                                                   SideBuilder yes,
                                                   SideBuilder no) {
  Location loc = op->getLoc();
  if (!mayKeep(op)) {
    ++conditions;
    FailureOr<Values> otherwise = no(),
                      then = failed(otherwise) ? otherwise : yes();
    --conditions;
    if (failed(then))
      return failure();
    return select(loc, condition, *then, *otherwise);
  }
  auto branch = scf::IfOp::create(builder, loc, TypeRange(), condition,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  Block *sides[] = {branch.elseBlock(), branch.thenBlock()};
  FailureOr<Values> values[2] = {Values(), Values()};
  for (int side : {0, 1}) {
    OpBuilder::InsertionGuard guard(builder);
    sides[side]->clear();
    builder.setInsertionPointToEnd(sides[side]);
    values[side] = side == 0 ? no() : yes();
    if (failed(values[side])) {
      // What surrounds it may go back to before the branch.
      for (Block *each : sides)
        each->clear();
      branch->erase();
      return failure();
    }
  }
  if (isCheap(*sides[0], *values[0]) && isCheap(*sides[1], *values[1])) {
    for (Block *side : sides)
      branch->getBlock()->getOperations().splice(branch->getIterator(),
                                                 side->getOperations());
    branch->erase();
    if (auto read = condition.getDefiningOp<ConditionOp>())
      condition = tensor::ExtractOp::create(builder, loc, read.getTensor(),
                                            ValueRange());
    return select(loc, condition, *values[1], *values[0]);
  }
  return keep(branch, condition, *values[1], *values[0], op->getResultTypes());
}

/// The branch with its ends, of which the results have the types `outside`.
Flattener::Values Flattener::keep(scf::IfOp branch, Value condition,
                                  ArrayRef<Value> yes, ArrayRef<Value> no,
                                  TypeRange outside) {
  Location loc = branch.getLoc();
  SmallVector<Type> types = keptTypes(outside);
  storeUnknown(yes, types);
  storeUnknown(no, types);
  for (auto [side, values] : {std::pair(branch.thenBlock(), yes),
                              std::pair(branch.elseBlock(), no)}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(side);
    scf::YieldOp::create(builder, loc, toTensors(loc, values, types));
  }
  Operation *before = branch;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(before);
  if (!condition.getDefiningOp<ConditionOp>())
    condition =
        ConditionOp::create(builder, loc, conditionTensor(loc, condition));
  auto kept = scf::IfOp::create(builder, loc, types, condition,
                                /*addThenBlock=*/false, /*addElseBlock=*/false);
  kept.getThenRegion().takeBody(branch.getThenRegion());
  kept.getElseRegion().takeBody(branch.getElseRegion());
  branch->erase();
  builder.setInsertionPointAfter(kept);
  return fromTensors(loc, kept.getResults(), outside);
}

//===----------------------------------------------------------------------===//
// Loops.
//===----------------------------------------------------------------------===//

LogicalResult Flattener::keep(scf::ForOp op, IRMapping &mapping) {
  Location loc = op.getLoc();
  if (op.getUnsignedCmp())
    return op.emitError("expected a loop with bounds that are compared as "
                        "signed numbers");
  auto mapped = [&](Value value) { return mapping.lookupOrDefault(value); };
  Value low = sizeOf(loc, mapped(op.getLowerBound()), 0);
  if (std::optional<APInt> known = constantOf(low);
      known && known->isNegative())
    return op.emitError("expected a loop that stays to begin at 0 or more");
  Value high = limitOf(loc, mapped(op.getUpperBound()));
  Value step = sizeOf(loc, mapped(op.getStep()), 1);
  const Values inits = llvm::map_to_vector(op.getInitArgs(), mapped);
  SmallVector<Type> types = keptTypes(op.getResultTypes());
  storeUnknown(inits, types);
  scf::ForOp loop;
  const int64_t before = count;
  // Again, if the body makes an unknown number of a size.
  for (bool isDone = false; !isDone;) {
    count = before;
    Values first = toTensors(loc, inits, types);
    loop = scf::ForOp::create(builder, loc, low, high, step, first);
    OpBuilder::InsertionGuard guard(builder);
    loop.getBody()->clear();
    builder.setInsertionPointToEnd(loop.getBody());
    Value variable = loop.getInductionVar();
    if (Type type = op.getInductionVar().getType(); !type.isIndex())
      variable = arith::IndexCastOp::create(builder, loc, type, variable);
    Values arguments{variable};
    llvm::append_range(arguments, fromTensors(loc, loop.getRegionIterArgs(),
                                              op.getResultTypes()));
    FailureOr<Values> next = emitBlock(*op.getBody(), mapping, arguments);
    isDone = succeeded(next) && !storeUnknown(*next, types);
    if (isDone) {
      scf::YieldOp::create(builder, loc, toTensors(loc, *next, types));
    } else {
      loop.getBody()->clear();
      loop->erase();
    }
    if (failed(next))
      return failure();
  }
  mapping.map(op.getResults(),
              fromTensors(loc, loop.getResults(), op.getResultTypes()));
  return success();
}

LogicalResult Flattener::keep(scf::WhileOp op, IRMapping &mapping) {
  Value limit = conditionOf(op).limit;
  const bool hasLimit = !limit || isSize(mapping.lookupOrDefault(limit));
  return isRotatedLoop(op) && hasLimit ? copy(op, mapping)
                                       : rotate(op, mapping);
}

LogicalResult Flattener::copy(scf::WhileOp op, IRMapping &mapping) {
  Location loc = op.getLoc();
  Values inits = llvm::map_to_vector(op.getInits(), [&](Value value) {
    return mapping.lookupOrDefault(value);
  });
  auto loop = scf::WhileOp::create(builder, loc, op.getResultTypes(), inits);
  SmallVector<Location> locs(inits.size(), loc);
  OpBuilder::InsertionGuard guard(builder);
  Block *before =
      builder.createBlock(&loop.getBefore(), {}, op.getResultTypes(), locs);
  mapping.map(op.getBeforeBody()->getArguments(), before->getArguments());
  for (Operation &inner : *op.getBeforeBody())
    builder.clone(inner, mapping);
  Block *after =
      builder.createBlock(&loop.getAfter(), {}, op.getResultTypes(), locs);
  FailureOr<Values> next =
      emitBlock(*op.getAfterBody(), mapping,
                llvm::to_vector_of<Value>(after->getArguments()));
  if (failed(next)) {
    loop->erase();
    return failure();
  }
  scf::YieldOp::create(builder, loc, *next);
  mapping.map(op.getResults(), loop.getResults());
  return success();
}

/// Computes the condition in front of the loop and at the end of each
/// iteration: the loop carries it.
LogicalResult Flattener::rotate(scf::WhileOp op, IRMapping &mapping) {
  Location loc = op.getLoc();
  Values inits = llvm::map_to_vector(op.getInits(), [&](Value value) {
    return mapping.lookupOrDefault(value);
  });
  LoopCondition condition = conditionOf(op);
  if (condition.limit)
    condition.limit = limitOf(loc, mapping.lookupOrDefault(condition.limit));
  // The condition and what is passed on.
  auto emitBefore = [&](ArrayRef<Value> carried) -> FailureOr<Values> {
    FailureOr<Values> passed = emitBlock(*op.getBeforeBody(), mapping, carried);
    if (succeeded(passed))
      passed->front() =
          condition.data ? mapping.lookupOrDefault(condition.data)
                         : arith::ConstantOp::create(builder, loc,
                                                     builder.getBoolAttr(true))
                               .getResult();
    return passed;
  };
  FailureOr<Values> first = emitBefore(inits);
  if (failed(first))
    return failure();
  const Value start = conditionTensor(loc, first->front());
  const auto passedOn = [](const Values &values) {
    return ArrayRef<Value>(values).drop_front();
  };
  SmallVector<Type> types = keptTypes(op.getResultTypes());
  storeUnknown(passedOn(*first), types);
  scf::WhileOp loop;
  const int64_t before = count;
  // Again, if the body makes an unknown number of a size.
  for (bool isDone = false; !isDone;) {
    count = before;
    Values starts{start};
    llvm::append_range(starts, toTensors(loc, passedOn(*first), types));
    TypeRange all = ValueRange(starts).getTypes();
    SmallVector<Location> locs(starts.size(), loc);
    loop = scf::WhileOp::create(builder, loc, all, starts);
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&loop.getBefore(), {}, all, locs);
    emitDecision(loop, condition, op, mapping);
    Block *after = builder.createBlock(&loop.getAfter(), {}, all, locs);
    FailureOr<Values> next =
        emitBlock(*op.getAfterBody(), mapping,
                  fromTensors(loc, after->getArguments().drop_front(),
                              op.getResultTypes()));
    if (succeeded(next))
      next = emitBefore(*next);
    isDone = succeeded(next) && !storeUnknown(passedOn(*next), types);
    if (isDone) {
      Values ends{conditionTensor(loc, next->front())};
      llvm::append_range(ends, toTensors(loc, passedOn(*next), types));
      scf::YieldOp::create(builder, loc, ends);
    } else {
      loop->erase();
    }
    if (failed(next))
      return failure();
  }
  mapping.map(op.getResults(), fromTensors(loc, loop.getResults().drop_front(),
                                           op.getResultTypes()));
  return success();
}

/// The before region of a loop that carries its condition, and passes on what
/// `op` does. The limit is a size of the new function.
void Flattener::emitDecision(scf::WhileOp loop, const LoopCondition &condition,
                             scf::WhileOp op, IRMapping &mapping) {
  Location loc = op.getLoc();
  auto arguments = loop.getBeforeArguments();
  Value goesOn = ConditionOp::create(builder, loc, arguments.front());
  if (condition.count) {
    // The body counts, so that it is passed on.
    auto args = op.getConditionOp().getArgs();
    const auto number =
        unsigned(llvm::find(args, condition.count) - args.begin());
    Value isBelow =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                              arguments[number + 1], condition.limit);
    goesOn = arith::AndIOp::create(builder, loc, goesOn, isBelow);
  }
  scf::ConditionOp::create(builder, loc, goesOn, arguments);
}

/// Whether values of the type may differ in size, or are one.
static bool isOfUnknownSize(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return type.isIndex() || (tensor && !tensor.hasStaticShape());
}

/// Whether the host chooses between the values of a select by `condition`.
static bool isChoiceOfHost(arith::SelectOp op, Value condition) {
  auto read = condition.getDefiningOp<tensor::ExtractOp>();
  return condition.getDefiningOp<ConditionOp>() ||
         (read && read.getIndices().empty() && isOfUnknownSize(op.getType()));
}

bool isChoiceOfHost(Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  return select && isChoiceOfHost(select, select.getCondition());
}

/// Canonicalization and remove-dead-values select between what both sides of a
/// branch yield from outside of it. Only the host chooses sizes, and tensors
/// without a copy.
LogicalResult Flattener::emitSelect(arith::SelectOp op, IRMapping &mapping) {
  Location loc = op.getLoc();
  Value condition = mapping.lookupOrDefault(op.getCondition());
  Value yes = mapping.lookupOrDefault(op.getTrueValue()),
        no = mapping.lookupOrDefault(op.getFalseValue());
  if (!isChoiceOfHost(op, condition) || bodies > 0 ||
      (isSmall(op.getType()) && !op.getType().isIndex()))
    return emitCopy(*op, mapping);
  if (auto read = condition.getDefiningOp<tensor::ExtractOp>())
    condition = ConditionOp::create(builder, loc, read.getTensor());
  auto branch = scf::IfOp::create(
      builder, loc, condition,
      [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, yes); },
      [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, no); });
  mapping.map(op.getResult(), branch.getResult(0));
  return success();
}

} // namespace tilewright::graph
