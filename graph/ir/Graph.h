//===- Graph.h - The graph dialect ------------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_IR_GRAPH_H
#define TILEWRIGHT_GRAPH_IR_GRAPH_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#pragma GCC visibility push(default)
#include "graph/ir/GraphDialect.h.inc"
#pragma GCC visibility pop
#define GET_OP_CLASSES
#include "graph/ir/GraphOps.h.inc"

namespace tilewright::graph {

/// The operand of an argument of a group's or composite's body; null for any
/// other value.
mlir::Value operandBehind(mlir::Value value);

/// The most elements that the kernel of a graph.top_k selects.
inline constexpr int64_t maxTopK = 32;

/// The longest rows that the kernel of a graph.sort holds.
inline constexpr int64_t maxSortedRow = 1024;
/// The values that a digit of a key has (graph.digit_counts).
inline constexpr int64_t digitValues = 256;

/// Attributes of a module whose graph becomes kernels: its targets, a list of
/// #tile.target. Also on the modules of kernels in it.
inline constexpr llvm::StringLiteral kTargetsAttr = "graph.targets";
/// Of a module whose graph is to have inputs of certain shapes: by name, arrays
/// of i64 in which -1 leaves a size unchanged.
inline constexpr llvm::StringLiteral kShapesAttr = "graph.shapes";
/// Of such a module with one user's kernel.
inline constexpr llvm::StringLiteral kUserKernelsAttr = "graph.user_kernels";
/// Of a group, or a composite: why an op was taken into it or left.
inline constexpr llvm::StringLiteral kDecisionsAttr = "graph.decisions";
/// Of a linalg.generic that reduces: the parallel loop that takes its
/// reduction apart. It shares subscripts with a reduction loop, and its points
/// no element.
inline constexpr llvm::StringLiteral kPartsAttr = "graph.parts";
/// Of a linalg.generic: it is the second product of an attention that one
/// kernel computes (AttentionMatch.h).
inline constexpr llvm::StringLiteral kAttentionAttr = "graph.attention";
/// Of one: why no kernel computes all of its attention, a string.
inline constexpr llvm::StringLiteral kNoAttentionAttr = "graph.no_attention";
/// Of a loop of the program: why no kernel runs it, a string.
inline constexpr llvm::StringLiteral kNoKernelAttr = "graph.no_kernel";
/// Of a module with a user's kernel: the chosen schedules by target, as the
/// `schedules` of a group.
inline constexpr llvm::StringLiteral kSchedulesAttr = "graph.schedules";
/// Of a module of kernels: by name, where their schedules are from.
inline constexpr llvm::StringLiteral kOriginsAttr = "graph.origins";

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_IR_GRAPH_H
