//===- HostObject.h - Host functions as a relocatable object ----*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_HOSTOBJECT_H
#define TILEWRIGHT_CODEGEN_CPU_HOSTOBJECT_H

#include "codegen/llvm/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/Timing.h"
#include "tilewright/codegen/CpuTarget.h"
#include "tilewright/support/Status.h"

namespace tilewright::cpu {

/// What translateToObject made.
struct HostObject {
  /// A position-independent relocatable ELF file.
  std::string object;
  /// LLVM IR and assembly, empty unless requested.
  std::string llvmIr, assembly;
};

/// Translates a module of the llvm dialect to LLVM IR, optimizes it (-O2) for
/// `target` and emits an object. Each of these is a timer in `timing`.
/// Thread-safe for distinct MLIR contexts. Fails where a control stopped.
StatusOr<HostObject> translateToObject(mlir::ModuleOp module,
                                       const CpuTarget &target,
                                       mlir::TimingScope &timing,
                                       const TranslateOptions &options = {});

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_HOSTOBJECT_H
