// The kernel that a thread is building: its IR, the insertion point, and its
// errors. Not for users.
#ifndef TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_KERNELBUILDER_H
#define TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_KERNELBUILDER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "tilewright/authoring/Kernel.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright::authoring {

/// "64x32"; "no dimensions".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

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

  //===--- Values ---------------------------------------------------------===//

  /// The value of a handle; null where there is an error, now or before: it is
  /// empty, belongs to another kernel, or to a body that has ended.
  mlir::Value valueOf(detail::Handle handle, const std::source_location &where);
  detail::Handle handleOf(mlir::Value value) const {
    return {value.getAsOpaquePointer(), value ? id : 0};
  }
  detail::Handles handlesOf(mlir::ValueRange values) const;
  /// False where one is null.
  bool valuesOf(const detail::Handles &handles,
                const std::source_location &where,
                llvm::SmallVectorImpl<mlir::Value> &values);

  //===--- Types ----------------------------------------------------------===//

  mlir::Type typeOf(authoring::ElementType type);
  /// Null and an error where a size is below 1 or the tile is too large.
  mlir::RankedTensorType tileType(detail::Sizes shape, mlir::Type element,
                                  const std::source_location &where);
  /// Counts a negative axis from the end: -1 is the last dimension. An error
  /// where the tile has no such dimension.
  bool checkAxis(llvm::StringRef name, int &axis, mlir::Value tile,
                 const std::source_location &where);
  mlir::Location locationOf(const std::source_location &where);

  //===--- Operations -----------------------------------------------------===//

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

  /// A number as an element of `type`; null and an error where it does not fit.
  mlir::TypedAttr numberOf(const detail::Literal &literal, mlir::Type type,
                           bool isSigned, const std::source_location &where);
  mlir::Value constant(const detail::Literal &literal, mlir::Type type,
                       bool isSigned, const std::source_location &where);
  /// A scalar operand as a value.
  mlir::Value scalar(const detail::Operand &operand, mlir::Type type,
                     bool isSigned);
  mlir::Value index(const detail::Operand &operand);

  /// Runs `body` with the insertion point in `block`.
  template <class F> auto within(mlir::Block *block, F body) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    return body();
  }

  //===--- Bodies that run more than once ---------------------------------===//

  /// Runs `trace`, which appended `first`, a second time, and discards the
  /// result. `first` runs a user's body repeatedly on the device, but here it
  /// ran once: a C++ variable that the body reads and then assigns would keep
  /// its old value for all iterations. In the second run it has a value of the
  /// first, which is an error where it is read.
  template <class F> void traceAgain(mlir::Operation *first, F trace) {
    if (!first || hasFailed() || isTracedAgain())
      return;
    tracedBefore = first;
    if (mlir::Operation *second = trace())
      discard(second);
    tracedBefore = nullptr;
  }
  [[nodiscard]] bool isTracedAgain() const { return tracedBefore; }

  //===--- The kernel -----------------------------------------------------===//

  void begin(llvm::StringRef name,
             const std::vector<detail::ParameterType> &parameters,
             const std::source_location &where);
  /// Checks and canonicalizes the whole kernel, which was declared at `where`.
  void finish(const std::source_location &where);

  mlir::MLIRContext context;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tile::KernelOp kernel;
  bool hasGrid = false;
  std::vector<Tunable> tunables;
  const Bindings &bindings;
  const BuildOptions options;
  /// At most one.
  std::vector<tilewright::Diagnostic> diagnostics;

private:
  mlir::Type parameterType(const detail::ParameterType &parameter);
  void checkBindings(const std::source_location &where);
  /// Takes the operation out of the kernel. It lives on: handles point into it.
  void discard(mlir::Operation *op);

  /// What the body that runs for the second time appended the first time.
  mlir::Operation *tracedBefore = nullptr;
  /// Operations that are no longer in the kernel.
  mlir::Region discarded;
  const uint64_t id;
  KernelBuilder *const outer;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tilewright::authoring

#endif // TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_KERNELBUILDER_H
