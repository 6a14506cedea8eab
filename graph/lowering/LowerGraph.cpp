//===- LowerGraph.cpp - A graph function as tile kernels and steps --------===//
#include "graph/lowering/LowerGraph.h"

#include "graph/ir/Graph.h"
#include "graph/lowering/CollectChecks.h"
#include "graph/lowering/PrepareGraph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright::graph {

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
  GraphLowering(GraphProgram &program, ArrayRef<TileLimits> limits,
                const ChooseCut &choose)
      : program(program), limits(limits), choose(choose) {}

  LogicalResult run() {
    for (const Group &group : program.groups) {
      if (llvm::all_of(group.last->getResultTypes(), isEmpty))
        continue; // nothing to compute
      if (group.isGiven) {
        launchGiven(group);
        continue;
      }
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
  FailureOr<EmittedKernel> emit(const Group &group, unsigned part,
                                size_t variant, StringRef name,
                                const CutValues &cut,
                                ArrayRef<KernelArgument> arguments) {
    auto builder = OpBuilder::atBlockEnd(program.kernels[variant]->getBody());
    KernelEmitter emitter(builder, program.shapes, group, limits[variant]);
    emitter.declare(arguments);
    return group.isConcat ? emitter.emitConcat(name, part)
                          : emitter.emit(name, cut);
  }

  /// What is chosen for the group, under each of the limits.
  FailureOr<std::vector<GroupChoice>> chooseAll(const Group &group) {
    std::vector<GroupChoice> choices(limits.size());
    if (!choose || group.isConcat)
      return choices;
    for (size_t variant = 0; variant < limits.size(); ++variant) {
      FailureOr<GroupChoice> choice = choose(group, program.shapes, variant);
      if (failed(choice))
        return failure();
      choices[variant] = std::move(*choice);
    }
    return choices;
  }

  /// Emits the kernels of one step, again with all arguments until none of
  /// them wants more.
  FailureOr<SmallVector<EmittedKernel>>
  emitAll(const Group &group, unsigned part, StringRef name,
          const std::vector<GroupChoice> &choices) {
    std::vector<KernelArgument> arguments;
    while (true) {
      SmallVector<EmittedKernel> kernels;
      bool grew = false;
      for (size_t variant = 0; variant < limits.size(); ++variant) {
        FailureOr<EmittedKernel> kernel =
            emit(group, part, variant, name, choices[variant].cut, arguments);
        if (failed(kernel))
          return failure();
        grew |= variant > 0 && kernel->arguments != arguments;
        arguments = kernel->arguments;
        kernels.push_back(std::move(*kernel));
      }
      if (!grew)
        return kernels;
      for (EmittedKernel &kernel : kernels)
        kernel.kernel.erase();
    }
  }

  /// The launch of a kernel that the user gave: inputs, then results.
  void launchGiven(const Group &group) {
    auto op = cast<ReplacedOp>(group.last);
    GraphStep step{op.getKernel().str(),
                   {},
                   static_cast<unsigned>(op.getInputs().size()),
                   op.getNumResults(),
                   llvm::join(nodesOf(group), " + ")};
    for (Value tensor : op.getInputs())
      step.arguments.push_back({tensor, {}});
    for (Value tensor : op.getResults())
      step.arguments.push_back({tensor, {}});
    program.steps.push_back(std::move(step));
  }

  LogicalResult lower(const Group &group, unsigned part) {
    std::string name = kernelName(group, program.steps.size());
    FailureOr<std::vector<GroupChoice>> choices = chooseAll(group);
    if (failed(choices))
      return failure();
    FailureOr<SmallVector<EmittedKernel>> emitted =
        emitAll(group, part, name, *choices);
    if (failed(emitted))
      return failure();
    std::string text;
    for (auto [kernel, choice] : llvm::zip(*emitted, *choices))
      text += kernelText(kernel.kernel) + choice.schedule + "\n";
    auto [known, isNew] = byText.try_emplace(text, name);
    if (isNew)
      record(name, *choices);
    else
      for (EmittedKernel &kernel : *emitted)
        kernel.kernel.erase();
    program.steps.push_back({known->second,
                             std::move(emitted->front().arguments),
                             group.isConcat ? 1u : 0u,
                             static_cast<unsigned>(group.results().size()),
                             llvm::join(nodesOf(group), " + ")});
    return success();
  }

  void record(const std::string &name,
              const std::vector<GroupChoice> &choices) {
    for (auto [known, choice] : llvm::zip(program.choices, choices))
      known[name] = choice;
  }

  GraphProgram &program;
  ArrayRef<TileLimits> limits;
  const ChooseCut &choose;
  llvm::StringMap<std::string> byText;
};
} // namespace

bool isEmpty(Type tensor) {
  return llvm::is_contained(cast<RankedTensorType>(tensor).getShape(), 0);
}

FailureOr<GraphProgram> lowerGraph(ModuleOp module, ArrayRef<TileLimits> limits,
                                   const ChooseCut &choose) {
  MLIRContext *context = module.getContext();
  context
      ->loadDialect<tile::TileDialect, scf::SCFDialect, arith::ArithDialect>();
  FailureOr<func::FuncOp> prepared = prepareGraph(module);
  if (failed(prepared))
    return failure();
  func::FuncOp func = *prepared;
  GraphProgram program{func, SymbolicShapes(func), {}, {},
                       {},   formGroups(func),     {}};
  for (size_t i = 0; i < limits.size(); ++i)
    program.kernels.push_back(ModuleOp::create(module.getLoc()));
  program.choices.resize(limits.size());
  if (failed(collectChecks(func, program.shapes, program.checks)))
    return failure();
  if (failed(GraphLowering(program, limits, choose).run()))
    return failure();
  return program;
}

} // namespace tilewright::graph
