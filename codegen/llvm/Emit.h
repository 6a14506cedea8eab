//===- Emit.h - LLVM modules: optimize, print -------------------*- C++ -*-===//
//
// What code generation for hosts and for GPUs shares once there is LLVM IR.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_LLVM_EMIT_H
#define TILEWRIGHT_CODEGEN_LLVM_EMIT_H

#include "codegen/llvm/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "tilewright/support/Status.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include <memory>
#include <string>

namespace llvm {
class Target;
class TargetMachine;
class Triple;
} // namespace llvm

namespace tilewright {

/// LLVM's code generator for `triple`. Its registry is a list without a lock,
/// so the first call registers all the code generators that Tilewright uses
/// (the host's and NVPTX); any thread may call this.
StatusOr<const llvm::Target *> findTarget(const llvm::Triple &triple);

/// Translates a module of the llvm dialect to LLVM IR for `machine`. The
/// context must outlive the result.
StatusOr<std::unique_ptr<llvm::Module>>
translate(mlir::ModuleOp module, llvm::LLVMContext &context,
          const llvm::TargetMachine &machine);

/// Runs LLVM's -O2 pipeline for `machine`, but for its vectorizers: code is
/// made of vectors already. Fails only where the control of `options` stopped.
Status optimize(llvm::Module &module, llvm::TargetMachine &machine,
                const TranslateOptions &options);

/// The module as an object or as assembly. It may change the module. Fails
/// where the control of `options` stopped.
StatusOr<std::string> emitFile(llvm::Module &module,
                               llvm::TargetMachine &machine,
                               llvm::CodeGenFileType type,
                               const TranslateOptions &options);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_LLVM_EMIT_H
