//===- HostObject.cpp - Host functions as a relocatable object ------------===//
#include "codegen/cpu/HostObject.h"

#include "codegen/llvm/Emit.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace tilewright::cpu {

static StatusOr<std::unique_ptr<llvm::TargetMachine>>
createMachine(const CpuTarget &target) {
  llvm::Triple triple(target.triple);
  TILEWRIGHT_ASSIGN_OR_RETURN(const llvm::Target *found, findTarget(triple));
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      triple, target.cpu, target.features, llvm::TargetOptions(),
      llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Default));
}

StatusOr<HostObject> translateToObject(mlir::ModuleOp module,
                                       const CpuTarget &target,
                                       mlir::TimingScope &timing,
                                       const TranslateOptions &options) {
  auto begin = [&](const char *phase) {
    if (options.control)
      options.control->beginPhase(phase);
  };
  begin("translate");
  mlir::TimingScope step = timing.nest("Translation to LLVM IR");
  TILEWRIGHT_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine,
                              createMachine(target));
  std::string errors;
  llvm::LLVMContext llvmContext;
  collectDiagnostics(llvmContext, errors, options.remarks);
  TILEWRIGHT_ASSIGN_OR_RETURN(std::unique_ptr<llvm::Module> translated,
                              translate(module, llvmContext, *machine));
  llvm::Module &llvmModule = *translated;
  for (llvm::Function &function : llvmModule)
    if (!function.isDeclaration() && target.vectorBits == 512)
      function.addFnAttr("prefer-vector-width", "512");
  step = timing.nest("LLVM optimization");
  begin("optimize");
  TILEWRIGHT_RETURN_IF_ERROR(optimize(llvmModule, *machine, options));
  step = timing.nest("LLVM code generation");
  begin("generate");
  HostObject result;
  if (options.wantText) {
    llvm::raw_string_ostream(result.llvmIr) << llvmModule;
    auto copy = CloneModule(llvmModule);
    TILEWRIGHT_ASSIGN_OR_RETURN(result.assembly,
                                emitFile(*copy, *machine,
                                         llvm::CodeGenFileType::AssemblyFile,
                                         options));
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      result.object, emitFile(llvmModule, *machine,
                              llvm::CodeGenFileType::ObjectFile, options));
  if (!errors.empty())
    return Status::internal(errors);
  return result;
}

} // namespace tilewright::cpu
