//===- InsertSizeChecks.cpp - What must hold of sizes at run time ---------===//
#include "graph/analysis/Blocks.h"
#include "graph/analysis/Group.h"
#include "graph/analysis/SizeBounds.h"
#include "graph/analysis/SizeValues.h"
#include "graph/transforms/Build.h"
#include "graph/transforms/Function.h"
#include "graph/transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <set>

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_INSERTSIZECHECKS
#include "graph/transforms/Passes.h.inc"

namespace {
/// What must hold of sizes that are known only at run time, so that no element
/// outside of a tensor is read.
struct SizeCheck {
  AffineExpr size, expected;
  /// Whether `size` may be smaller.
  bool isLimit = false;
  /// What the user did wrong where it does not hold.
  std::string message;
  /// The op that needs it.
  Operation *op = nullptr;
};

/// The region in which a check stays: that of the innermost side of a branch
/// around an op. Loops do not count: what does not depend on them is checked
/// before they run.
Region *sideOf(Operation *op) {
  for (Region *region = op->getParentRegion();
       !isa<func::FuncOp>(region->getParentOp());
       region = region->getParentRegion())
    if (isa<scf::IfOp>(region->getParentOp()))
      return region;
  return nullptr;
}

class CheckCollector {
public:
  explicit CheckCollector(SymbolicShapes &shapes) : shapes(shapes) {}

  LogicalResult visit(Operation &op);
  /// Each condition once, in the order of the ops that need it.
  std::vector<SizeCheck> checks;
  /// The op that is visited, in the graph.
  Operation *visited = nullptr;

private:
  LogicalResult visitKind(Operation &op);
  LogicalResult visitLoops(linalg::GenericOp op);
  LogicalResult visitSubscripts(linalg::GenericOp op, OpOperand &operand,
                                ArrayRef<AffineExpr> lengths);
  LogicalResult visitConcat(tensor::ConcatOp op);
  LogicalResult visitSlice(tensor::ExtractSliceOp op);
  LogicalResult visitCast(tensor::CastOp op);
  LogicalResult visitReshape(tensor::ReshapeOp op);
  LogicalResult visitStep(scf::ForOp op);
  LogicalResult visitAssert(cf::AssertOp op, Value condition);
  LogicalResult expectEqual(Operation *op, AffineExpr size, AffineExpr expected,
                            const Twine &what);
  LogicalResult expectAtMost(Operation *op, AffineExpr size, AffineExpr limit,
                             const Twine &what);
  void add(SizeCheck check);
  bool isBound(const SizeCheck &check) const;

  SymbolicShapes &shapes;
};
} // namespace

/// Whether an op of the graph decides about one of the sizes.
bool CheckCollector::isBound(const SizeCheck &check) const {
  bool found = false;
  for (AffineExpr size : {check.size, check.expected})
    size.walk([&](AffineExpr part) {
      auto symbol = dyn_cast<AffineSymbolExpr>(part);
      found |= symbol && shapes.isBound(symbol);
    });
  return found;
}

/// Whether a condition holds for all values of the symbols.
static bool holds(Sizes &sizes, const SizeCheck &check) {
  return check.isLimit && less(sizes, check.expected, check.size) == false;
}

/// Whether a limit that is linear in the variable of a loop holds in all of its
/// iterations: it does in the first or in the last one, where least is left.
static bool holdsInLoop(SymbolicShapes &shapes, const SizeCheck &check) {
  Sizes &sizes = shapes.sizes();
  AffineExpr left = sizes.sub(check.expected, check.size);
  AffineExpr variable;
  bool isPlain = check.isLimit;
  left.walk([&](AffineExpr part) {
    auto symbol = dyn_cast<AffineSymbolExpr>(part);
    if (!symbol)
      return;
    if (!shapes.isBound(symbol)) {
      // A positive part may hide the variable.
      isPlain &= bool(shapes.dimensionOf(symbol).argument);
    } else if (shapes.bindingOf(symbol).kind ==
               SymbolDefinition::Kind::Variable) {
      isPlain &= !variable || variable == symbol;
      variable = symbol;
    }
  });
  if (!isPlain || !variable)
    return false;
  FailureOr<SymbolDefinition> loop =
      shapes.definitionOf(cast<AffineSymbolExpr>(variable));
  if (failed(loop))
    return false;
  auto at = [&](AffineExpr value) {
    return sizes.canonical(left.replace(variable, value));
  };
  std::optional<int64_t> slope =
      constantOf(sizes.sub(at(sizes.add(variable, 1)), left));
  if (!slope)
    return false;
  AffineExpr least = at(*slope < 0 ? sizes.add(loop->second, -1) : loop->first);
  return less(sizes, least, sizes.constant(0)) == false;
}

