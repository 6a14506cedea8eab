// Bodies that run more than once. Not for users.
#ifndef TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_SECONDTRACE_H
#define TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_SECONDTRACE_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"

namespace tilewright::authoring {

/// Runs bodies a second time. The device runs a user's body repeatedly, but
/// here it ran once: a C++ variable that the body reads and then assigns would
/// keep its old value for all iterations. In the second run it has a value of
/// the first, which is an error where it is read.
class SecondTrace {
public:
  /// Runs `trace`, which appended `first`, again, and discards the result.
  /// Nothing where `first` is null after an error, or within a second run.
  template <class F> void run(mlir::Operation *first, F trace) {
    if (!first || isRunning())
      return;
    before = first;
    if (mlir::Operation *second = trace())
      discard(second);
    before = nullptr;
  }
  [[nodiscard]] bool isRunning() const { return before; }
  /// Whether the first run of the body that runs now appended `op`.
  [[nodiscard]] bool hasFirst(mlir::Operation *op) const {
    return before && before->isAncestor(op);
  }

private:
  /// Takes the operation out of the kernel. It lives on: handles point into it.
  void discard(mlir::Operation *op) {
    if (discarded.empty())
      discarded.emplaceBlock();
    op->dropAllReferences();
    op->moveBefore(&discarded.front(), discarded.front().end());
  }

  /// What the body appended the first time; null: no body runs again.
  mlir::Operation *before = nullptr;
  /// Operations that are no longer in the kernel.
  mlir::Region discarded;
};

} // namespace tilewright::authoring

#endif // TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_SECONDTRACE_H
