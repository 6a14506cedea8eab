// Sums and products of floats in bodies of linalg, of which the order is open.
#pragma once

#include "graph/reference/Execution.h"
#include "tileir/reference/AnyOrder.h"

namespace tilewright::graph::reference {

/// How a body combines terms with an accumulator: by arith.addf, arith.mulf or
/// math.fma alone, and nothing else reads the accumulator.
struct SumChain {
  /// A term, or a product of two of them.
  struct Term {
    unsigned slot;
    std::optional<unsigned> factor;
  };
  numerics::AnyOrder::Kind kind;
  llvm::SmallVector<Term, 1> terms;
};

/// That of the accumulator in slot `argument`, whose next value is in slot
/// `yielded`; none if the body does something else with it.
std::optional<SumChain> findSumChain(const Body &body, unsigned argument,
                                     unsigned yielded);

/// All terms of one accumulator.
class OpenSum {
public:
  OpenSum(const SumChain &chain, mlir::Type type, const Machine &machine)
      : chain(chain), type(type),
        sum(chain.kind, numerics::SetRules(llvm::cast<mlir::FloatType>(type),
                                           machine.freedom)) {}

  void add(Scalar term);
  /// The terms of a point for which the body has run.
  void addPoint(const Frame &frame);
  /// What is computed, with what else is permitted.
  Scalar result(Scalar computed) const;

private:
  const SumChain &chain;
  mlir::Type type;
  numerics::AnyOrder sum;
  bool isPoison = false, areSingle = true;
};

} // namespace tilewright::graph::reference
