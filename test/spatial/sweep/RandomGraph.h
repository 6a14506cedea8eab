// Graphs that nobody designed, built as frontends build them.
#ifndef TILEWRIGHT_TEST_SPATIAL_SWEEP_RANDOMGRAPH_H
#define TILEWRIGHT_TEST_SPATIAL_SWEEP_RANDOMGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "test/verify/spatial/RandomMachine.h"
#include "tilewright/runtime/Tensor.h"
#include <vector>

namespace tilewright::test {

struct RandomGraph {
  /// One function, as a frontend leaves it.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// In the order of its arguments.
  std::vector<runtime::HostTensor> inputs;
  /// The operators, in order: "matmul softmax".
  std::string operators;
};

/// One to eight operators on small tensors. The same for the same dice.
/// What is compared, rounded to whole numbers or an index is computed exactly,
/// so that results depend on the order of sums continuously.
[[nodiscard]] RandomGraph randomGraph(mlir::MLIRContext &context, Dice &dice);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_SPATIAL_SWEEP_RANDOMGRAPH_H
