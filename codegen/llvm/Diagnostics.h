//===- Diagnostics.h - What LLVM has to say of a module ---------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_LLVM_DIAGNOSTICS_H
#define TILEWRIGHT_CODEGEN_LLVM_DIAGNOSTICS_H

#include "tilewright/codegen/CompilationControl.h"
#include "tilewright/manifest/Remark.h"
#include "llvm/IR/LLVMContext.h"
#include <string>
#include <vector>

namespace tilewright {

/// What is wanted of a translation by LLVM besides the code.
struct TranslateOptions {
  /// Fill in the LLVM IR, and the assembly of an object.
  bool wantText = false;
  /// Where it stops, translation fails; null if nothing may stop it.
  CompilationControl *control = nullptr;
  /// Where LLVM's remarks go; null if they are not wanted.
  std::vector<Remark> *remarks = nullptr;
  /// Which of LLVM's optional passes run; null: all.
  LlvmPassFilter runsPass = {};
};

/// Appends the errors of code generation to `errors`, a line each; LLVM would
/// print them and exit. Each function that spills registers gets a remark
/// `spills` in `remarks`, if that is not null. Both must outlive the context.
void collectDiagnostics(llvm::LLVMContext &context, std::string &errors,
                        std::vector<Remark> *remarks);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_LLVM_DIAGNOSTICS_H
