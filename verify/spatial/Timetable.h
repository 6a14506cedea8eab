// The lines of a schedule, expanded: when each issues what, and what the
// vectors are called.
#ifndef TILEWRIGHT_VERIFY_SPATIAL_TIMETABLE_H
#define TILEWRIGHT_VERIFY_SPATIAL_TIMETABLE_H

#include "spatial/program/Schedule.h"
#include <compare>
#include <map>
#include <string>
#include <vector>

namespace tilewright::verify {

/// One plane of a vector. Runs of a schedule (`interval` < `cycles`) share the
/// constants; all other names are a run's own.
struct PlaneName {
  int64_t index = 0;
  uint32_t value = 0;
  uint32_t run = 0;
  int64_t plane = 0;
  friend auto operator<=>(const PlaneName &, const PlaneName &) = default;
};

/// A line, and those of its repetitions that the machine can run.
struct TimedLine {
  const spatial::Instruction *instruction = nullptr;
  uint32_t chip = 0;
  /// Index in Timetable::queues.
  uint32_t queue = 0;
  /// Repetitions [first, end) name nothing that the machine lacks.
  int64_t first = 0, end = 0;
};

/// A repetition of a line, in a run.
struct Issue {
  int64_t cycle = 0, repetition = 0;
  uint32_t run = 0;
};

/// One queue of one chip, and the lines that stand in it.
struct TimedQueue {
  int64_t chip = 0;
  spatial::Queue queue;
  std::string text;
  /// Indices in Timetable::lines, of those with a repetition to run.
  std::vector<uint32_t> lines;
};

class Timetable {
public:
  /// `runs` is how often the schedule begins, every `interval` cycles. No rule
  /// looks at more than about `eventsAtOnce` repetitions of lines together.
  Timetable(const spatial::Schedule &schedule, int64_t runs,
            uint64_t eventsAtOnce);

  const spatial::Schedule &schedule;
  const int64_t runs;
  const uint64_t eventsAtOnce;
  std::vector<TimedLine> lines;
  /// By chip, then as text.
  std::vector<TimedQueue> queues;

  /// The `offset`-th vector from `name` on, in this repetition.
  [[nodiscard]] PlaneName nameAt(const spatial::VectorName &name,
                                 const Issue &issue, int64_t offset = 0,
                                 int64_t plane = 0) const {
    return {name.index.at(issue.repetition) + offset, name.value,
            isConstant[name.value] ? 0 : issue.run, plane};
  }
  /// Whether memory holds the value before cycle 0.
  [[nodiscard]] bool isGiven(uint32_t value) const { return given[value]; }
  [[nodiscard]] bool isInput(uint32_t value) const {
    return given[value] && !isConstant[value];
  }

  /// Cycles from an instruction's begin to its (first) result.
  [[nodiscard]] int64_t
  resultDelay(const spatial::Instruction &instruction) const;
  /// How many planes the vectors of a port have.
  [[nodiscard]] int64_t planesOf(const spatial::Port &port) const {
    return schedule.machine.planesOf(schedule.values[port.name.value].dtype);
  }
  /// How many vectors a load takes.
  [[nodiscard]] int64_t
  loadedVectors(const spatial::Instruction &instruction) const {
    const spatial::Port &port = instruction.operands.front();
    return static_cast<int64_t>(port.streams.size()) / planesOf(port);
  }
  /// "x[3]", or "x[3].1" of a value with several planes; in a later run
  /// "x[3] of run 2".
  [[nodiscard]] std::string print(const PlaneName &name) const;
  /// The lines of a queue; none if there is no such queue.
  [[nodiscard]] const std::vector<uint32_t> &
  linesOf(int64_t chip, const spatial::Queue &queue) const;

private:
  std::vector<bool> isConstant, given;
  std::map<std::pair<int64_t, spatial::Queue>, uint32_t> queueNumbers;
};

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_SPATIAL_TIMETABLE_H
