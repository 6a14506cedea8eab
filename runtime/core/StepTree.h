// The steps of a package, numbered through all lists. For sources only.
#ifndef TILEWRIGHT_RUNTIME_CORE_STEPTREE_H
#define TILEWRIGHT_RUNTIME_CORE_STEPTREE_H

#include "runtime/core/ArenaPlanner.h"
#include "tilewright/manifest/PackageManifest.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// One step.
struct StepNode {
  const StepManifest *step = nullptr;
  /// "step 3 (MatMul:y)"; in the loop that is step 3, "step 3.0 (Add:z)"; in a
  /// side of a branch, "step 3.then.0 (Add:z)".
  std::string name;
  /// The numbers of the steps of a branch's sides, or of a loop.
  std::vector<size_t> first, second;
  /// The symbols that steps bind and this launch or copy depends on: first
  /// those of sizes and strides, then those of scalars alone.
  std::vector<std::string> symbols;
  size_t sizeSymbols = 0;
  /// Of the first step of a segment: its index.
  std::optional<size_t> segment;
};

/// Steps that follow each other in one list, with no decision between them, at
/// least two of which are launches or copies. A device with graphs runs them as
/// one.
struct StepSegment {
  /// Their numbers.
  size_t begin = 0, end = 0;
  /// What decides how they run: the addresses of these buffers, the elements of
  /// these inputs, and the symbols that steps bind.
  std::vector<size_t> buffers, inputs;
  std::vector<std::string> symbols;
};

/// All steps of a package, each before those of its lists.
struct StepTree {
  explicit StepTree(const PackageManifest &manifest);

  std::vector<StepNode> nodes;
  /// The numbers of the steps of the package's own list.
  std::vector<size_t> list;
  std::vector<StepSegment> segments;
  /// Whether steps decide what runs, or how large something is.
  bool hasDecisions = false;
};

/// When buffers are needed, by root: the positions of the first and the last
/// step, with what a loop reads from outside, carries or tests for all of the
/// loop. Two sides of a branch are at different positions. `roots` has the end
/// of each buffer's aliases.
std::map<size_t, ArenaRequest> lifetimesOf(const StepTree &tree,
                                           const std::vector<size_t> &roots);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_STEPTREE_H
