// One run of a schedule.
#ifndef TILEWRIGHT_SPATIAL_SIMULATOR_SIMULATION_H
#define TILEWRIGHT_SPATIAL_SIMULATOR_SIMULATION_H

#include "spatial/simulator/LinkUnits.h"
#include "spatial/simulator/MatrixUnits.h"
#include "spatial/simulator/MemoryUnits.h"
#include "spatial/simulator/Simulator.h"
#include "spatial/simulator/VectorUnits.h"

namespace tilewright::spatial {

class Simulation {
public:
  /// `length` is that of the lines: of repetitions in flight, each ends after
  /// so many cycles. `inputs` has the lanes of each input's elements.
  Simulation(const Schedule &schedule, Names names, int64_t length,
             int64_t repetitions, std::vector<std::vector<Lane>> inputs);

  /// Runs all cycles, or until there are so many findings.
  void run(size_t mostFindings);
  /// After the run: the lanes of an output's elements.
  [[nodiscard]] const std::vector<Lane> &outputLanes(size_t output) const {
    return outputs[output];
  }
  [[nodiscard]] int64_t length() const { return memory.length(); }
  /// After the run: compares the length with that of the manifest.
  void checkLength();
  std::vector<Finding> findings(size_t most) && {
    return std::move(core.findings).ordered(most);
  }

private:
  /// What a queue issued last, and until when it is busy with it.
  struct QueueState {
    int64_t last = -1, busyUntil = -1;
  };
  /// A repetition of the schedule: the next of its lines.
  struct Cursor {
    int64_t repetition = 0;
    size_t line = 0;
  };

  void prepareLines();

  // Placements (Placements.cpp).
  void placeConstants();
  void placeInputs(int64_t repetition);
  void takeOutputs(int64_t repetition);
  /// That the machine has the bank; a finding says otherwise.
  bool hasBank(const Placement &place, bool isReported);
  [[nodiscard]] bool hasRow(int64_t row) const {
    return row >= 0 && row < core.machine.mem.rows;
  }
  void place(const Placement &place, int64_t repetition,
             std::span<const VectorRef> vectors);
  void readOutput(size_t output, const Placement &place, int64_t repetition);

  [[nodiscard]] int64_t beginOf(int64_t repetition) const {
    return repetition * core.schedule.interval;
  }
  /// The next cycle in which something happens, or noCycle.
  [[nodiscard]] int64_t nextCycle() const;
  /// The next one of a line of `cursor`.
  [[nodiscard]] int64_t cycleOf(const Cursor &cursor) const;
  void runCycle();
  void collectIssues();
  void checkQueue(const Issue &issue);
  void checkDefinitions(const Issue &issue);
  void issue(const Issue &issue);

  Core core;
  MemoryUnits memory;
  MatrixUnits matrices;
  VectorUnits vectors;
  LinkUnits links;

  int64_t repetitionLength = 0, repetitions = 1;
  std::vector<std::vector<Lane>> inputs, outputs;
  /// By cycle.
  std::vector<Line> lines;
  std::vector<QueueState> queues;
  Calendar<Cursor> cursors;
  std::vector<Cursor> dueCursors;
  /// How many repetitions have begun and ended.
  int64_t begun = 0, ended = 0;
  /// Further iterations of lines that have begun.
  Calendar<Issue> iterations;
  std::vector<Issue> due;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SIMULATOR_SIMULATION_H