void CheckCollector::add(SizeCheck check) {
  // What follows from the bounds of a count is not checked in each iteration.
  if (isBound(check) &&
      (holds(shapes.sizes(), check) || holdsInLoop(shapes, check)))
    return;
  check.op = visited;
  // A check outside of the side of a branch comes first.
  for (const SizeCheck &known : checks)
    if (known.size == check.size && known.expected == check.expected &&
        known.isLimit == check.isLimit &&
        (!sideOf(known.op) || sideOf(known.op)->isAncestor(sideOf(check.op))))
      return;
  checks.push_back(std::move(check));
}

/// Two sizes that must be the same; an error where they cannot be.
LogicalResult CheckCollector::expectEqual(Operation *op, AffineExpr size,
                                          AffineExpr expected,
                                          const Twine &what) {
  if (size == expected)
    return success();
  if (isa<AffineConstantExpr>(size) && isa<AffineConstantExpr>(expected))
    return op->emitError("expected that ")
           << what << ": " << cast<AffineConstantExpr>(expected).getValue()
           << ", found " << cast<AffineConstantExpr>(size).getValue();
  add({size, expected, false, (describeOp(op) + ": " + what).str()});
  return success();
}

/// A size that must not be greater than another; an error where it is.
LogicalResult CheckCollector::expectAtMost(Operation *op, AffineExpr size,
                                           AffineExpr limit,
                                           const Twine &what) {
  if (size == limit)
    return success();
  auto known = dyn_cast<AffineConstantExpr>(size);
  auto most = dyn_cast<AffineConstantExpr>(limit);
  if (!known || !most) {
    add({size, limit, true, (describeOp(op) + ": " + what).str()});
    return success();
  }
  if (known.getValue() <= most.getValue())
    return success();
  return op->emitError("expected that ")
         << what << ": at most " << most.getValue() << ", found "
         << known.getValue();
}

LogicalResult CheckCollector::visitLoops(linalg::GenericOp op) {
  SmallVector<AffineExpr> lengths(op.getNumLoops());
  SmallVector<unsigned> operandOf(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    FailureOr<SymbolicShape> shape = shapes.shapeOf(operand.get());
    if (failed(shape))
      return failure();
    for (auto [d, subscript] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(subscript);
      if (!loop)
        continue;
      AffineExpr &length = lengths[loop.getPosition()];
      if (!length) {
        length = (*shape)[d];
        operandOf[loop.getPosition()] = operand.getOperandNumber();
        continue;
      }
      if (failed(expectEqual(op, (*shape)[d], length,
                             "dimension " + Twine(d) + " of operand " +
                                 Twine(operand.getOperandNumber()) +
                                 " and its counterpart in operand " +
                                 Twine(operandOf[loop.getPosition()]) +
                                 " have one size")))
        return failure();
    }
  }
  // Each is known: linalg's verifier requires every loop as a subscript of some
  // operand.
  for (OpOperand &operand : op->getOpOperands())
    if (failed(visitSubscripts(op, operand, lengths)))
      return failure();
  return success();
}

namespace {
/// A subscript as a sum: a number, and a multiple of each loop.
struct LinearSubscript {
  explicit LinearSubscript(Sizes &sizes, unsigned loops)
      : base(sizes.constant(0)), factors(loops, base), sizes(sizes) {}

  /// Adds a multiple of a part; false for one that is not linear.
  bool add(AffineExpr part, Expr factor);

  Expr base;
  SmallVector<Expr> factors;

private:
  Sizes &sizes;
};
} // namespace

