#include "codegen/llvm/LowerToLlvm.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_VERIFYLOOPSFORM
#include "codegen/llvm/Passes.h.inc"

static LogicalResult verifyOp(Operation *op) {
  static const llvm::StringSet<> dialects = {
      "builtin", "affine", "arith", "cf", "func",  "llvm",
      "math",    "nvvm",   "scf",   "ub", "vector"};
  if (!dialects.contains(op->getName().getDialectNamespace()))
    return op->emitError("expected loops, branches and arithmetic, found ")
           << op->getName();
  for (Type type : op->getResultTypes())
    if (isa<TensorType>(type))
      return op->emitError("expected scalars and vectors, found ") << type;
  return success();
}

namespace {
struct VerifyLoopsForm : impl::VerifyLoopsFormBase<VerifyLoopsForm> {
  using VerifyLoopsFormBase::VerifyLoopsFormBase;

  void runOnOperation() override {
    WalkResult walked = getOperation()->walk([](Operation *op) {
      return failed(verifyOp(op)) ? WalkResult::interrupt()
                                  : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

} // namespace tilewright
