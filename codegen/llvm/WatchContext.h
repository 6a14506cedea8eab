//===- WatchContext.h - A watch over passes and rewrites --------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_LLVM_WATCHCONTEXT_H
#define TILEWRIGHT_CODEGEN_LLVM_WATCHCONTEXT_H

#include "mlir/IR/Operation.h"
#include "tilewright/codegen/Watch.h"
#include "llvm/IR/Module.h"

namespace llvm {
class PassInstrumentationCallbacks;
} // namespace llvm

namespace tilewright {

/// Lets `watch` decide, as long as this lives, whether passes, rewrites and
/// lowerings of ops in `context` are carried out. What they leave behind after
/// a stop is still valid IR, to be thrown away. The context must belong to one
/// thread, and have no other handler of actions.
class WatchContext {
public:
  WatchContext(mlir::MLIRContext &context, Watch &watch);
  ~WatchContext();
  WatchContext(const WatchContext &) = delete;
  WatchContext &operator=(const WatchContext &) = delete;

private:
  mlir::MLIRContext &context;
};

/// Calls `lower`, unless the context's watch stopped: then fails.
mlir::LogicalResult
lowerWatched(mlir::Operation *op,
             llvm::function_ref<mlir::LogicalResult()> lower);

/// Lets `watch` decide whether LLVM's optional passes over `module` are run.
void watchPasses(llvm::PassInstrumentationCallbacks &callbacks,
                 const llvm::Module &module, Watch &watch);

/// Looks at the size of `module`; returns whether to go on.
bool allowModule(const llvm::Module &module, Watch &watch);

/// What Budget::memory counts.
int64_t bytesOf(mlir::Operation *root);
int64_t bytesOf(const llvm::Module &module);
/// What Budget::llvmIr counts.
int64_t instructionsOf(const llvm::Module &module);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_LLVM_WATCHCONTEXT_H
