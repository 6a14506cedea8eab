// Builds graph-level IR over symbolic sizes: what all that write it share.
#pragma once

#include "graph/build/EntryIndices.h"
#include "graph/build/Scalar.h"
#include "graph/build/Tensor.h"
#include "tilewright/support/Status.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace tilewright::build {

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;
using mlir::Value;

#define TILEWRIGHT_TRY_IMPL(RESULT, TARGET, ...)                               \
  auto RESULT = (__VA_ARGS__);                                                 \
  if (::mlir::failed(RESULT))                                                  \
    return ::mlir::failure();                                                  \
  TARGET = std::move(*RESULT)

/// Declares or assigns TARGET from an expression (a FailureOr), or returns
/// failure from the function: TRY(Tensor x, reshape(b, y, dims)). It is several
/// statements, so a branch or a loop around it needs braces.
#define TRY(TARGET, ...)                                                       \
  TILEWRIGHT_TRY_IMPL(TILEWRIGHT_CONCAT(tryResult, __COUNTER__), TARGET,       \
                      __VA_ARGS__)

/// A condition on sizes that is checked at run time.
struct Check {
  Expr size, expected;
  /// Whether `size` may be smaller.
  bool isLimit;
  std::string message;
};

/// One function under construction. What is written into it has headers of its
/// own: TensorValues.h, Constants.h, Checks.h, Generic.h, Broadcast.h,
/// Reduction.h, Movement.h, KnownTensor.h, Remedy.h. Functions that can fail
/// because of the model return FailureOr and leave one message in `error`.
class GraphBuilder {
public:
  /// `diagnostic` receives what the context's verifiers say.
  GraphBuilder(mlir::MLIRContext *context, mlir::func::FuncOp function,
               const std::string &diagnostic);

  LogicalResult fail(const llvm::Twine &message);
  /// Verifies the operations after `last` (null: all) in the block that is
  /// being written.
  LogicalResult verifyAfter(mlir::Operation *last);
  mlir::Operation *lastOperation() {
    mlir::Block *block = builder.getInsertionBlock();
    return block->empty() ? nullptr : &block->back();
  }
  /// A size as an index value: at the function's entry, one per expression, or
  /// where it is asked for, if it is known only in a region or behind a branch.
  Value index(Expr size) { return indices.of(size); }
  /// An affine expression of loop `i`.
  Expr loop(unsigned i) {
    return mlir::getAffineDimExpr(i, builder.getContext());
  }
  Expr zero() { return sizes.constant(0); }

  Sizes sizes;
  mlir::OpBuilder builder;
  mlir::Location loc;
  EntryIndices indices;
  std::string error;
  const std::string &diagnostic;
  /// What is to be checked at run time.
  std::vector<Check> checks;
  /// Divisors that must not be zero: each is required once.
  llvm::DenseSet<Value> requiredDivisors;
  /// How many regions are being written, one in another, and the memos that
  /// were made in them: see RegionScope.
  unsigned regionDepth = 0;
  struct Memo {
    Tensor owner;
    Value *place;
  };
  std::vector<Memo> memos;
  /// What the model calls its arguments.
  llvm::DenseMap<Value, std::string> argumentNames;
  /// The model's inputs that unknown elements come from, after an error.
  std::vector<std::string> unknownInputs;
  /// Those that what the host reads while it runs comes from (noteRead).
  std::vector<std::string> readInputs;
  /// Sizes of the loops of the generic whose body is being built.
  ArrayRef<Expr> loopExtents;
};

} // namespace tilewright::build
