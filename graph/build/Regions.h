// Code that runs only where a condition holds, and code that repeats.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// While it lives, code is written to the end of a block of a region. What is
/// memoized and required there does not count outside.
class RegionScope {
public:
  RegionScope(GraphBuilder &b, mlir::Block &block);
  ~RegionScope();
  RegionScope(const RegionScope &) = delete;
  RegionScope &operator=(const RegionScope &) = delete;

private:
  GraphBuilder &b;
  mlir::Block &block, *outer;
  mlir::OpBuilder::InsertionGuard guard;
  std::vector<Check> checks;
  llvm::DenseSet<Value> requiredDivisors;
  size_t memos, localSizes;
};

/// Writes one side of a branch and returns what it gives.
using Side = llvm::function_ref<FailureOr<SmallVector<Tensor>>()>;

/// The tensors that one of two sides gives: the first where `condition`, of one
/// bool, is true. Both give as many, of the same types; a size in which they
/// differ is known only when the branch has run. Error: numbers, types or ranks
/// differ.
FailureOr<SmallVector<Tensor>> branch(GraphBuilder &b, const Tensor &condition,
                                      Side first, Side second);

/// A loop that a run repeats.
struct LoopParts {
  /// The greatest number of iterations; null: any.
  Expr count;
  /// One bool: whether there is a first iteration; null: there is.
  Tensor condition;
  /// What the first iteration finds.
  SmallVector<Tensor> state;
};

/// What a loop collects along a new first dimension: by iteration, or at this
/// position, which is below the count.
struct Collected {
  Tensor value;
  Expr position = nullptr;
};

/// What an iteration gives.
struct Iteration {
  /// Whether another one follows; null: it does.
  Tensor condition;
  SmallVector<Tensor> state;
  SmallVector<Collected> collected;
};

/// Writes an iteration, of a number from 0, on what it finds. It may be called
/// several times.
using Body = llvm::function_ref<FailureOr<Iteration>(Expr number,
                                                     ArrayRef<Tensor> state)>;

struct LoopResults {
  SmallVector<Tensor> state, collected;
};

/// Repeats the body. A value may change its sizes from iteration to iteration,
/// but neither its type nor its rank. What is collected has one shape in all
/// iterations. Error: it does not, or nothing ends the loop.
FailureOr<LoopResults> repeat(GraphBuilder &b, const LoopParts &parts,
                              Body body);

/// The only element of an integer tensor as a size. Where it does not follow
/// from constants and sizes, the run reads it, and ends with a message if it is
/// less than `least` or more than `greatest` (null: any).
FailureOr<Expr> readSize(GraphBuilder &b, const Tensor &tensor, int64_t least,
                         Expr greatest = nullptr);
/// The size, or if it nests many maxima a symbol for it: a kernel writes the
/// number, and the run reads it. As an expression it would double with each.
Expr readNested(GraphBuilder &b, Expr size);
/// Whether a tensor has at most one dimension, and few elements.
bool isReadable(const TensorInfo &tensor);
/// A readable integer tensor with each of its elements known as such a size.
FailureOr<Tensor> readElements(GraphBuilder &b, const Tensor &tensor,
                               int64_t least, Expr greatest = nullptr);

} // namespace tilewright::build
