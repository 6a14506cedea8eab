//===- RegionShapes.cpp - Sizes that branches and loops decide ------------===//
#include "graph/analysis/Blocks.h"
#include "graph/analysis/SizeBounds.h"
#include "graph/analysis/SymbolicShapes.h"
#include "graph/ir/Graph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::graph {

using Kind = SymbolDefinition::Kind;

/// What an scf.for or an scf.while carries from iteration to iteration.
struct SymbolicShapes::Loop {
  explicit Loop(LoopLikeOpInterface op)
      : op(op), inits(op.getInits()), results(op->getResults()) {
    if (auto loop = dyn_cast<scf::WhileOp>(op.getOperation())) {
      begins = loop.getBeforeArguments();
      arguments = loop.getAfterArguments();
      body = loop.getAfterBody();
    } else {
      begins = arguments = op.getRegionIterArgs();
      body = cast<scf::ForOp>(op.getOperation()).getBody();
    }
  }
  /// While the loop is being built there may be no end yet.
  bool isComplete() const { return body->mightHaveTerminator(); }
  Value yielded(unsigned number) const {
    return body->getTerminator()->getOperand(number);
  }

  Operation *op;
  ValueRange inits, results;
  /// What an iteration begins with; of an scf.while also where it is decided
  /// whether there is one.
  ValueRange arguments, begins;
  Block *body;
};

/// The sizes of a tensor, or an index as the only one.
FailureOr<SymbolicShape> SymbolicShapes::sizesOf(Value value) {
  if (isa<RankedTensorType>(value.getType()))
    return shapeOf(value);
  FailureOr<AffineExpr> expr = exprOf(value);
  if (failed(expr))
    return failure();
  return SymbolicShape{*expr};
}

/// Whether a size follows from no type.
static bool isOpen(Value value, int64_t position) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return !type || type.isDynamicDim(unsigned(position));
}

/// The ops that bind symbols are numbered by kind, in program order.
std::string SymbolicShapes::nameOf(Operation *op) {
  auto kindOf = [](Operation *each) -> StringRef {
    return isa<scf::IfOp>(each) ? "if" : isa<SizeOp>(each) ? "size" : "loop";
  };
  if (names.empty()) {
    llvm::StringMap<unsigned> counts;
    for (Operation *each : graphOps(func))
      if (isBranchOrLoop(each) || isa<SizeOp>(each))
        names[each] = (kindOf(each) + Twine(counts[kindOf(each)]++)).str();
  }
  std::string &name = names[op];
  if (name.empty())
    name = (kindOf(op) + Twine(names.size())).str();
  return name;
}

AffineExpr SymbolicShapes::bind(Kind kind, Operation *op, Value value,
                                int64_t position, const Twine &name) {
  // Sizes are at least 0, other numbers may be anything.
  std::optional<int64_t> least;
  if (isa<RankedTensorType>(value.getType()))
    least = 0;
  AffineExpr symbol = arithmetic.symbols.fresh(nameOf(op) + name.str(), least);
  bindings.try_emplace(symbol,
                       SymbolDefinition{kind, op, value, position, {}, {}});
  return symbol;
}

/// A symbol for a size of what an op yields or carries.
AffineExpr SymbolicShapes::bindResult(Kind kind, Value value,
                                      int64_t position) {
  Operation *op = value.getDefiningOp();
  unsigned number = 0;
  if (op) {
    number = cast<OpResult>(value).getResultNumber();
  } else {
    auto argument = cast<BlockArgument>(value);
    op = argument.getOwner()->getParentOp();
    number = argument.getArgNumber() - (isa<scf::ForOp>(op) ? 1 : 0);
  }
  std::string name;
  if (kind == Kind::Carried)
    name = "_carried" + std::to_string(number);
  else if (number != 0 || !isa<RankedTensorType>(value.getType()))
    name = "_result" + std::to_string(number);
  if (isa<RankedTensorType>(value.getType()))
    name += "_dim" + std::to_string(position);
  return bind(kind, op, value, position, name);
}

