// The steps of one run of a session. For sources only.
#ifndef TILEWRIGHT_RUNTIME_CORE_SESSIONRUN_H
#define TILEWRIGHT_RUNTIME_CORE_SESSIONRUN_H

#include "runtime/core/SessionImpl.h"

namespace tilewright::runtime {

/// Enqueues steps, those between two decisions as a graph where the device has
/// graphs; waits only where the host must know what a kernel computed.
struct Session::Impl::Run {
  Run(Impl &session, ExecutionPlan &plan, bool isMeasured)
      : session(session), plan(plan), tree(*session.model.tree),
        values(plan.symbols), times(isMeasured ? tree.nodes.size() : 0) {}

  Status list(const std::vector<size_t> &steps);
  /// The values of all symbols that are known now.
  [[nodiscard]] const Bindings &symbols() const { return values; }
  /// The times of the steps that ran, in the order of the package.
  [[nodiscard]] std::vector<StepTime> takeTimes();

private:
  /// The least and the greatest value of a symbol.
  struct Limits {
    int64_t least, greatest;
  };
  using FixedLimits = std::optional<Limits>;

  Status step(size_t number);
  /// Runs a segment: the first time for its sizes and addresses step by step,
  /// then as a graph.
  Status segment(const StepSegment &segment, std::vector<SegmentGraph> &known);
  Status capture(const StepSegment &segment, std::shared_ptr<Graph> &graph);
  Status stepByStep(const StepSegment &segment);
  [[nodiscard]] std::vector<uint64_t> keyOf(const StepSegment &segment) const;
  Status work(size_t number);
  Status launch(size_t number);
  Status read(const ReadManifest &read);
  Status branch(const StepNode &node);
  Status loop(const StepNode &node);
  Status begin(const LoopManifest &loop);
  Status next(const LoopManifest &loop, const std::vector<FixedLimits> &limits);
  Status swapBack(const LoopManifest &loop);
  StatusOr<bool> isTrue(size_t buffer);
  Status measure(size_t number);
  StatusOr<Limits> limitsOf(const StepSymbol &symbol);
  /// Those of the symbols of a loop that iterations do not change.
  StatusOr<std::vector<FixedLimits>> fixedLimits(const LoopManifest &loop);
  /// Gives a symbol its value, which must be within its limits.
  Status bind(const StepSymbol &symbol, int64_t value,
              const FixedLimits &limits = {});
  /// The values of symbols before or behind a list: `which` is one of their
  /// expressions. `limits` are those that are known, by symbol, or empty.
  Status bindAll(const std::vector<StepSymbol> &symbols,
                 Expression StepSymbol::*which,
                 const std::vector<FixedLimits> &limits = {});
  /// Copies a tensor, of `bytes` or as large as it is now, to a buffer of the
  /// same size.
  Status move(size_t from, size_t to, size_t bytes);
  Status move(size_t from, size_t to);
  void swap(size_t a, size_t b);

  Impl &session;
  ExecutionPlan &plan;
  const StepTree &tree;
  Bindings values;
  /// By step; empty: not measured.
  std::vector<std::optional<StepTime>> times;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_SESSIONRUN_H
