//===- Emit.cpp - LLVM modules: optimize, print ---------------------------===//
#include "codegen/llvm/Emit.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace tilewright {

Expected<std::unique_ptr<Module>> translate(mlir::ModuleOp module,
                                            LLVMContext &context,
                                            const TargetMachine &machine) {
  std::unique_ptr<Module> translated =
      mlir::translateModuleToLLVMIR(module, context, "kernels");
  if (!translated)
    return createStringError("translation to LLVM IR failed");
  translated->setTargetTriple(machine.getTargetTriple());
  translated->setDataLayout(machine.createDataLayout());
  return translated;
}

void optimize(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2)
      .run(module, modules);
}

Expected<std::string> emitFile(Module &module, TargetMachine &machine,
                               CodeGenFileType type) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return createStringError("the target cannot emit this kind of file");
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

} // namespace tilewright
