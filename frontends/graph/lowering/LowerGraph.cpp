//===- LowerGraph.cpp - A graph function as tile kernels and steps --------===//
#include "frontends/graph/lowering/LowerGraph.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright::graph {

/// "Conv_3 + Relu_4": the nodes of a group, each once, in program order.
static std::string labelOf(const Group &group) {
  SmallVector<std::string> names;
  for (Operation *op : group.ops) {
    if (isa<linalg::FillOp>(op))
      continue;
    std::string name = describeOp(op);
    if (!llvm::is_contained(names, name))
      names.push_back(name);
  }
  return llvm::join(names, " + ");
}

/// An identifier that says what the kernel is for.
static std::string kernelName(const Group &group, unsigned number) {
  Operation *main = group.root ? group.root : group.last;
  std::string name = "k" + std::to_string(number) + "_";
  for (char c : describeOp(main))
    name += llvm::isAlnum(c) ? c : '_';
  return name.substr(0, 60);
}

/// The text of a kernel without its name: equal texts are equal kernels.
static std::string kernelText(tile::KernelOp kernel) {
  std::string name = kernel.getSymName().str(), text;
  kernel.setSymName("kernel");
  llvm::raw_string_ostream stream(text);
  kernel->print(stream, OpPrintingFlags().useLocalScope());
  kernel.setSymName(name);
  return text;
}

namespace {
class GraphLowering {
public:
  GraphLowering(GraphProgram &program, const TileLimits &limits)
      : program(program), limits(limits) {}

  LogicalResult run() {
    for (const Group &group : program.groups) {
      auto type = cast<RankedTensorType>(group.result().getType());
      if (llvm::is_contained(type.getShape(), 0))
        continue; // nothing to compute
      unsigned parts = 1;
      if (group.isConcat)
        parts = cast<tensor::ConcatOp>(group.last).getInputs().size();
      for (unsigned part = 0; part < parts; ++part)
        if (failed(lower(group, part)))
          return failure();
    }
    return success();
  }

private:
  LogicalResult lower(const Group &group, unsigned part) {
    auto builder = OpBuilder::atBlockEnd(program.kernels->getBody());
    KernelEmitter emitter(builder, program.shapes, group, limits);
    std::string name = kernelName(group, program.steps.size());
    FailureOr<EmittedKernel> emitted =
        group.isConcat ? emitter.emitConcat(name, part) : emitter.emit(name);
    if (failed(emitted))
      return failure();
    auto [known, isNew] = byText.try_emplace(kernelText(emitted->kernel), name);
    if (!isNew)
      emitted->kernel.erase();
    program.steps.push_back({known->second, std::move(emitted->arguments),
                             group.isConcat ? 1u : 0u, labelOf(group)});
    return success();
  }

  GraphProgram &program;
  const TileLimits &limits;
  llvm::StringMap<std::string> byText;
};
} // namespace

FailureOr<GraphProgram> lowerGraph(ModuleOp module, const TileLimits &limits) {
  MLIRContext *context = module.getContext();
  context
      ->loadDialect<tile::TileDialect, scf::SCFDialect, arith::ArithDialect>();
  PassManager prepare(context);
  prepare.addPass(createCSEPass());
  prepare.addPass(createRemoveDeadValuesPass());
  if (failed(prepare.run(module)))
    return failure();
  auto functions = module.getOps<func::FuncOp>();
  if (!llvm::hasSingleElement(functions) ||
      !llvm::hasSingleElement((*functions.begin()).getBody()))
    return module.emitError("expected one function with one block");
  func::FuncOp func = *functions.begin();
  GraphProgram program{func,
                       SymbolicShapes(func),
                       ModuleOp::create(module.getLoc()),
                       {},
                       formGroups(func)};
  if (failed(GraphLowering(program, limits).run()))
    return failure();
  return program;
}

} // namespace tilewright::graph