FailureOr<SymbolicShape> SymbolicShapes::sizesOfBranch(OpResult result) {
  auto branch = cast<scf::IfOp>(result.getOwner());
  const unsigned number = result.getResultNumber();
  FailureOr<SymbolicShape> then =
      sizesOf(branch.thenYield().getOperand(number));
  FailureOr<SymbolicShape> other =
      sizesOf(branch.elseYield().getOperand(number));
  if (failed(then) || failed(other))
    return failure();
  SymbolicShape sizes;
  for (auto [d, pair] : llvm::enumerate(llvm::zip_equal(*then, *other))) {
    auto [a, b] = pair;
    sizes.push_back(a == b || !isOpen(result, int64_t(d))
                        ? a
                        : bindResult(Kind::Branch, result, int64_t(d)));
  }
  return sizes;
}

/// Gives what the loop carries and leaves the sizes that it starts with, but
/// for the changed ones, which become symbols.
void SymbolicShapes::assume(const Loop &loop, ArrayRef<SymbolicShape> starts,
                            ArrayRef<llvm::SmallBitVector> changed) {
  auto set = [&](Value value, const SymbolicShape &sizes) {
    if (isa<RankedTensorType>(value.getType()))
      shapes[value] = sizes;
    else
      exprs[value] = sizes.front();
  };
  for (auto [number, start] : llvm::enumerate(starts)) {
    SymbolicShape carried = start, left = start;
    for (unsigned d : changed[number].set_bits()) {
      carried[d] = bindResult(Kind::Carried, loop.arguments[number], d);
      left[d] = bindResult(Kind::Left, loop.results[number], d);
    }
    set(loop.arguments[number], carried);
    set(loop.begins[number], carried);
    set(loop.results[number], left);
  }
}

/// What a loop reads from outside: copies of this analysis would find out
/// again, and each of those that they bind would in turn.
void SymbolicShapes::bindOutside(Operation *loop) {
  loop->walk([&](Operation *inner) {
    for (Value value : inner->getOperands()) {
      if (loop->isAncestor(value.getParentBlock()->getParentOp()))
        continue;
      if (isa<RankedTensorType>(value.getType()))
        (void)shapeOf(value);
      else if (value.getType().isIndex())
        (void)exprOf(value);
    }
  });
}

/// Sizes that stay as they are if all others that seem to do so stay: each
/// attempt looks at one iteration, in a copy of this analysis.
LogicalResult SymbolicShapes::bindLoop(const Loop &loop) {
  nameOf(loop.op);
  SmallVector<SymbolicShape> starts;
  SmallVector<llvm::SmallBitVector> changed;
  for (Value init : loop.inits) {
    const bool hasSizes =
        isa<RankedTensorType>(init.getType()) || init.getType().isIndex();
    FailureOr<SymbolicShape> start =
        hasSizes ? sizesOf(init) : FailureOr<SymbolicShape>(SymbolicShape());
    if (failed(start))
      return failure();
    starts.push_back(*start);
    changed.emplace_back(unsigned(start->size()), !loop.isComplete());
  }
  for (auto [number, open] : llvm::enumerate(changed))
    for (unsigned d = 0; d < open.size(); ++d)
      if (!isOpen(loop.inits[number], d))
        open.reset(d);
  bool isStable = !loop.isComplete();
  if (!isStable)
    bindOutside(loop.op);
  // Counts that do not become less.
  SmallVector<std::optional<int64_t>> least(loop.inits.size());
  while (!isStable) {
    isStable = true;
    SymbolicShapes scratch(*this);
    scratch.assume(loop, starts, changed);
    for (unsigned number = 0; number < starts.size(); ++number) {
      if (starts[number].empty())
        continue;
      FailureOr<SymbolicShape> next = scratch.sizesOf(loop.yielded(number));
      if (failed(next))
        return failure();
      for (unsigned d = 0; d < next->size(); ++d) {
        if (isOpen(loop.inits[number], d) && !changed[number].test(d) &&
            (*next)[d] != starts[number][d]) {
          changed[number].set(d);
          isStable = false;
        }
      }
      if (!changed[number].any() || !loop.inits[number].getType().isIndex())
        continue;
      Sizes &sizes = scratch.arithmetic;
      AffineExpr now = scratch.exprs.lookup(loop.arguments[number]);
      std::optional<int64_t> step =
          lowerBound(sizes, sizes.sub(next->front(), now));
      least[number] = step && *step >= 0
                          ? lowerBound(sizes, starts[number].front())
                          : std::nullopt;
    }
  }
  assume(loop, starts, changed);
  for (auto [number, low] : llvm::enumerate(least))
    if (low && changed[number].any())
      for (Value value : {loop.arguments[number], loop.results[number]})
        arithmetic.symbols.setBounds(exprs.lookup(value), low, std::nullopt);
  return success();
}

