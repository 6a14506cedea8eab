//===- Timetable.h - Where patterns of instructions fit ---------*- C++ -*-===//
//
// Reservation tables of one chip, and the one search in them: a pattern, which
// repeats some instructions at a steady pace, is put at the first cycle in
// which its queues, banks and streams are free.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SPATIAL_SCHEDULE_TIMETABLE_H
#define TILEWRIGHT_SPATIAL_SCHEDULE_TIMETABLE_H

#include "spatial/schedule/Emitter.h"
#include "spatial/schedule/Memory.h"
#include <map>

namespace tilewright::spatial {

/// One vector of a value of the schedule.
struct Ref {
  uint32_t value = 0;
  int32_t index = 0;
  friend auto operator<=>(const Ref &, const Ref &) = default;
};

/// One plane of vectors on their way. All cycles are relative to the begin of
/// the pattern.
struct Leg {
  Flow flow;
  /// If a bank reads or writes the vectors: which, when, and their rows.
  enum class Access : uint8_t { none, read, write } kind = Access::none;
  Bank bank;
  Cycles access;
  Home *home = nullptr;
  std::vector<Ref> refs;
  int64_t plane = 0;
  /// If the vectors are some of those of another leg, and taken as they pass:
  /// which. Its flow is what is reserved.
  std::optional<size_t> within = std::nullopt;
};

/// Instructions of one queue, which is one of several.
struct Issue {
  std::vector<std::pair<Queue, CycleSet *>> queues;
  Cycles cycles;
};

struct Pattern {
  std::vector<Leg> legs;
  std::vector<Issue> issues;
  /// It does not begin before.
  int64_t earliest = 0;
  /// For errors: the unit that it is about.
  int64_t position = 0;
};

/// Where a pattern was put.
struct Placed {
  int64_t begin = 0;
  /// Of each leg, and of each issue.
  std::vector<Stream> streams;
  std::vector<Queue> queues;

  /// The streams of the legs first, first + 1, ..
  [[nodiscard]] StreamList streamsOf(size_t first, size_t count) const {
    return {streams.begin() + static_cast<std::ptrdiff_t>(first),
            streams.begin() + static_cast<std::ptrdiff_t>(first + count)};
  }
};

/// A vector on streams, as an operand or result of an instruction.
[[nodiscard]] Port streamPort(StreamList streams, const Ref &ref);

class Timetable {
public:
  Timetable(const Machine &machine, const ScheduleChoices &choices,
            Emitter emitter)
      : memory(machine, choices), emitter(std::move(emitter)), machine(machine),
        streams(machine) {}

  /// Finds the first cycle that fits, reserves it, and emits what banks read
  /// and write. Errors: the machine has not enough queues, banks or streams for
  /// the pattern.
  StatusOr<Placed> fit(const Pattern &pattern);
  /// The cycles of a queue other than a bank's.
  [[nodiscard]] CycleSet &cyclesOf(const Queue &queue) { return queues[queue]; }

  /// Adds the legs of vectors from their rows, one every `step` cycles, to a
  /// unit which takes the first one in cycle `at`. `plane`: only that one.
  void addReads(Pattern &pattern, Home &home, std::vector<Ref> refs,
                int64_t position, int64_t at, int64_t step,
                std::optional<int64_t> plane = std::nullopt) const;
  /// The same from a unit, which puts the first one in cycle `at`, to rows.
  void addWrites(Pattern &pattern, Home &home, std::vector<Ref> refs,
                 int64_t position, int64_t at, int64_t step) const;
  /// A write of one plane that is there in cycle `cycle` on `stream`; the bank
  /// is reserved already.
  void emitWrites(const Leg &leg, int64_t begin, const Stream &stream);

  /// All lines, by cycle and queue. Nothing is placed any more: the tables of
  /// streams and queues, which are large, are freed.
  [[nodiscard]] std::vector<Instruction> take() {
    streams.clear();
    queues.clear();
    return emitter.take();
  }

  /// The last cycle in which something that was written can be read, plus one.
  [[nodiscard]] int64_t length() const { return end; }
  /// What it took to place all: legs and issues in each cycle that was tried,
  /// and, as these take longer, eight times the banks that were looked at and
  /// the vectors that flow. It grows with the time, about.
  [[nodiscard]] int64_t work() const {
    return tried + 8 * (memory.work() + reserved);
  }

  /// Gives back what it holds for finding more places: nothing is placed after.
  void close() {
    streams = StreamSet(machine);
    queues.clear();
  }

  /// About how many lines there are: one for each leg and issue, whether they
  /// are kept or not.
  [[nodiscard]] int64_t expectedLines() const { return lines; }

  Memory memory;
  Emitter emitter;

private:
  [[nodiscard]] int64_t lowerBound(const Pattern &pattern) const;
  /// How many cycles later the pattern may fit; 0 if it does, and `placed` says
  /// how.
  [[nodiscard]] int64_t tryAt(const Pattern &pattern, Placed &placed);
  [[nodiscard]] int64_t chooseQueues(const Pattern &pattern, Placed &placed);
  [[nodiscard]] bool chooseStreams(const Pattern &pattern, Placed &placed);
  void reserve(const Pattern &pattern, const Placed &placed);
  void emitReads(const Leg &leg, int64_t begin, const Stream &stream);

  const Machine &machine;
  StreamSet streams;
  std::map<Queue, CycleSet> queues;
  int64_t end = 0, tried = 0, reserved = 0, lines = 0;
  /// Nothing is reserved from here on.
  int64_t horizon = 0;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SCHEDULE_TIMETABLE_H
