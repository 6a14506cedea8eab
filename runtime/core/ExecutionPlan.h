// All that a session derives from the shapes of its inputs. For sources only.
#ifndef TILEWRIGHT_RUNTIME_CORE_EXECUTIONPLAN_H
#define TILEWRIGHT_RUNTIME_CORE_EXECUTIONPLAN_H

#include "runtime/core/StepTree.h"
#include "tilewright/runtime/Launch.h"
#include "tilewright/runtime/Tensor.h"
#include <cstdint>
#include <vector>

namespace tilewright::runtime {

/// Where the storage of a buffer is.
enum class StorageKind {
  /// The session's copy of an input.
  input,
  /// The model's weights.
  weight,
  /// Separate memory: an output, or an alias of one.
  owned,
  /// A state of the session.
  state,
  /// A range of the session's arena.
  arena,
};

/// How the size of a buffer follows.
enum class Sizing {
  /// From the inputs.
  fixed,
  /// From what steps bind: there is room for the greatest size.
  bounded,
  /// From what steps bind, and it may be any or very large: it has memory of
  /// its own, which grows when a step needs it.
  open,
};

/// The storage of one buffer.
struct BufferStorage {
  StorageKind kind = StorageKind::arena;
  Sizing sizing = Sizing::fixed;
  /// The buffer at the end of its aliases, which identifies the storage.
  size_t root = 0;
  /// Byte offset in the arena.
  size_t offset = 0;
  /// Bytes of this buffer, the most of a bounded one; of an open one 0.
  size_t bytes = 0;
};

/// Where a root is now. Those that loops swap change places.
struct Place {
  /// Null: in the arena.
  Buffer *memory = nullptr;
  /// In the memory or in the arena.
  size_t offset = 0;
};

/// A launch for one set of addresses and of values of the symbols that steps
/// bind.
struct PreparedLaunch {
  /// Of the step's symbols.
  std::vector<int64_t> symbols;
  std::vector<LaunchArgument> arguments;
  VariantPlan plan;
};

/// A segment's steps for one set of sizes, addresses and elements of inputs.
struct SegmentGraph {
  /// See StepSegment: symbols, addresses, elements.
  std::vector<uint64_t> key;
  /// Null: they ran once, step by step.
  std::shared_ptr<Graph> graph;
};

/// What follows from the values of the symbols that inputs bind. The rest of
/// the plan, the launches, depends on addresses too and is filled in by the
/// session.
struct ExecutionPlan {
  Bindings symbols;
  /// By buffer id.
  std::vector<BufferStorage> storage;
  size_t arenaBytes = 0;
  size_t arenaLiveBytes = 0;
  /// By output; none where steps bind a size of it.
  std::vector<std::optional<Shape>> outputShapes;
  /// By root: where it is. Valid for the session's memory of generation
  /// `generation`.
  std::vector<Place> places;
  /// By step: the last launches that were planned, the latest first. Those of
  /// steps whose symbols inputs bind are one each, and planned before a run.
  std::vector<std::vector<PreparedLaunch>> launches;
  uint64_t generation = 0;
  /// Whether the launches have run, and from their second run on, where the
  /// device has graphs, all steps as a graph.
  bool hasRun = false;
  std::shared_ptr<Graph> graph;
  /// The same by segment, of a package with decisions: the last sets, the
  /// latest first.
  std::vector<std::vector<SegmentGraph>> segments;
};

/// Evaluates sizes and shapes, runs the model's checks, and allocates
/// transients. `tree` is the manifest's.
StatusOr<ExecutionPlan> planExecution(const PackageManifest &manifest,
                                      const StepTree &tree, Bindings symbols);

/// An error if the check does not hold of `symbols`.
Status runCheck(const CheckManifest &check, const Bindings &symbols);

/// A size that must not be negative; `where` begins the error.
StatusOr<size_t> evaluateSize(const Expression &expression,
                              const Bindings &symbols, std::string_view where);

/// The arguments of a launch, without addresses and words of inputs; `where`
/// begins the error.
StatusOr<std::vector<LaunchArgument>>
evaluateArguments(const StepManifest &step, const ExecutionPlan &plan,
                  const Bindings &symbols, std::string_view where);

/// The shape of an input, output or state for these symbols.
StatusOr<Shape> evaluateShape(const InterfaceTensor &tensor,
                              const Bindings &symbols, std::string_view where);

/// Binds symbols from the shapes of the inputs (by input; all present) and
/// checks each dimension. `describeInputs` ends the messages.
StatusOr<Bindings> bindSymbols(const PackageManifest &manifest,
                               std::span<const Shape> shapes,
                               std::string_view describeInputs);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_EXECUTIONPLAN_H
