//===- Flattener.h - A block without control flow ----------------*- C++
//-*-===//
#ifndef TILEWRIGHT_GRAPH_TRANSFORMS_FLATTENER_H
#define TILEWRIGHT_GRAPH_TRANSFORMS_FLATTENER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright::graph {

/// Writes the body of a function once more, without its control flow; used
/// once. What loops copy is folded, so that inner bounds become constants.
class Flattener {
public:
  /// `limit`: how many ops may come out.
  Flattener(mlir::MLIRContext *context, int64_t limit)
      : builder(context), limit(limit) {}

  /// Replaces the only block of `func`. On failure, with an error at the op,
  /// the function is as it was.
  mlir::LogicalResult run(mlir::func::FuncOp func);

private:
  using Values = llvm::SmallVector<mlir::Value>;

  mlir::LogicalResult emitOps(mlir::Block &block, mlir::IRMapping &mapping);
  mlir::LogicalResult emitOp(mlir::Operation &op, mlir::IRMapping &mapping);
  mlir::FailureOr<Values> emitBlock(mlir::Block &block,
                                    mlir::IRMapping &mapping,
                                    llvm::ArrayRef<mlir::Value> arguments);
  mlir::LogicalResult emitCopy(mlir::Operation &op, mlir::IRMapping &mapping);
  mlir::LogicalResult emitFor(mlir::scf::ForOp op, mlir::IRMapping &mapping);
  mlir::LogicalResult emitWhile(mlir::scf::WhileOp op,
                                mlir::IRMapping &mapping);
  mlir::LogicalResult emitForall(mlir::scf::ForallOp op,
                                 mlir::IRMapping &mapping);
  mlir::LogicalResult emitPoint(mlir::scf::ForallOp op,
                                mlir::IRMapping &mapping,
                                llvm::ArrayRef<int64_t> point, Values &shared);
  mlir::LogicalResult emitIf(mlir::scf::IfOp op, mlir::IRMapping &mapping);
  mlir::LogicalResult emitSwitch(mlir::scf::IndexSwitchOp op,
                                 mlir::IRMapping &mapping);
  mlir::FailureOr<Values> emitChosen(mlir::Operation *op, mlir::Region *region,
                                     mlir::IRMapping &mapping);
  Values select(mlir::Location loc, mlir::Value condition,
                llvm::ArrayRef<mlir::Value> yes,
                llvm::ArrayRef<mlir::Value> no);

  mlir::OpBuilder builder;
  int64_t limit, count = 0;
  /// How many conditions, known only at run time, enclose the op.
  unsigned conditions = 0;
};

/// The value of an integer or index that is a constant.
std::optional<llvm::APInt> constantOf(mlir::Value value);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_TRANSFORMS_FLATTENER_H
