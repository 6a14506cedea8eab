#include "verify/numerics/LowerableOps.h"

#include "graph/analysis/Group.h"
#include "graph/ir/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "verify/exact/ExactProgram.h"

using namespace mlir;

namespace tilewright::verify {

//===--- Which ops --------------------------------------------------------===//

static bool isF32(Type type) { return getElementTypeOrSelf(type).isF32(); }

/// Whether the op only adds products of two tensors of f32.
static bool isProductOfF32(Operation *op) {
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  if (!linalg || linalg.getNumDpsInputs() != 2 ||
      linalg.getNumDpsInits() != 1 || op->getNumResults() != 1 ||
      linalg.getNumReductionLoops() == 0)
    return false;
  for (Value operand : op->getOperands())
    if (!isa<RankedTensorType>(operand.getType()) || !isF32(operand.getType()))
      return false;
  Block &body = op->getRegion(0).front();
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum || body.getOperations().size() != 3)
    return false;
  const bool isLeft = sum.getLhs() == body.getArgument(2);
  if (!isLeft && sum.getRhs() != body.getArgument(2))
    return false;
  auto product =
      (isLeft ? sum.getRhs() : sum.getLhs()).getDefiningOp<arith::MulFOp>();
  if (!product || product->getBlock() != &body)
    return false;
  const SmallVector<Value, 2> found = {product.getLhs(), product.getRhs()};
  return llvm::is_contained(found, body.getArgument(0)) &&
         llvm::is_contained(found, body.getArgument(1));
}

/// Whether an op on single floats rounds, other than a cast between floats.
static bool rounds(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return (dialect == "arith" || dialect == "math") && op->getNumResults() > 0 &&
         isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())) &&
         !isa<arith::BitcastOp, arith::ConstantOp, arith::ExtFOp,
              arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp,
              arith::MinNumFOp, arith::NegFOp, arith::SelectOp, arith::TruncFOp,
              math::AbsFOp, math::CeilOp, math::ClampFOp, math::CopySignOp,
              math::FloorOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(
             op);
}

/// Whether what the op computes is rounded; not what it only moves.
static bool computes(Operation *op) {
  if (isa<linalg::SoftmaxOp>(op))
    return true;
  if (auto scatter = dyn_cast<graph::ScatterOp>(op))
    return scatter.getKind() == "add" || scatter.getKind() == "mul";
  if (!isa<linalg::LinalgOp, graph::ScanOp, tensor::GenerateOp>(op))
    return rounds(op);
  return op
      ->walk([](Operation *inner) {
        return rounds(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool isLowerable(Operation *op, OpPrecision precision) {
  if (!llvm::any_of(op->getResultTypes(), isF32))
    return false;
  return isNarrowType(precision) ? computes(op) : isProductOfF32(op);
}

//===--- The copy ---------------------------------------------------------===//

/// What ops of one node have in common.
static Attribute nodeOf(Operation *op) {
  if (auto named = op->getLoc()->findInstanceOf<NameLoc>())
    return named.getName();
  return op->getLoc();
}

static void mark(Operation *op, size_t unit) {
  Builder b(op->getContext());
  auto areF32 = [&](TypeRange types) {
    SmallVector<bool> found;
    for (Type type : types)
      found.push_back(isF32(type));
    return b.getDenseBoolArrayAttr(found);
  };
  op->setAttr(lowerableAttr, b.getI64IntegerAttr(int64_t(unit)));
  op->setAttr(lowerableOperandsAttr, areF32(op->getOperandTypes()));
  op->setAttr(lowerableResultsAttr, areF32(op->getResultTypes()));
  if (isProductOfF32(op))
    op->setAttr(lowerableProductAttr, b.getUnitAttr());
}

LowerableOps::LowerableOps(func::FuncOp function, OpPrecision precision)
    : name(function.getSymName()), precision(precision),
      module(function->getParentOfType<ModuleOp>().clone()) {
  llvm::DenseMap<Attribute, size_t> units;
  std::vector<SmallVector<StringRef>> ops;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isLowerable(op, precision)) {
      auto [unit, isNew] = units.try_emplace(nodeOf(op), found.size());
      if (isNew) {
        found.push_back({graph::describeOp(op), ""});
        ops.emplace_back();
      }
      mark(op, unit->second);
      if (StringRef own = op->getName().getStringRef();
          !llvm::is_contained(ops[unit->second], own))
        ops[unit->second].push_back(own);
    }
    // Bodies on single numbers are part of their op.
    return isa<linalg::LinalgOp, graph::ScanOp, tensor::GenerateOp>(op)
               ? WalkResult::skip()
               : WalkResult::advance();
  });
  for (auto [op, names] : llvm::zip_equal(found, ops))
    op.op = llvm::join(names, ", ");
}

FailureOr<OwningOpRef<ModuleOp>>
LowerableOps::make(const std::vector<bool> &lowered, Others others) {
  auto function = module->lookupSymbol<func::FuncOp>(name);
  FailureOr<OwningOpRef<ModuleOp>> made = OwningOpRef<ModuleOp>();
  if (others == Others::wide)
    made = makeWide(function, Float64Type::get(module->getContext()));
  else
    *made = module->clone();
  if (succeeded(made))
    lowerPrecision(**made, precision, lowered);
  return made;
}

} // namespace tilewright::verify
