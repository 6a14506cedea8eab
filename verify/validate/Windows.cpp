#include "verify/validate/Windows.h"

#include "graph/ir/Graph.h"
#include "graph/lowering/Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tilewright/mlir/Tile.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright::verify {

//===--- Windows of a graph -----------------------------------------------===//

/// All values that an op and its regions read from outside of it.
static SmallVector<Value> readsOf(Operation *op) {
  llvm::SetVector<Value> reads;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (operand.getParentRegion()->isProperAncestor(
              inner->getParentRegion()) ||
          inner == op)
        if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
          reads.insert(operand);
  });
  return reads.takeVector();
}

/// Constants, sizes, and tensors without content.
static bool isFree(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op) ||
         (op->getNumResults() == 1 && op->getNumRegions() == 0 &&
          op->getResult(0).getType().isIndex());
}

/// The ops of a window, in no order.
static llvm::SetVector<Operation *> windowOf(Operation *end, unsigned count) {
  llvm::SetVector<Operation *> window;
  window.insert(end);
  for (size_t i = 0; i < window.size(); ++i)
    for (Value read : readsOf(window[i])) {
      Operation *source = read.getDefiningOp();
      if (!source || source->getBlock() != end->getBlock())
        continue;
      if (isFree(source))
        window.insert(source);
      else if (count > 0 && window.insert(source))
        --count;
    }
  return window;
}

static Attribute nameOf(MLIRContext *context, StringRef kind, size_t number) {
  return StringAttr::get(context, (kind + Twine(number)).str());
}

OwningOpRef<ModuleOp> extractWindow(func::FuncOp function, Operation *end,
                                    unsigned count) {
  if (end->getNumResults() == 0 || end->getBlock() != &function.front() ||
      !llvm::all_of(end->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return {};
  const llvm::SetVector<Operation *> window = windowOf(end, count);
  if (window.size() + 1 >= function.front().getOperations().size())
    return {};
  OwningOpRef<ModuleOp> module =
      function->getParentOfType<ModuleOp>().cloneWithoutRegions();
  module->getBodyRegion().emplaceBlock();
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  llvm::SetVector<Value> inputs;
  for (Operation *op : window)
    for (Value read : readsOf(op))
      if (!read.getDefiningOp() || !window.contains(read.getDefiningOp()))
        inputs.insert(read);
  SmallVector<Type> types(
      llvm::map_range(inputs, [](Value value) { return value.getType(); }));
  auto own =
      func::FuncOp::create(b, function.getLoc(), function.getSymName(),
                           b.getFunctionType(types, end->getResultTypes()));
  Block *body = own.addEntryBlock();
  IRMapping mapping;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    mapping.map(input, body->getArgument(i));
    own.setArgAttr(i, "graph.name", nameOf(b.getContext(), "in", i));
  }
  b.setInsertionPointToEnd(body);
  for (Operation &op : function.front())
    if (window.contains(&op))
      b.clone(op, mapping);
  for (unsigned i = 0; i < end->getNumResults(); ++i)
    own.setResultAttr(i, "graph.name", nameOf(b.getContext(), "out", i));
  SmallVector<Value> results;
  for (Value result : end->getResults())
    results.push_back(mapping.lookup(result));
  func::ReturnOp::create(b, end->getLoc(), results);
  return module;
}

//===--- Kernels ----------------------------------------------------------===//

static StringRef nameOfKernel(ModuleOp code) {
  return code.getSymName().value_or("");
}

/// A program of the kernel of that name alone.
static OwningOpRef<ModuleOp> programOfKernel(ModuleOp module, StringRef name) {
  OwningOpRef<ModuleOp> own = module.clone();
  for (Operation &op : llvm::make_early_inc_range(*own->getBody())) {
    if (isa<func::FuncOp>(op)) {
      op.erase();
    } else if (isa<graph::CpuCodeOp, graph::GpuCodeOp>(op)) {
      for (auto code : llvm::make_early_inc_range(
               op.getRegion(0).front().getOps<ModuleOp>()))
        if (nameOfKernel(code) != name)
          code.erase();
    } else if (auto kernels = dyn_cast<ModuleOp>(op)) {
      for (auto kernel :
           llvm::make_early_inc_range(kernels.getOps<tile::KernelOp>()))
        if (kernel.getSymName() != name)
          kernel.erase();
      if (kernels.getOps<tile::KernelOp>().empty())
        kernels.erase();
    }
  }
  return own;
}

std::vector<OwningOpRef<ModuleOp>> extractKernels(ModuleOp module) {
  std::vector<OwningOpRef<ModuleOp>> programs;
  llvm::SetVector<StringRef> names;
  for (Operation &op : *module.getBody())
    if (isa<graph::CpuCodeOp, graph::GpuCodeOp>(op))
      for (auto code : op.getRegion(0).front().getOps<ModuleOp>())
        names.insert(nameOfKernel(code));
  if (module.getOps<func::FuncOp>().empty() && names.size() < 2)
    return programs;
  for (StringRef name : names)
    programs.push_back(programOfKernel(module, name));
  return programs;
}

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

OwningOpRef<ModuleOp> foldProgram(ModuleOp module) {
  OwningOpRef<ModuleOp> folded = module.clone();
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  PassManager passes(module.getContext());
  // A loop without an end may be folded without an end.
  passes.addPass(createCanonicalizerPass(
      GreedyRewriteConfig().setMaxIterations(4).setMaxNumRewrites(20'000)));
  if (failed(passes.run(*folded)) ||
      removableOps(*folded).size() >= removableOps(module).size())
    return {};
  return folded;
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
      ScopedDiagnosticHandler quiet(module.getContext(),
                                    [](Diagnostic &) { return success(); });
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

} // namespace tilewright::verify
