// What a module of the graph level computes, as the dialects specify it: the
// oracle for graph passes. It shares no code with analyses, passes and
// lowerings, and asks MLIR for no folding.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tileir/reference/Element.h"
#include <memory>
#include <optional>
#include <vector>

namespace tilewright::graph::reference {

/// Numbers, with the type that they have in a program; a scalar has no
/// dimensions.
struct Array {
  llvm::SmallVector<int64_t> shape;
  /// In row-major order, the bits of each number, those above its width 0.
  std::vector<uint64_t> bits;
};

struct ReferenceOptions {
  /// Elements that are remembered so that they are not computed twice, of 16
  /// bytes each.
  int64_t rememberedElements = 1 << 24;
  /// Behind so many ops it is a fault to go on: a loop may have no end.
  uint64_t mostOps = 100'000'000'000;
  /// Set to true where that limit is why a run fails; may be null.
  bool *reachedLimit = nullptr;
  /// With a seed, each float is rounded up or down at random (RandomRounding):
  /// runs of several seeds show how much roundings matter. Without freedom.
  std::optional<uint64_t> roundingSeed = std::nullopt;
  /// What else than the computed results is permitted.
  tilewright::reference::FreedomOptions freedom = {};
};

/// One run of a function. Each element of a result is computed when it is asked
/// for, and without the others where the ops allow it. Floats are rounded after
/// each op; reductions go from the first element to the last in row-major
/// order, in the type of the accumulator, from the initial value on.
///
/// A fault is an error at the op's location and a failure: a slice or a
/// subscript outside of a tensor, a negative size, a check that does not hold,
/// poison as an index, a size or a condition. Poison is what is not defined: a
/// shift by too much, a division of integers by zero, an element that nothing
/// wrote, or one that tensor.extract reads outside of its tensor. It spreads,
/// but for the side of a select that is not chosen: so that a branch may become
/// a select. A fault in what nobody asks for may remain unseen. Errors are
/// emitted to the context of the function, which outlives the run and does not
/// change. A run is for one thread; several runs may go on in several threads
/// if the context allows it.
///
/// With freedom an element is one of a set of permitted results
/// (docs/verification.md#sets-of-results). A run ends where a condition, a size
/// or an index has several values: without an error, see `undetermined`.
class GraphReference {
public:
  /// Fails with an error at an op of `function` that is not known.
  static mlir::LogicalResult check(mlir::func::FuncOp function);

  /// Begins to run `function` on one array for each argument: branches, loops
  /// and checks run now. Fails with an error at the function if the inputs do
  /// not fit it, at an op if it is not known, or at a fault.
  static mlir::FailureOr<GraphReference>
  create(mlir::func::FuncOp function, llvm::ArrayRef<Array> inputs,
         const ReferenceOptions &options = {});
  GraphReference(GraphReference &&) noexcept;
  ~GraphReference();

  unsigned resultCount() const;
  /// Empty for a scalar.
  llvm::ArrayRef<int64_t> shape(unsigned result) const;
  /// An element of a result; poison is an element. Fails at a fault.
  mlir::FailureOr<tilewright::reference::Element>
  element(unsigned result, llvm::ArrayRef<int64_t> index);
  /// What is permitted as element of a result: it, if the run has no freedom.
  /// Fails as `element` does.
  mlir::FailureOr<tilewright::reference::Permitted>
  permitted(unsigned result, llvm::ArrayRef<int64_t> index);
  /// Where the last call ended because it would need a number that has several
  /// permitted values; else the op is null. `create` then succeeds with a run
  /// that has no results.
  const tilewright::reference::Undetermined &undetermined() const;
  /// All elements of a result. Fails at a fault, and where one is poison.
  mlir::FailureOr<Array> all(unsigned result);
  /// How many ops have run.
  uint64_t opCount() const;

private:
  struct State;
  explicit GraphReference(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace tilewright::graph::reference
