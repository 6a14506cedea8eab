//===- ControlContext.h - A control over passes and rewrites ----*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_LLVM_CONTROLCONTEXT_H
#define TILEWRIGHT_CODEGEN_LLVM_CONTROLCONTEXT_H

#include "mlir/IR/Operation.h"
#include "tilewright/codegen/CompilationControl.h"
#include "llvm/IR/Module.h"

namespace llvm {
class PassInstrumentationCallbacks;
} // namespace llvm

namespace tilewright {

/// While this lives, `control` decides whether passes, rewrites and lowerings
/// of ops in `context` run. After a stop the IR is still valid, but to be
/// thrown away. Passes may run on the context's threads unless `control` counts
/// memory. The context must have no other handler of actions.
class ControlContext {
public:
  ControlContext(mlir::MLIRContext &context, CompilationControl &control);
  ~ControlContext();
  ControlContext(const ControlContext &) = delete;
  ControlContext &operator=(const ControlContext &) = delete;

private:
  mlir::MLIRContext &context;
};

/// Calls `lower`, unless the context's control stopped: then fails.
mlir::LogicalResult
lowerControlled(mlir::Operation *op,
                llvm::function_ref<mlir::LogicalResult()> lower);

/// Lets `control` decide whether LLVM's optional passes over `module` are run.
void controlPasses(llvm::PassInstrumentationCallbacks &callbacks,
                   const llvm::Module &module, CompilationControl &control);

/// Looks at the size of `module`; returns whether to go on.
bool allowModule(const llvm::Module &module, CompilationControl &control);

/// What Budget::memory counts.
int64_t bytesOf(mlir::Operation *root);
int64_t bytesOf(const llvm::Module &module);
/// What Budget::llvmIr counts.
int64_t instructionsOf(const llvm::Module &module);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_LLVM_CONTROLCONTEXT_H
