#include "verify/validate/Smaller.h"

#include "graph/ir/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tilewright::verify {

//===--- Ops that are left out --------------------------------------------===//

/// Ops that may be left out: not those that make the frame of a program.
static bool mayGo(Operation *op) {
  return !isa<ModuleOp, SymbolOpInterface, graph::CpuCodeOp, graph::GpuCodeOp,
              graph::InterpreterCodeOp>(op) &&
         !op->hasTrait<OpTrait::IsTerminator>() &&
         !op->hasTrait<OpTrait::ConstantLike>();
}

/// Erases what nothing uses.
static void eraseDead(ModuleOp module) {
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Operation *> dead;
    module.walk<WalkOrder::PostOrder>([&](Operation *op) {
      if (mayGo(op) || op->hasTrait<OpTrait::ConstantLike>())
        if (isOpTriviallyDead(op))
          dead.push_back(op);
    });
    for (Operation *op : dead) {
      op->erase();
      changed = true;
    }
  }
}

/// A way of leaving out an op that comes behind those that take operands.
static constexpr unsigned asZero = ~0U;

/// The `number`-th value that may stand for `result`: operands, zero, and true;
/// null: there are no more.
static Value substitute(Value result, unsigned number) {
  Operation *op = result.getDefiningOp();
  if (number != asZero) {
    for (Value operand : op->getOperands())
      if (operand.getType() == result.getType() && number-- == 0)
        return operand;
  } else {
    number = 0;
  }
  OpBuilder b(op);
  TypedAttr constant = b.getZeroAttr(result.getType());
  if (number == 1 && result.getType().isInteger(1))
    constant = b.getBoolAttr(true);
  else if (number > 0)
    constant = {};
  if (!constant)
    return {};
  if (isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
    return LLVM::ConstantOp::create(b, op->getLoc(), constant);
  return arith::ConstantOp::create(b, op->getLoc(), constant);
}

SmallVector<Operation *> removableOps(ModuleOp module) {
  SmallVector<Operation *> ops;
  const bool hasCode = llvm::any_of(*module.getBody(), [](Operation &op) {
    return isa<graph::CpuCodeOp, graph::GpuCodeOp>(op);
  });
  for (Operation &part : *module.getBody()) {
    // Kernels of which there is code are there for their interface.
    if (hasCode && isa<ModuleOp>(part))
      continue;
    part.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (mayGo(op))
        ops.push_back(op);
    });
  }
  return ops;
}

/// Leaves out an op in the `way`-th way. False: there is no such way, and the
/// op stays.
static bool leaveOut(Operation *op, unsigned way) {
  if (op->use_empty() && way > 0 && way != asZero)
    return false;
  SmallVector<Value> others;
  for (Value result : op->getResults()) {
    others.push_back(result.use_empty() ? result : substitute(result, way));
    if (!others.back())
      return false;
  }
  for (auto [result, other] : llvm::zip_equal(op->getResults(), others))
    if (!result.use_empty())
      result.replaceAllUsesWith(other);
  op->erase();
  return true;
}

/// Leaves out the ops [first, last) that can go; false: none can.
static bool leaveOut(ModuleOp module, size_t first, size_t last, unsigned way) {
  const SmallVector<Operation *> ops = removableOps(module);
  bool changes = false;
  // What is within an op comes behind it.
  for (size_t i = std::min(last, ops.size()); i-- > first;)
    changes |= leaveOut(ops[i], way);
  if (changes)
    eraseDead(module);
  return changes;
}

bool forEachSmaller(ModuleOp module, size_t ops,
                    llvm::function_ref<bool(ModuleOp)> next) {
  const size_t count = removableOps(module).size();
  if (ops > count)
    return false;
  for (size_t last = count; last > 0; last -= std::min(last, ops))
    for (unsigned way = 0;; ++way) {
      OwningOpRef<ModuleOp> smaller = module.clone();
      if (!leaveOut(*smaller, last - std::min(last, ops), last, way))
        break;
      ScopedDiagnosticHandler quiet(
          module.getContext(), [](mlir::Diagnostic &) { return success(); });
      if (succeeded(mlir::verify(*smaller)) && next(*smaller))
        return true;
      // Of several ops at once: their operands, or zeros.
      if (ops > 1 && way == asZero)
        break;
      if (ops > 1)
        way = asZero - 1;
    }
  return false;
}

//===--- Simpler programs -------------------------------------------------===//

static LogicalResult canonicalize(ModuleOp module) {
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](mlir::Diagnostic &) { return success(); });
  PassManager passes(module.getContext());
  // A loop without an end may be folded without an end.
  passes.addPass(createCanonicalizerPass(
      GreedyRewriteConfig().setMaxIterations(4).setMaxNumRewrites(20'000)));
  return passes.run(module);
}

OwningOpRef<ModuleOp> foldProgram(ModuleOp module) {
  OwningOpRef<ModuleOp> folded = module.clone();
  if (failed(canonicalize(*folded)) ||
      removableOps(*folded).size() >= removableOps(module).size())
    return {};
  return folded;
}

static bool isConditional(Operation *op) {
  return isa<cf::CondBranchOp, LLVM::CondBrOp>(op);
}

/// Conditional branches, and those to a block that ends in one, as the ends of
/// loops are.
static SmallVector<Operation *> branchesOf(ModuleOp module) {
  SmallVector<Operation *> branches;
  module.walk([&](Operation *op) {
    if (isConditional(op) ||
        (isa<cf::BranchOp, LLVM::BrOp>(op) &&
         isConditional(op->getSuccessor(0)->getTerminator())))
      branches.push_back(op);
  });
  return branches;
}

/// Lets a branch, or the one behind it, go to that block without a condition.
static void straighten(Operation *branch, unsigned successor) {
  auto end = cast<BranchOpInterface>(
      isConditional(branch) ? branch
                            : branch->getSuccessor(0)->getTerminator());
  Block *block = end->getSuccessor(successor);
  SmallVector<Value> operands;
  for (Value operand :
       end.getSuccessorOperands(successor).getForwardedOperands()) {
    auto argument = dyn_cast<BlockArgument>(operand);
    operands.push_back(argument && end != branch &&
                               argument.getOwner() == end->getBlock()
                           ? branch->getOperand(argument.getArgNumber())
                           : operand);
  }
  OpBuilder b(branch);
  if (isa<LLVM::LLVMDialect>(branch->getDialect()))
    LLVM::BrOp::create(b, branch->getLoc(), operands, block);
  else
    cf::BranchOp::create(b, branch->getLoc(), block, operands);
  branch->erase();
}

bool forEachStraighter(ModuleOp module,
                       llvm::function_ref<bool(ModuleOp)> next) {
  for (size_t i = branchesOf(module).size(); i-- > 0;)
    for (unsigned successor : {1, 0}) {
      OwningOpRef<ModuleOp> straight = module.clone();
      straighten(branchesOf(*straight)[i], successor);
      ScopedDiagnosticHandler quiet(
          module.getContext(), [](mlir::Diagnostic &) { return success(); });
      if (succeeded(mlir::verify(*straight)) &&
          succeeded(canonicalize(*straight)) && next(*straight))
        return true;
    }
  return false;
}

} // namespace tilewright::verify
