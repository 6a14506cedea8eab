//===- Emit.cpp - LLVM modules: optimize, print ---------------------------===//
#include "codegen/llvm/Emit.h"

#include "codegen/llvm/ControlContext.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
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

namespace {
/// Skips optional passes: those that are not wanted, and all once a control
/// stopped. Others are required.
class PassGate : public llvm::OptPassGate {
public:
  PassGate(llvm::LLVMContext &context, CompilationControl *control,
           const LlvmPassFilter &runsPass)
      : context(context), control(control), runsPass(runsPass) {
    context.setOptPassGate(*this);
  }
  ~PassGate() override { context.setOptPassGate(llvm::getGlobalPassGate()); }
  PassGate(const PassGate &) = delete;
  PassGate &operator=(const PassGate &) = delete;

  bool isEnabled() const override { return control || runsPass; }
  bool shouldRunPass(llvm::StringRef pass,
                     llvm::StringRef where) const override {
    return (!control || control->beginPass(pass)) &&
           (!runsPass || runsPass(pass, where));
  }

private:
  llvm::LLVMContext &context;
  CompilationControl *control;
  const LlvmPassFilter &runsPass;
};
} // namespace

Status optimize(llvm::Module &module, llvm::TargetMachine &machine,
                const TranslateOptions &options) {
  CompilationControl *control = options.control;
  llvm::PassInstrumentationCallbacks callbacks;
  const PassGate gate(module.getContext(), nullptr, options.runsPass);
  llvm::OptPassGateInstrumentation gated(module.getContext());
  gated.registerCallbacks(callbacks);
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

StatusOr<std::string> emitFile(llvm::Module &module,
                               llvm::TargetMachine &machine,
                               llvm::CodeGenFileType type,
                               const TranslateOptions &options) {
  const PassGate gate(module.getContext(), options.control, options.runsPass);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return Status::internal("the target cannot emit this kind of file");
  passes.run(module);
  if (options.control && !options.control->goOn())
    return stoppedStatus();
  return std::string(bytes.begin(), bytes.end());
}

} // namespace tilewright
