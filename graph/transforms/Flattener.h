//===- Flattener.h - A function with less control flow ----------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_TRANSFORMS_FLATTENER_H
#define TILEWRIGHT_GRAPH_TRANSFORMS_FLATTENER_H

#include "graph/analysis/Blocks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include <string>

namespace tilewright::graph {

/// Writes the body of a function once more, with as little control flow as its
/// conditions and bounds allow; used once. What loops copy is folded, so that
/// inner bounds become constants.
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
  using SideBuilder = llvm::function_ref<mlir::FailureOr<Values>()>;

  mlir::LogicalResult emitOps(mlir::Block &block, mlir::IRMapping &mapping);
  mlir::LogicalResult emitOp(mlir::Operation &op, mlir::IRMapping &mapping);
  mlir::FailureOr<Values> emitBlock(mlir::Block &block,
                                    mlir::IRMapping &mapping,
                                    llvm::ArrayRef<mlir::Value> arguments);
  mlir::LogicalResult emitCopy(mlir::Operation &op, mlir::IRMapping &mapping);
  mlir::LogicalResult emitForall(mlir::scf::ForallOp op,
                                 mlir::IRMapping &mapping);
  mlir::LogicalResult emitPoint(mlir::scf::ForallOp op,
                                mlir::IRMapping &mapping,
                                llvm::ArrayRef<int64_t> point, Values &shared);
  mlir::LogicalResult emitIf(mlir::scf::IfOp op, mlir::IRMapping &mapping);
  mlir::LogicalResult emitSwitch(mlir::scf::IndexSwitchOp op,
                                 mlir::IRMapping &mapping);
  mlir::FailureOr<Values> emitCases(mlir::scf::IndexSwitchOp op,
                                    mlir::Value argument, unsigned number,
                                    mlir::IRMapping &mapping);
  mlir::FailureOr<Values> emitChosen(mlir::Operation *op, mlir::Region *region,
                                     mlir::IRMapping &mapping);
  Values select(mlir::Location loc, mlir::Value condition,
                llvm::ArrayRef<mlir::Value> yes,
                llvm::ArrayRef<mlir::Value> no);

  // Loops: unrolled, or kept where that is too much or not possible.
  mlir::LogicalResult emitFor(mlir::scf::ForOp op, mlir::IRMapping &mapping);
  mlir::LogicalResult unroll(mlir::scf::ForOp op,
                             llvm::ArrayRef<llvm::APInt> bounds,
                             mlir::IRMapping &mapping);
  mlir::LogicalResult emitWhile(mlir::scf::WhileOp op,
                                mlir::IRMapping &mapping);
  mlir::LogicalResult unroll(mlir::scf::WhileOp op, mlir::IRMapping &mapping);
  mlir::LogicalResult
  unrollOrKeep(mlir::Operation *op,
               llvm::function_ref<mlir::LogicalResult()> unrolls,
               llvm::function_ref<mlir::LogicalResult()> keeps);
  mlir::LogicalResult leave(mlir::Operation *op, const llvm::Twine &why);

  // What stays in the graph (KeepControlFlow.cpp).
  bool mayKeep(mlir::Operation *op) const;
  mlir::FailureOr<Values> emitBranch(mlir::Operation *op, mlir::Value condition,
                                     SideBuilder yes, SideBuilder no);
  Values keep(mlir::scf::IfOp branch, mlir::Value condition,
              llvm::ArrayRef<mlir::Value> yes, llvm::ArrayRef<mlir::Value> no,
              mlir::TypeRange outside);
  mlir::LogicalResult keep(mlir::scf::ForOp op, mlir::IRMapping &mapping);
  mlir::LogicalResult keep(mlir::scf::WhileOp op, mlir::IRMapping &mapping);
  mlir::LogicalResult copy(mlir::scf::WhileOp op, mlir::IRMapping &mapping);
  mlir::LogicalResult rotate(mlir::scf::WhileOp op, mlir::IRMapping &mapping);
  void emitDecision(mlir::scf::WhileOp loop, const LoopCondition &condition,
                    mlir::scf::WhileOp op, mlir::IRMapping &mapping);
  mlir::LogicalResult emitSelect(mlir::arith::SelectOp op,
                                 mlir::IRMapping &mapping);
  mlir::Value limitOf(mlir::Location loc, mlir::Value bound);
  mlir::Value sizeOf(mlir::Location loc, mlir::Value bound, int64_t least);
  mlir::Value conditionTensor(mlir::Location loc, mlir::Value condition);
  Values toTensors(mlir::Location loc, llvm::ArrayRef<mlir::Value> values,
                   llvm::ArrayRef<mlir::Type> types);
  Values fromTensors(mlir::Location loc, mlir::ValueRange values,
                     mlir::TypeRange types);

  mlir::OpBuilder builder;
  int64_t limit, count = 0;
  /// How many bodies of ops on tensors enclose the op: all their control flow
  /// becomes selects.
  unsigned bodies = 0;
  /// How many conditions, known only at run time, enclose the op in a body.
  unsigned conditions = 0;
  /// Why a loop is not unrolled to its end, and the op where this was found:
  /// an error unless an enclosing loop stays.
  mlir::Operation *leftAt = nullptr;
  std::string leftBecause;
};

/// Whether a select is one of the host: of what it reads, or between sizes or
/// tensors that may differ in size.
bool isChoiceOfHost(mlir::Operation *op);

/// Takes out what branches yield and loops carry though nobody reads it, or
/// though it is the same on both sides or in all iterations.
void simplifyRegions(mlir::func::FuncOp func);

/// The value of an integer or index that is a constant.
std::optional<llvm::APInt> constantOf(mlir::Value value);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_TRANSFORMS_FLATTENER_H