FailureOr<SymbolicShape> SymbolicShapes::sizesInLoop(const Loop &loop,
                                                     Value value) {
  if (failed(bindLoop(loop)))
    return failure();
  if (isa<RankedTensorType>(value.getType()))
    return shapes.lookup(value);
  return SymbolicShape{exprs.lookup(value)};
}

FailureOr<AffineExpr> SymbolicShapes::exprOfVariable(BlockArgument variable) {
  auto loop = cast<scf::ForOp>(variable.getOwner()->getParentOp());
  FailureOr<AffineExpr> low = exprOf(loop.getLowerBound());
  FailureOr<AffineExpr> end = exprOf(loop.getUpperBound());
  if (failed(low) || failed(end))
    return failure();
  AffineExpr symbol = bind(Kind::Variable, loop, variable, 0, "_i");
  std::optional<int64_t> most = upperBound(arithmetic, *end);
  arithmetic.symbols.setBounds(symbol, lowerBound(arithmetic, *low),
                               most ? std::optional(*most - 1) : most);
  return symbol;
}

FailureOr<AffineExpr> SymbolicShapes::exprOfRead(Operation *op) {
  auto read = cast<SizeOp>(op);
  std::optional<int64_t> most;
  if (Value limit = read.getAtMost()) {
    FailureOr<AffineExpr> expr = exprOf(limit);
    if (failed(expr))
      return failure();
    most = upperBound(arithmetic, *expr);
  }
  AffineExpr symbol = bind(Kind::Read, read, read.getResult(), 0, "");
  arithmetic.symbols.setBounds(symbol, read.getAtLeast(), most);
  return symbol;
}

/// The sizes of what a branch or a loop yields or carries.
FailureOr<SymbolicShape> SymbolicShapes::sizesInRegion(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    op = cast<BlockArgument>(value).getOwner()->getParentOp();
  if (isa<scf::IfOp>(op))
    return sizesOfBranch(cast<OpResult>(value));
  if (auto loop = dyn_cast<scf::ForOp>(op);
      loop && value == loop.getInductionVar()) {
    FailureOr<AffineExpr> expr = exprOfVariable(cast<BlockArgument>(value));
    if (failed(expr))
      return failure();
    return SymbolicShape{*expr};
  }
  return sizesInLoop(Loop(cast<LoopLikeOpInterface>(op)), value);
}

FailureOr<SymbolDefinition>
SymbolicShapes::definitionOf(AffineSymbolExpr symbol) {
  SymbolDefinition known = bindingOf(symbol);
  auto sizeOf = [&](Value value) -> AffineExpr {
    FailureOr<SymbolicShape> sizes = sizesOf(value);
    return failed(sizes) ? AffineExpr() : (*sizes)[size_t(known.position)];
  };
  if (known.kind == Kind::Read) {
    auto read = cast<SizeOp>(known.op);
    known.first = arithmetic.constant(read.getAtLeast());
    known.second = read.getAtMost() ? sizeOf(read.getAtMost()) : AffineExpr();
    return known;
  }
  if (known.kind == Kind::Variable) {
    auto loop = cast<scf::ForOp>(known.op);
    known.first = sizeOf(loop.getLowerBound());
    known.second = sizeOf(loop.getUpperBound());
  } else if (known.kind == Kind::Branch) {
    auto branch = cast<scf::IfOp>(known.op);
    const unsigned number = cast<OpResult>(known.value).getResultNumber();
    known.first = sizeOf(branch.thenYield().getOperand(number));
    known.second = sizeOf(branch.elseYield().getOperand(number));
  } else {
    const Loop loop{cast<LoopLikeOpInterface>(known.op)};
    const auto isThis = [&](Value value) { return value == known.value; };
    ValueRange all = known.kind == Kind::Left ? loop.results : loop.arguments;
    const auto number = unsigned(llvm::find_if(all, isThis) - all.begin());
    known.first = sizeOf(loop.inits[number]);
    known.second = sizeOf(loop.yielded(number));
  }
  if (!known.first || !known.second)
    return failure();
  return known;
}

} // namespace tilewright::graph
