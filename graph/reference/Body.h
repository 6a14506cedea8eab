// Code in the form in which it is run: a flat list of ops over numbered slots,
// so that an element of a body costs no look-up.
#pragma once

#include "graph/reference/Tensor.h"

namespace tilewright::graph::reference {

/// A value: a scalar, or a tensor.
struct Slot {
  Scalar scalar;
  TensorPtr tensor;
};
/// The values of a body while it runs, by slot.
using Frame = std::vector<Slot>;

class Execution;
struct Body;
struct Instruction;

/// How an op is run. Fails with an error at the op.
using Eval =
    std::function<mlir::LogicalResult(mlir::Operation *op, Execution &)>;

/// An op of one scalar result that is never poison, on bits; those of one
/// operand ignore the second.
using BitsFn = uint64_t (*)(uint64_t, uint64_t);

/// Code of one block.
struct Sequence {
  std::vector<Instruction> instructions;
  llvm::SmallVector<unsigned> arguments, yielded;
  /// The inserts that end an iteration of an scf.forall.
  std::vector<Instruction> inserts;
};

/// A body that runs later, and what it reads from around it: slots there, and
/// its own.
struct Closure {
  std::shared_ptr<const Body> body;
  llvm::SmallVector<std::pair<unsigned, unsigned>> captures;
};

struct Instruction {
  mlir::Operation *op = nullptr;
  const Eval *eval = nullptr;
  /// Null if the op has no such function.
  BitsFn onBits = nullptr;
  /// By result; none if the op is not one of arith or math on elements.
  llvm::ArrayRef<numerics::EvalElement> onElements;
  llvm::SmallVector<unsigned, 4> operands;
  llvm::SmallVector<unsigned, 1> results;
  /// Those that run where the op runs, or the one that runs for each element.
  std::vector<Sequence> regions;
  std::optional<Closure> closure;
};

struct Body {
  Sequence sequence;
  unsigned slots = 0;
  llvm::SmallVector<std::pair<unsigned, Scalar>> constants;
  /// Which slots hold which loop of the op that has the body.
  struct Loop {
    unsigned dim, slot;
  };
  llvm::SmallVector<Loop> loops;
  /// By argument: whether the code reads it.
  llvm::SmallVector<bool> isRead;

  /// A frame in which the constants are set.
  Frame frame() const;
};

/// The function's body, to be run many times. Fails with an error at an op that
/// the reference does not know. The function outlives it and does not change.
mlir::FailureOr<std::shared_ptr<const Body>> compileBody(mlir::Region &region);

/// The function for an op on scalars; null if it has none.
BitsFn bitsFunction(mlir::Operation *op);

} // namespace tilewright::graph::reference
