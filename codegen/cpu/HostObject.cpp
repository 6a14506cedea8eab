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
                                       bool wantText) {
  mlir::TimingScope step = timing.nest("Translation to LLVM IR");
  Expected<std::unique_ptr<TargetMachine>> machine = createMachine(target);
  if (!machine)
    return machine.takeError();
  LLVMContext llvmContext;
  Expected<std::unique_ptr<Module>> translated =
      translate(module, llvmContext, **machine);
  if (!translated)
    return translated.takeError();
  Module &llvmModule = **translated;
  for (Function &function : llvmModule)
    if (!function.isDeclaration() && target.vectorBits == 512)
      function.addFnAttr("prefer-vector-width", "512");
  step = timing.nest("LLVM optimization");
  optimize(llvmModule, **machine);
  step = timing.nest("LLVM code generation");
  HostObject result;
  if (wantText) {
    raw_string_ostream(result.llvmIr) << llvmModule;
    auto copy = CloneModule(llvmModule);
    Expected<std::string> text =
        emitFile(*copy, **machine, CodeGenFileType::AssemblyFile);
    if (!text)
      return text.takeError();
    result.assembly = std::move(*text);
  }
  Expected<std::string> object =
      emitFile(llvmModule, **machine, CodeGenFileType::ObjectFile);
  if (!object)
    return object.takeError();
  result.object = std::move(*object);
  return result;
}

} // namespace tilewright::cpu
