// Ops of floats whose results are rounded up or down at random.
#pragma once

#include "tileir/reference/Element.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <random>

namespace tilewright::reference {

/// The rounding of the CESTAC method: a result that is no number of its type
/// becomes one of the two beside it, each as likely as the other. (J. Vignes, A
/// stochastic arithmetic for reliable scientific computation, Mathematics and
/// Computers in Simulation 35, 1993.) What the type has stays as it is.
class RandomRounding {
public:
  explicit RandomRounding(uint64_t seed) : random(seed) {}

  /// The result of `fn`, which computes an element of f128 from the operands,
  /// whose floats are f128 too. Poison stays poison.
  mlir::FailureOr<Element> compute(
      llvm::ArrayRef<Element> operands, mlir::FloatType result,
      llvm::function_ref<mlir::FailureOr<Element>(llvm::ArrayRef<Element>)> fn);

private:
  std::mt19937_64 random;
};

/// Whether the result of an op is rounded so: a float that is not merely
/// other bits, and not rounded in a direction that the op names.
bool roundsAtRandom(mlir::Operation *op, mlir::Type result);

} // namespace tilewright::reference
