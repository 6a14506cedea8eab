#include "verify/validate/Windows.h"

#include "graph/ir/Graph.h"
#include "graph/lowering/Program.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
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

using Window = llvm::SetVector<Operation *>;

/// The ops of a window, in no order: `end`, what is free, and other sources of
/// what they read for which `takes` is true.
static Window windowOf(Operation *end, function_ref<bool(Value)> takes) {
  Window window;
  window.insert(end);
  for (size_t i = 0; i < window.size(); ++i)
    for (Value read : readsOf(window[i])) {
      Operation *source = read.getDefiningOp();
      if (source && source->getBlock() == end->getBlock() &&
          !window.contains(source) && (isFree(source) || takes(read)))
        window.insert(source);
    }
  return window;
}

static Attribute nameOf(MLIRContext *context, StringRef kind, size_t number) {
  return StringAttr::get(context, (kind + Twine(number)).str());
}

/// A program of the window alone; what it reads are its arguments, in the order
/// of `inputs`.
static OwningOpRef<ModuleOp> programOf(func::FuncOp function,
                                       const Window &window, Operation *end,
                                       SmallVectorImpl<Value> &inputs) {
  OwningOpRef<ModuleOp> module =
      function->getParentOfType<ModuleOp>().cloneWithoutRegions();
  module->getBodyRegion().emplaceBlock();
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  llvm::SetVector<Value> reads;
  for (Operation *op : window)
    for (Value read : readsOf(op))
      if (!read.getDefiningOp() || !window.contains(read.getDefiningOp()))
        reads.insert(read);
  inputs = reads.takeVector();
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

OwningOpRef<ModuleOp> extractWindow(func::FuncOp function, Operation *end,
                                    unsigned count) {
  if (end->getNumResults() == 0 || end->getBlock() != &function.front() ||
      !llvm::all_of(end->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return {};
  const Window window =
      windowOf(end, [&](Value) { return count > 0 && count-- > 0; });
  if (window.size() + 1 >= function.front().getOperations().size())
    return {};
  SmallVector<Value> inputs;
  return programOf(function, window, end, inputs);
}

OwningOpRef<ModuleOp> extractPart(func::FuncOp function, Operation *end,
                                  function_ref<bool(Value)> isInput,
                                  SmallVectorImpl<Value> &inputs) {
  return programOf(function,
                   windowOf(end, [&](Value read) { return !isInput(read); }),
                   end, inputs);
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

} // namespace tilewright::verify
