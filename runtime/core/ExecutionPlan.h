// All that a session derives from the shapes of its inputs. For sources only.
#ifndef TILEWRIGHT_RUNTIME_CORE_EXECUTIONPLAN_H
#define TILEWRIGHT_RUNTIME_CORE_EXECUTIONPLAN_H

#include "runtime/core/ArenaPlanner.h"
#include "tilewright/manifest/PackageManifest.h"
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

/// The storage of one buffer.
struct BufferStorage {
  StorageKind kind = StorageKind::arena;
  /// The buffer at the end of its aliases, which identifies the storage.
  size_t root = 0;
  /// Byte offset in the arena.
  size_t offset = 0;
  /// Bytes of this buffer.
  size_t bytes = 0;
};

/// What follows from the values of the symbols. The rest of the plan, the
/// launches, depends on addresses too and is filled in by the session.
struct ExecutionPlan {
  Bindings symbols;
  /// By buffer id.
  std::vector<BufferStorage> storage;
  size_t arenaBytes = 0;
  size_t arenaLiveBytes = 0;
  /// By output.
  std::vector<Shape> outputShapes;
  /// By step: the arguments; their addresses and words are those of
  /// `launches`.
  std::vector<std::vector<LaunchArgument>> arguments;
  /// By root: the memory of what is not in the arena; by step: the launches.
  /// Valid for the session's memory of generation `generation`.
  std::vector<Buffer *> memory;
  std::vector<VariantPlan> launches;
  uint64_t generation = 0;
  /// Whether the launches have run, and from their second run on, where the
  /// device has graphs, all steps as a graph.
  bool hasRun = false;
  std::shared_ptr<Graph> graph;
};

/// Evaluates sizes and shapes, runs the model's checks, and allocates
/// transients.
StatusOr<ExecutionPlan> planExecution(const PackageManifest &manifest,
                                      Bindings symbols);

/// Binds symbols from the shapes of the inputs (by input; all present) and
/// checks each dimension. `describeInputs` ends the messages.
StatusOr<Bindings> bindSymbols(const PackageManifest &manifest,
                               std::span<const Shape> shapes,
                               std::string_view describeInputs);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_EXECUTIONPLAN_H
