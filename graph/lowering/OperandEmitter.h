//===- OperandEmitter.h - The operands of loops as tiles --------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_OPERANDEMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_OPERANDEMITTER_H

#include "graph/lowering/Box.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright::graph {

/// The loops of `op` for a box of its result; reduction loops stay empty.
Box loopBox(KernelFrame &frame, mlir::linalg::GenericOp op, const Box &box);

/// The box of an operand that the points of `loops` read; nothing where these
/// are no box.
std::optional<Box> operandBox(KernelFrame &frame, mlir::AffineMap map,
                              const Box &loops);

/// The operand's tile with one dimension for each loop in `order`.
mlir::FailureOr<mlir::Value> emitOrdered(KernelFrame &frame,
                                         mlir::Value operand,
                                         mlir::AffineMap map, const Box &loops,
                                         llvm::ArrayRef<unsigned> order);

/// The operand's tile with the points of all loops, in loop order.
mlir::FailureOr<mlir::Value> emitOperand(KernelFrame &frame,
                                         mlir::Value operand,
                                         mlir::AffineMap map, const Box &loops);

/// Reads tensor[subscripts...] element by element. Elements outside the tensor
/// are not read; they are zero.
mlir::FailureOr<mlir::Value> gather(KernelFrame &frame, mlir::Value tensor,
                                    llvm::ArrayRef<mlir::Value> subscripts,
                                    llvm::ArrayRef<int64_t> shape);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_OPERANDEMITTER_H