bool LinearSubscript::add(AffineExpr part, Expr factor) {
  if (auto loop = dyn_cast<AffineDimExpr>(part)) {
    Expr &known = factors[loop.getPosition()];
    known = sizes.add(known, factor);
    return true;
  }
  if (isa<AffineConstantExpr>(part)) {
    base = sizes.add(base, sizes.mul(part, factor));
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(part);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return add(binary.getLHS(), factor) && add(binary.getRHS(), factor);
  // The canonical form has the constant on the right.
  return binary.getKind() == AffineExprKind::Mul &&
         isa<AffineConstantExpr>(binary.getRHS()) &&
         add(binary.getLHS(), sizes.mul(binary.getRHS(), factor));
}

/// The least and the greatest value of a linear subscript over loops of these
/// lengths; nothing for another one.
static std::optional<std::pair<AffineExpr, AffineExpr>>
rangeOf(AffineExpr subscript, ArrayRef<AffineExpr> lengths, Sizes &sizes) {
  LinearSubscript sum(sizes, lengths.size());
  if (!sum.add(subscript, sizes.constant(1)))
    return std::nullopt;
  AffineExpr low = sum.base, high = low;
  for (auto [factor, length] : llvm::zip(sum.factors, lengths)) {
    const int64_t number = cast<AffineConstantExpr>(factor).getValue();
    AffineExpr &bound = number > 0 ? high : low;
    if (number != 0)
      bound = sizes.add(bound, sizes.mul(sizes.add(length, -1), factor));
  }
  return std::pair(low, high);
}

/// Checks that subscripts with sums and multiples of loops are inside the
/// tensor.
LogicalResult CheckCollector::visitSubscripts(linalg::GenericOp op,
                                              OpOperand &operand,
                                              ArrayRef<AffineExpr> lengths) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  FailureOr<SymbolicShape> shape = shapes.shapeOf(operand.get());
  if (failed(shape))
    return failure();
  AffineExpr zero = getAffineConstantExpr(0, op.getContext());
  if (llvm::is_contained(lengths, zero))
    return success(); // Nothing is read.
  for (auto [d, subscript] : llvm::enumerate(map.getResults())) {
    auto range = rangeOf(subscript, lengths, shapes.sizes());
    if (!range || isa<AffineDimExpr>(subscript))
      continue;
    std::string what =
        "what is read of dimension " + std::to_string(d) + " of operand " +
        std::to_string(operand.getOperandNumber()) + " lies in the tensor";
    if (failed(expectAtMost(op, shapes.sizes().add(range->second, 1),
                            (*shape)[d], what)) ||
        failed(expectAtMost(op, zero, range->first, what)))
      return failure();
  }
  return success();
}

LogicalResult CheckCollector::visitConcat(tensor::ConcatOp op) {
  FailureOr<SymbolicShape> first = shapes.shapeOf(op.getInputs().front());
  for (Value input : op.getInputs()) {
    FailureOr<SymbolicShape> shape = shapes.shapeOf(input);
    if (failed(first) || failed(shape))
      return failure();
    for (unsigned d = 0; d < shape->size(); ++d)
      if (d != op.getDim() &&
          failed(expectEqual(op, (*shape)[d], (*first)[d],
                             "dimension " + Twine(d) +
                                 " of all inputs has one size")))
        return failure();
  }
  return success();
}

/// Checks that the first and the last element of the slice are in the source.
LogicalResult CheckCollector::visitSlice(tensor::ExtractSliceOp op) {
  FailureOr<SymbolicShape> extents = shapes.shapeOf(op.getSource());
  if (failed(extents))
    return failure();
  SmallVector<OpFoldResult> strides = op.getMixedStrides();
  auto all = llvm::zip(op.getMixedOffsets(), op.getMixedSizes());
  for (auto [d, pair] : llvm::enumerate(all)) {
    FailureOr<AffineExpr> offset = shapes.exprOf(std::get<0>(pair));
    FailureOr<AffineExpr> size = shapes.exprOf(std::get<1>(pair));
    std::optional<int64_t> stride = getConstantIntValue(strides[d]);
    if (failed(offset) || failed(size) || !stride)
      return failure();
    Sizes &sizes = shapes.sizes();
    AffineExpr steps = sizes.mul(sizes.add(*size, -1), *stride);
    AffineExpr end = sizes.add(sizes.add(*offset, steps), 1);
    AffineExpr extent = (*extents)[d];
    std::string what =
        "the slice of dimension " + std::to_string(d) + " lies in the tensor";
    auto zero = getAffineConstantExpr(0, op.getContext());
    if (*size == zero)
      continue; // Nothing is read.
    if (failed(expectAtMost(op, end, extent, what)) ||
        failed(expectAtMost(op, zero, *offset, what)))
      return failure();
  }
  return success();
}

LogicalResult CheckCollector::visitCast(tensor::CastOp op) {
  FailureOr<SymbolicShape> from = shapes.shapeOf(op.getSource());
  FailureOr<SymbolicShape> to = shapes.shapeOf(op.getResult());
  if (failed(from) || failed(to))
    return failure();
  for (unsigned d = 0; d < from->size(); ++d)
    if (failed(expectEqual(op, (*from)[d], (*to)[d],
                           "dimension " + Twine(d) +
                               " has the size that its type says")))
      return failure();
  return success();
}

LogicalResult CheckCollector::visitReshape(tensor::ReshapeOp op) {
  auto elements = [&](Value tensor) -> FailureOr<AffineExpr> {
    FailureOr<SymbolicShape> shape = shapes.shapeOf(tensor);
    if (failed(shape))
      return failure();
    return shapes.sizes().product(*shape);
  };
  FailureOr<AffineExpr> from = elements(op.getSource());
  FailureOr<AffineExpr> to = elements(op.getResult());
  if (failed(from) || failed(to))
    return failure();
  return expectEqual(op, *from, *to, "a reshape keeps the number of elements");
}

