// What a graph's outputs may be on a machine.
#ifndef TILEWRIGHT_TEST_SPATIAL_SWEEP_GRAPHORACLE_H
#define TILEWRIGHT_TEST_SPATIAL_SWEEP_GRAPHORACLE_H

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/runtime/Tensor.h"
#include <string>
#include <vector>

namespace tilewright::test {

/// An output as the graph's interpreter computes it, and how far another may be
/// from it.
struct PermittedOutput {
  std::vector<double> numbers, bounds;
};

/// Runs the graph as it is written, and six times with each float rounded up
/// or down at random, where factors of products are rounded to `precision`
/// first. An element may differ from the first run by eight times what the
/// others differ from it, and by as much as any element of the output differs
/// (with a floor of a few roundings of its greatest number): another order of
/// sums, functions of 2 ulp and one rounding of a product and a sum are within
/// this. Integers and booleans have the bound 0. Errors: the interpreter's.
StatusOr<std::vector<PermittedOutput>>
permittedOutputs(mlir::ModuleOp graph, std::span<const runtime::HostTensor>,
                 runtime::DType precision);

/// Empty, or the first element that is not within its bound: "y1[17] is 3,
/// expected 4 within 0.1".
[[nodiscard]] std::string
firstDifference(std::span<const PermittedOutput> expected,
                std::span<const runtime::HostTensor> found);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_SPATIAL_SWEEP_GRAPHORACLE_H
