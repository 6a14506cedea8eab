// The interface of a function: its arguments and results, with their names.
#pragma once

#include "graph/build/GraphBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::build {

/// An argument that callers provide.
struct FunctionArgument {
  std::string name;
  Element element;
  Dims dims;
  /// The names of dynamic sizes; empty for static ones.
  SmallVector<std::string> symbols;
  /// The value, if it is known at import.
  Tensor known;
};

struct FunctionResult {
  std::string name;
  Tensor tensor;
};

/// Gives the function its arguments, and defines their dynamic dimensions,
/// which are symbols.
void addArguments(GraphBuilder &b, mlir::func::FuncOp function,
                  ArrayRef<FunctionArgument> arguments);
/// Emits the checks, returns the results, each in a buffer of its own, and
/// names all.
void finishFunction(GraphBuilder &b, mlir::func::FuncOp function,
                    ArrayRef<FunctionArgument> arguments,
                    ArrayRef<FunctionResult> results);

} // namespace tilewright::build
