// The kernel that a thread is building: its IR, the insertion point, and its
// errors. Not for users.
#ifndef TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_KERNELBUILDER_H
#define TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_KERNELBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "tileir/authoring/construction/SecondTrace.h"
#include "tilewright/authoring/Kernel.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright::authoring {

/// Gives operations fast-math flags as they are inserted.
struct FlagOperations : mlir::OpBuilder::Listener {
  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint) override;
  mlir::arith::FastMathFlags flags = mlir::arith::FastMathFlags::none;
};

/// Appends operations to a kernel, until the first error. Handles.h,
/// Literals.h and Types.h have what they take.
class KernelBuilder {
public:
  KernelBuilder(const Bindings &bindings, const BuildOptions &options);
  ~KernelBuilder();
  KernelBuilder(const KernelBuilder &) = delete;
  KernelBuilder &operator=(const KernelBuilder &) = delete;

  /// That of this thread; null: none.
  static KernelBuilder *current();

  //===--- Errors ---------------------------------------------------------===//

  /// Records the first error.
  void error(const std::source_location &where, llvm::StringRef code,
             const llvm::Twine &message);
  [[nodiscard]] bool hasFailed() const { return !diagnostics.empty(); }

  //===--- Operations -----------------------------------------------------===//

  mlir::Location locationOf(const std::source_location &where);
  /// Appends an operation and verifies it; null where an error is recorded.
  template <class Op, class... A>
  Op create(const std::source_location &where, A &&...a) {
    if (hasFailed())
      return nullptr;
    auto op = Op::create(builder, locationOf(where), std::forward<A>(a)...);
    return checked(op) ? op : nullptr;
  }
  /// The same, but folded to a constant where possible; for operations with
  /// valid operands.
  template <class Op, class... A>
  mlir::Value createOrFold(const std::source_location &where, A &&...a) {
    if (hasFailed())
      return {};
    return builder.createOrFold<Op>(locationOf(where), std::forward<A>(a)...);
  }
  /// The operation without those that its regions hold.
  bool checked(mlir::Operation *op);

  /// Runs `body` with the insertion point in `block`.
  template <class F> auto within(mlir::Block *block, F body) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    return body();
  }

  //===--- The kernel -----------------------------------------------------===//

  mlir::MLIRContext context;
  /// Those of the FastMath that live.
  FlagOperations fastMath;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tile::KernelOp kernel;
  bool hasGrid = false;
  std::vector<Tunable> tunables;
  const Bindings &bindings;
  const BuildOptions options;
  /// At most one.
  std::vector<tilewright::Diagnostic> diagnostics;

  SecondTrace secondTrace;
  /// What the handles of its values name it by.
  const uint64_t id;

private:
  KernelBuilder *const outer;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tilewright::authoring

#endif // TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_KERNELBUILDER_H
