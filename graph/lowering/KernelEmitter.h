//===- KernelEmitter.h - One group of graph ops as a tile kernel *- C++ -*-===//
//
// The emitter starts from the tile of the group's result that one program
// computes and walks back through the ops. For the tile that a reader needs (a
// box), an op maps the box through its indexing maps to boxes of its
// operands, and computes the tile from those. Values from outside the group
// become structured loads.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_KERNELEMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_KERNELEMITTER_H

#include "graph/lowering/KernelShell.h"
#include "graph/lowering/Tiling.h"

namespace tilewright::graph {

/// Emits one kernel; used once.
class KernelEmitter {
public:
  /// `builder` inserts into the module that receives the kernel.
  KernelEmitter(mlir::OpBuilder &builder, SymbolicShapes &shapes,
                const Group &group, const TileLimits &limits);

  /// Declares these as the kernel's first arguments, used or not: kernels of
  /// one group then have one interface.
  void declare(llvm::ArrayRef<KernelArgument> arguments) { first = arguments; }

  /// Emits the kernel that computes the group's results, tiled by these values.
  mlir::FailureOr<EmittedKernel> emit(llvm::StringRef name,
                                      const TilingValues &tiling = {});

  /// Emits the kernel that copies these inputs of a concatenation, all of one
  /// size, or computes them, into their parts of the result.
  mlir::FailureOr<EmittedKernel> emitConcat(llvm::StringRef name,
                                            llvm::ArrayRef<unsigned> inputs);

  /// Emits kernel `part` of a group with kernels of its own (hasOwnKernels()),
  /// other than a concatenation, or the kernel of a graph.require.
  mlir::FailureOr<EmittedKernel> emitOwn(llvm::StringRef name, unsigned part);

private:
  /// A kernel of which each program computes a box of all results, or walks
  /// along rows of it (programBox()).
  mlir::FailureOr<EmittedKernel>
  emitOverResults(llvm::StringRef name, llvm::ArrayRef<int64_t> tile,
                  llvm::ArrayRef<unsigned> walked,
                  llvm::function_ref<mlir::LogicalResult(Box)> emitBox);
  /// The first copies the data, the last combines the updates into the copy.
  mlir::FailureOr<EmittedKernel> emitScatter(llvm::StringRef name,
                                             unsigned part);
  mlir::FailureOr<EmittedKernel> emitRowScan(llvm::StringRef name);
  mlir::FailureOr<EmittedKernel> emitRequire(llvm::StringRef name);
  mlir::FailureOr<EmittedKernel> emitDigits(llvm::StringRef name);

  KernelFrame frame;
  TileLimits limits;
  llvm::ArrayRef<KernelArgument> first;
};

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_KERNELEMITTER_H
