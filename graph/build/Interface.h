// The interface of a function: its arguments and results, with their names.
#pragma once

#include "graph/build/GraphBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::build {

/// An argument that callers provide, or a state.
struct FunctionArgument {
  std::string name;
  Element element;
  Dims dims;
  /// The names of dynamic sizes; empty for static ones.
  SmallVector<std::string> symbols;
  /// The value, if it is known at import; of a state, its initial value.
  Tensor known;
  /// Whether it is what a session keeps from run to run, called `name`
  /// (graph/analysis/States.h). Its sizes are static.
  bool isState = false;
};

struct FunctionResult {
  std::string name;
  Tensor tensor;
  /// Whether it is the new value of the state called `name`, or else of the
  /// input of that name, and an output as well.
  bool isUpdate = false;
};

/// Gives the function its arguments, and defines their dynamic dimensions,
/// which are symbols.
void addArguments(GraphBuilder &b, mlir::func::FuncOp function,
                  ArrayRef<FunctionArgument> arguments);
/// An argument of a function as a tensor. A u4 is a byte in memory, of which
/// its low bits count: kernels would write an i4 with its sign.
FailureOr<Tensor> argumentTensor(GraphBuilder &b, mlir::func::FuncOp function,
                                 size_t index,
                                 const FunctionArgument &argument);
/// Emits the checks, returns the results, each in a buffer of its own, and
/// names all.
LogicalResult finishFunction(GraphBuilder &b, mlir::func::FuncOp function,
                             ArrayRef<FunctionArgument> arguments,
                             ArrayRef<FunctionResult> results);

} // namespace tilewright::build
