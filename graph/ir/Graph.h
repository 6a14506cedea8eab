//===- Graph.h - The graph dialect ------------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_IR_GRAPH_H
#define TILEWRIGHT_GRAPH_IR_GRAPH_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "graph/ir/GraphDialect.h.inc"
#define GET_OP_CLASSES
#include "graph/ir/GraphOps.h.inc"

#endif // TILEWRIGHT_GRAPH_IR_GRAPH_H
