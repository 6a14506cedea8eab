// One graph on one machine, mapped and judged.
#ifndef TILEWRIGHT_TEST_SPATIAL_SWEEP_SWEEPCASE_H
#define TILEWRIGHT_TEST_SPATIAL_SWEEP_SWEEPCASE_H

#include "spatial/program/Schedule.h"
#include "test/spatial/sweep/RandomGraph.h"
#include <optional>

namespace tilewright::test {

struct SweepCase {
  /// Cases of odd seeds are mapped with a short search.
  uint64_t seed = 0;
  spatial::Machine machine;
  runtime::DType precision = runtime::DType::F32;
  RandomGraph graph;
};

/// The case of a seed.
[[nodiscard]] SweepCase makeSweepCase(mlir::MLIRContext &context,
                                      uint64_t seed);

enum class SweepVerdict : uint8_t { right, rejected, wrong };

struct SweepResult {
  SweepVerdict verdict = SweepVerdict::wrong;
  /// What was rejected, or what is wrong.
  std::string message;
  /// Where the verifier, the simulator or an oracle was asked.
  std::optional<spatial::Schedule> schedule;
  int64_t cycles = 0;
};

/// Maps the graph, twice, and asks all oracles: its vectors, executed without
/// time and place, give the schedule's bits; no judge finds anything; cycles
/// are those that were planned; and outputs are within the bounds of the
/// graph's interpreter.
[[nodiscard]] SweepResult check(const SweepCase &sweep);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_SPATIAL_SWEEP_SWEEPCASE_H
