//===- HostObject.cpp - Host functions as a relocatable object ------------===//
#include "codegen/cpu/HostObject.h"

#include "codegen/llvm/Emit.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <mutex>

using namespace llvm;

namespace tilewright::cpu {

static Expected<std::unique_ptr<TargetMachine>>
createMachine(const CpuTarget &target) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
  });
  std::string message;
  Triple triple(target.triple);
  const Target *found = TargetRegistry::lookupTarget(triple, message);
  if (!found)
    return createStringError("no code generator for %s: %s",
                             target.triple.c_str(), message.c_str());
  return std::unique_ptr<TargetMachine>(found->createTargetMachine(
      triple, target.cpu, target.features, TargetOptions(), Reloc::PIC_,
      CodeModel::Small, CodeGenOptLevel::Default));
}

Expected<HostObject> translateToObject(mlir::ModuleOp module,
                                       const CpuTarget &target,
                                       mlir::TimingScope &timing,
                                       const TranslateOptions &options) {
  auto begin = [&](const char *phase) {
    if (options.watch)
      options.watch->beginPhase(phase);
  };
  begin("translate");
  mlir::TimingScope step = timing.nest("Translation to LLVM IR");
  Expected<std::unique_ptr<TargetMachine>> machine = createMachine(target);
  if (!machine)
    return machine.takeError();
  std::string errors;
  LLVMContext llvmContext;
  collectFindings(llvmContext, errors, options.remarks);
  Expected<std::unique_ptr<Module>> translated =
      translate(module, llvmContext, **machine);
  if (!translated)
    return translated.takeError();
  Module &llvmModule = **translated;
  for (Function &function : llvmModule)
    if (!function.isDeclaration() && target.vectorBits == 512)
      function.addFnAttr("prefer-vector-width", "512");
  step = timing.nest("LLVM optimization");
  begin("optimize");
  if (Error error = optimize(llvmModule, **machine, options.watch))
    return error;
  step = timing.nest("LLVM code generation");
  begin("generate");
  HostObject result;
  if (options.wantText) {
    raw_string_ostream(result.llvmIr) << llvmModule;
    auto copy = CloneModule(llvmModule);
    Expected<std::string> text = emitFile(
        *copy, **machine, CodeGenFileType::AssemblyFile, options.watch);
    if (!text)
      return text.takeError();
    result.assembly = std::move(*text);
  }
  Expected<std::string> object = emitFile(
      llvmModule, **machine, CodeGenFileType::ObjectFile, options.watch);
  if (!object)
    return object.takeError();
  if (!errors.empty())
    return createStringError(errors);
  result.object = std::move(*object);
  return result;
}

} // namespace tilewright::cpu
