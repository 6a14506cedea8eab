// The ops of a model that may compute with less precision, and the model with
// some of them doing so.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "verify/numerics/OpPrecision.h"
#include <string>

namespace tilewright::verify {

/// One op, or those of one node of the model.
struct LowerableOp {
  /// That of its node, or "linalg.matmul:12".
  std::string name;
  /// The names of its ops, by comma.
  std::string op;
};

/// A copy of a graph that knows which of its ops a precision changes.
class LowerableOps {
public:
  LowerableOps(mlir::func::FuncOp function, OpPrecision precision);

  [[nodiscard]] const std::vector<LowerableOp> &ops() const { return found; }

  enum class Others : uint8_t {
    /// As in the model.
    same,
    /// In f64, without a rounding to their types.
    wide
  };
  /// The graph, as a function of the same name in a module of its own, in which
  /// the ops with true in `lowered` have the precision, made of explicit casts.
  /// Fails with an error at an op that has no meaning in f64.
  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
  make(const std::vector<bool> &lowered, Others others);
  [[nodiscard]] llvm::StringRef functionName() const { return name; }

private:
  const std::string name;
  const OpPrecision precision;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<LowerableOp> found;
};

/// The attribute of an op that says which of `LowerableOps::ops` it is part of.
inline constexpr llvm::StringLiteral lowerableAttr = "verify.lowerable";
/// And which of its operands and results were f32.
inline constexpr llvm::StringLiteral lowerableOperandsAttr = "verify.operands";
inline constexpr llvm::StringLiteral lowerableResultsAttr = "verify.results";
/// Of an op that only adds products of two tensors of f32, so that a matrix
/// unit may compute it.
inline constexpr llvm::StringLiteral lowerableProductAttr = "verify.product";

/// Makes casts of the precision explicit at the ops that are `lowered`.
void lowerPrecision(mlir::ModuleOp module, OpPrecision precision,
                    const std::vector<bool> &lowered);

} // namespace tilewright::verify
