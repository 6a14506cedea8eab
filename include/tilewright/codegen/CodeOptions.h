//===- CodeOptions.h - How kernels become code ------------------*- C++ -*-===//
//
// Plain data, but for a question. Includes neither MLIR nor LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_CODEOPTIONS_H
#define TILEWRIGHT_CODEGEN_CODEOPTIONS_H

#include "tilewright/codegen/CompilationControl.h"
#include <string>

namespace tilewright {

/// What is asked of the code of a kernel, or of all kernels of a model.
struct CodeOptions {
  /// Whether a false tile.assert ends the launch, which then fails with the
  /// message; else it goes unnoticed.
  bool assertions = true;
  /// MLIR's fast-math flags for all ops of floats, with commas:
  /// "contract,arcp,afn". docs/spec.md says what they allow. Empty: those that
  /// the ops have.
  std::string fastMath = {};
  /// For a GPU: map each PTX instruction to its source line.
  bool lineInfo = false;
  /// Check the IR after each pass, and at the end of each stage the form that
  /// the next one relies on. A fault found is ours. The cache is not used.
  bool verifyEach = false;
  /// For a GPU: fill in the bytecode of each image, or of the report. The cache
  /// is not used.
  bool wantBytecode = false;
  /// Asked before each of LLVM's optional passes, from the threads that
  /// compile: a wrong one is found so, as by LLVM's -opt-bisect-limit. Null:
  /// all run. The cache is not used.
  LlvmPassFilter runsLlvmPass = {};
  /// Limits for each kernel. The defaults for memory and LLVM IR exceed the
  /// needs of any reasonable kernel.
  Budget budget = {};
};

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_CODEOPTIONS_H