/// Checks that a loop ends.
LogicalResult CheckCollector::visitStep(scf::ForOp op) {
  FailureOr<AffineExpr> step = shapes.exprOf(op.getStep());
  if (failed(step))
    return failure();
  return expectAtMost(op, getAffineConstantExpr(1, op.getContext()), *step,
                      "the step of a loop is positive");
}

/// What the author of the module asserts of sizes.
LogicalResult CheckCollector::visitAssert(cf::AssertOp op, Value condition) {
  if (matchPattern(condition, m_One()))
    return success();
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return success(succeeded(visitAssert(op, both.getLhs())) &&
                   succeeded(visitAssert(op, both.getRhs())));
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || !isSize(compare.getLhs()) || !isSize(compare.getRhs()))
    return op.emitError("expected an assertion that compares sizes, which are "
                        "known when the model runs and before its kernels do");
  FailureOr<AffineExpr> lhs = shapes.exprOf(compare.getLhs());
  FailureOr<AffineExpr> rhs = shapes.exprOf(compare.getRhs());
  if (failed(lhs) || failed(rhs))
    return failure();
  std::string message = op.getMsg().str();
  using Predicate = arith::CmpIPredicate;
  switch (compare.getPredicate()) {
  case Predicate::eq:
    add({*lhs, *rhs, false, message});
    return success();
  case Predicate::sle:
  case Predicate::ule:
    add({*lhs, *rhs, true, message});
    return success();
  case Predicate::slt:
  case Predicate::ult:
    add({shapes.sizes().add(*lhs, 1), *rhs, true, message});
    return success();
  case Predicate::sge:
  case Predicate::uge:
    add({*rhs, *lhs, true, message});
    return success();
  case Predicate::sgt:
  case Predicate::ugt:
    add({shapes.sizes().add(*rhs, 1), *lhs, true, message});
    return success();
  case Predicate::ne:
    break;
  }
  return op.emitError("expected an assertion that sizes are equal or in order, "
                      "found one that they differ");
}

LogicalResult CheckCollector::visit(Operation &op) {
  visited = &op;
  LogicalResult result = visitKind(op);
  if (succeeded(result) && !shapes.sizes().fault().empty())
    return op.emitError(shapes.sizes().fault());
  return result;
}

LogicalResult CheckCollector::visitKind(Operation &op) {
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](linalg::GenericOp generic) { return visitLoops(generic); })
      .Case([&](tensor::ConcatOp concat) { return visitConcat(concat); })
      .Case([&](tensor::ExtractSliceOp slice) { return visitSlice(slice); })
      .Case([&](tensor::CastOp cast) { return visitCast(cast); })
      .Case([&](tensor::ReshapeOp reshape) { return visitReshape(reshape); })
      .Case([&](scf::ForOp loop) { return visitStep(loop); })
      .Case([&](cf::AssertOp assertion) {
        return visitAssert(assertion, assertion.getArg());
      })
      .Default([](Operation *) { return success(); });
}

namespace {
struct InsertSizeChecks : impl::InsertSizeChecksBase<InsertSizeChecks> {
  void runOnOperation() override {
    FailureOr<func::FuncOp> found = graphFunction(getOperation());
    if (failed(found))
      return signalPassFailure();
    func::FuncOp func = *found;
    SymbolicShapes shapes(func);
    CheckCollector collector(shapes);
    for (Operation *op : graphOps(func))
      if (failed(collector.visit(*op)))
        return signalPassFailure();
    SizeValues sizes(func, shapes);
    llvm::MapVector<Region *, Operation *> starts;
    for (const SizeCheck &check : collector.checks)
      if (Region *side = sideOf(check.op))
        starts.try_emplace(side, &side->front().front());
    for (const SizeCheck &check : collector.checks) {
      Value size = sizes.valueOf(check.size);
      Value expected = sizes.valueOf(check.expected);
      OpBuilder builder = sizes.builderFor({check.size, check.expected});
      Region *side = sideOf(check.op);
      if (side && !side->isAncestor(builder.getInsertionBlock()->getParent()))
        builder.setInsertionPoint(starts.lookup(side));
      sizes.keepBehind(CheckOp::create(builder, func.getLoc(), size,
                                       check.isLimit, expected, check.message));
    }
    for (auto op : graphOps<cf::AssertOp>(func))
      op.erase();
  }
};
} // namespace

} // namespace tilewright::graph
