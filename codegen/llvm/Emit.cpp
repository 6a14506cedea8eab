//===- Emit.cpp - LLVM modules: optimize, print ---------------------------===//
#include "codegen/llvm/Emit.h"

#include "codegen/llvm/WatchContext.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace tilewright {

StatusOr<std::unique_ptr<Module>> translate(mlir::ModuleOp module,
                                            LLVMContext &context,
                                            const TargetMachine &machine) {
  std::unique_ptr<Module> translated =
      mlir::translateModuleToLLVMIR(module, context, "kernels");
  if (!translated)
    return Status::internal("translation to LLVM IR failed");
  translated->setTargetTriple(machine.getTargetTriple());
  translated->setDataLayout(machine.createDataLayout());
  return translated;
}

static Status stoppedStatus() { return Status::cancelled("stopped"); }

Status optimize(Module &module, TargetMachine &machine, Watch *watch) {
  PassInstrumentationCallbacks callbacks;
  if (watch) {
    if (!allowModule(module, *watch))
      return stoppedStatus();
    watchPasses(callbacks, module, *watch);
  }
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2)
      .run(module, modules);
  if (watch && watch->stopped())
    return stoppedStatus();
  return Status();
}

namespace {
/// Leaves out the optional passes of code generation once a watch stopped; the
/// others cannot be left out.
struct WatchGate : OptPassGate {
  explicit WatchGate(Watch &watch) : watch(watch) {}
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef pass, StringRef) const override {
    return watch.beginPass(pass);
  }
  Watch &watch;
};
} // namespace

StatusOr<std::string> emitFile(Module &module, TargetMachine &machine,
                               CodeGenFileType type, Watch *watch) {
  std::optional<WatchGate> gate;
  if (watch) {
    gate.emplace(*watch);
    module.getContext().setOptPassGate(*gate);
  }
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return Status::internal("the target cannot emit this kind of file");
  passes.run(module);
  if (watch) {
    module.getContext().setOptPassGate(getGlobalPassGate());
    if (!watch->goOn())
      return stoppedStatus();
  }
  return std::string(bytes.begin(), bytes.end());
}

} // namespace tilewright
