//===- Emit.cpp - LLVM modules: optimize, print ---------------------------===//
#include "codegen/llvm/Emit.h"

#include "codegen/llvm/ControlContext.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

namespace tilewright {

StatusOr<const llvm::Target *> findTarget(const llvm::Triple &triple) {
  static std::once_flag registered;
  std::call_once(registered, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string message;
  const llvm::Target *found =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!found)
    return Status::unsupported("no code generator for " + triple.str() + ": " +
                               message);
  return found;
}

StatusOr<std::unique_ptr<llvm::Module>>
translate(mlir::ModuleOp module, llvm::LLVMContext &context,
          const llvm::TargetMachine &machine) {
  std::unique_ptr<llvm::Module> translated =
      mlir::translateModuleToLLVMIR(module, context, "kernels");
  if (!translated)
    return Status::internal("translation to LLVM IR failed");
  translated->setTargetTriple(machine.getTargetTriple());
  translated->setDataLayout(machine.createDataLayout());
  return translated;
}

static Status stoppedStatus() { return Status::cancelled("stopped"); }

Status optimize(llvm::Module &module, llvm::TargetMachine &machine,
                CompilationControl *control) {
  llvm::PassInstrumentationCallbacks callbacks;
  if (control) {
    if (!allowModule(module, *control))
      return stoppedStatus();
    controlPasses(callbacks, module, *control);
  }
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
  if (control && control->stopped())
    return stoppedStatus();
  return Status();
}

namespace {
/// Skips the optional passes of code generation once a control stopped; the
/// others are required.
struct ControlGate : llvm::OptPassGate {
  explicit ControlGate(CompilationControl &control) : control(control) {}
  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override {
    return control.beginPass(pass);
  }
  CompilationControl &control;
};
} // namespace

StatusOr<std::string> emitFile(llvm::Module &module,
                               llvm::TargetMachine &machine,
                               llvm::CodeGenFileType type,
                               CompilationControl *control) {
  std::optional<ControlGate> gate;
  if (control) {
    gate.emplace(*control);
    module.getContext().setOptPassGate(*gate);
  }
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return Status::internal("the target cannot emit this kind of file");
  passes.run(module);
  if (control) {
    module.getContext().setOptPassGate(llvm::getGlobalPassGate());
    if (!control->goOn())
      return stoppedStatus();
  }
  return std::string(bytes.begin(), bytes.end());
}

} // namespace tilewright
