// Which instructions of a chip hand vectors to each other, and what each finds
// in its rows, buffers and accumulators. For reports: a wrong schedule gives
// figures of no use, but harmless ones.
#ifndef TILEWRIGHT_SPATIAL_PROGRAM_FLOWS_H
#define TILEWRIGHT_SPATIAL_PROGRAM_FLOWS_H

#include "spatial/program/Schedule.h"
#include <algorithm>
#include <unordered_map>

namespace tilewright::spatial {

/// An instruction: a repetition of a line. They are numbered in the order of
/// lines, then repetitions.
using Issue = uint32_t;
inline constexpr Issue noIssue = UINT32_MAX;

/// An issue and a cycle in which it does something.
struct IssueAt {
  int32_t cycle = 0;
  Issue issue = 0;
};

/// What flows from instruction to instruction: what is put on a stream, or
/// handed from one ALU to another. Positions grow as it flows: those of a
/// westward stream are negative.
class Flows {
public:
  /// Errors: more cycles or instructions than this can look at. Lines that
  /// name what the machine does not have are left out.
  static StatusOr<Flows> of(const Schedule &schedule, size_t chip);

  [[nodiscard]] Issue issues() const { return firstIssue.back(); }
  [[nodiscard]] const Instruction &line(Issue issue) const {
    return lines[lineOf[issue]];
  }
  [[nodiscard]] int64_t repetition(Issue issue) const {
    return issue - firstIssue[lineOf[issue]];
  }
  [[nodiscard]] int64_t cycleOf(Issue issue) const {
    return line(issue).cycle + repetition(issue) * line(issue).step;
  }

  /// Calls `visit(line, issue)` for each line, with its first issue.
  template <typename Visit> void visitLines(Visit visit) const {
    for (size_t i = 0; i < lines.size(); ++i)
      if (firstIssue[i] != firstIssue[i + 1])
        visit(lines[i], firstIssue[i]);
  }

  /// Where an issue takes a vector, or puts one.
  struct End {
    uint32_t wire = 0;
    int32_t position = 0;
    /// Cycles after the issue's.
    int32_t offset = 0;
    bool isPut = false;
  };
  [[nodiscard]] std::span<const End> ends(Issue issue) const {
    const uint32_t line = lineOf[issue];
    return std::span(allEnds).subspan(firstEnd[line],
                                      firstEnd[line + 1] - firstEnd[line]);
  }

  /// What put what is seen there, or noIssue.
  [[nodiscard]] Issue putter(uint32_t wire, int64_t position,
                             int64_t cycle) const;
  /// Calls `visit(issue, position)` for each that takes what is put there.
  template <typename Visit>
  void visitTakers(uint32_t wire, int64_t position, int64_t cycle,
                   Visit visit) const;
  /// Calls `visit(issue)` for each other put that would meet a value, put there
  /// and taken at `last`, until it returns true; whether one did.
  template <typename Visit>
  bool meets(uint32_t wire, int64_t position, int64_t cycle, int64_t last,
             Visit visit) const;

private:
  Flows(const Schedule &schedule, size_t chip)
      : machine(schedule.machine), lines(schedule.instructions[chip]) {}

  /// A put or a take. What flows past a position in a cycle is on one diagonal,
  /// cycle - position.
  struct Event {
    int32_t diagonal = 0, position = 0;
    /// At one position, takes come first: they see what was there before.
    bool isPut = false;
    Issue issue = 0;
  };
  struct Wire {
    /// Between ALUs, nothing flows on.
    bool isAlu = false;
    /// Ordered as the members of an event are.
    std::vector<Event> events;
  };

  void addEnds(size_t line);
  void addStreams(const Port &port, const Queue &queue, int64_t offset,
                  bool isPut, int64_t vectors);
  void addAlu(int64_t position, int64_t alu, int64_t offset, bool isPut);
  uint32_t wireOf(uint64_t key);
  void addEvents(size_t line);
  [[nodiscard]] std::span<const Event> diagonal(uint32_t wire, int64_t position,
                                                int64_t cycle) const;

  const Machine &machine;
  const std::vector<Instruction> &lines;
  /// By line, and one more: the number of the first issue.
  std::vector<Issue> firstIssue;
  /// By issue: its line.
  std::vector<uint32_t> lineOf;
  /// By line, and one more: the first of its `allEnds`.
  std::vector<size_t> firstEnd;
  std::vector<End> allEnds;
  std::unordered_map<uint64_t, uint32_t> wireNumbers;
  std::vector<Wire> wires;
};

template <typename Visit>
void Flows::visitTakers(uint32_t wire, int64_t position, int64_t cycle,
                        Visit visit) const {
  const bool isAlu = wires[wire].isAlu;
  for (const Event &event : diagonal(wire, position, cycle)) {
    if (!event.isPut && (isAlu || event.position > position))
      visit(event.issue, event.position);
    // Those beyond a newer value see that one.
    if (event.isPut && event.position > position)
      return;
  }
}

template <typename Visit>
bool Flows::meets(uint32_t wire, int64_t position, int64_t cycle, int64_t last,
                  Visit visit) const {
  if (wires[wire].isAlu)
    return false;
  // Puts on its way, which would end it.
  for (const Event &event : diagonal(wire, position, cycle))
    if (event.isPut && event.position >= position &&
        event.position < std::max(last, position + 1) && visit(event.issue))
      return true;
  // What passes there, which it would end, if it is taken beyond.
  const Issue before = putter(wire, position, cycle);
  if (before == noIssue || !visit(before))
    return false;
  bool isTaken = false;
  visitTakers(wire, position, cycle, [&](Issue, int64_t) { isTaken = true; });
  return isTaken;
}

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_PROGRAM_FLOWS_H
