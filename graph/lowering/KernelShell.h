//===- KernelShell.h - What kernels of all kinds have in common -*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_KERNELSHELL_H
#define TILEWRIGHT_GRAPH_LOWERING_KERNELSHELL_H

#include "graph/lowering/KernelFrame.h"

namespace tilewright::graph {

/// A kernel and how to call it. The first arguments are the results.
struct EmittedKernel {
  tile::KernelOp kernel;
  std::vector<KernelArgument> arguments;
};

/// Opens the kernel; its arguments begin with `tensors`, then `first`.
mlir::LogicalResult openKernel(KernelFrame &frame,
                               llvm::ArrayRef<KernelArgument> first,
                               llvm::StringRef name, mlir::ValueRange tensors);
/// Ends it: from here on it has its type and its grid.
mlir::FailureOr<EmittedKernel> closeKernel(KernelFrame &frame);

/// The box of the result that one program computes, or the first piece of
/// it: dimensions in `walked` begin at 0. The innermost tiled dimension is the
/// fastest grid dimension, unless another was chosen; all beyond the second
/// share the third.
mlir::FailureOr<Box> programBox(KernelFrame &frame,
                                llvm::ArrayRef<int64_t> tile,
                                llvm::ArrayRef<mlir::AffineExpr> extents,
                                llvm::ArrayRef<unsigned> walked = {});

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_KERNELSHELL_H
