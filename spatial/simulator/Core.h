// What all units of the simulated machine share.
#ifndef TILEWRIGHT_SPATIAL_SIMULATOR_CORE_H
#define TILEWRIGHT_SPATIAL_SIMULATOR_CORE_H

#include "spatial/simulator/Calendar.h"
#include "spatial/simulator/Line.h"
#include "spatial/simulator/Streams.h"

namespace tilewright::spatial {

/// Findings, as they are found.
class FindingList {
public:
  explicit FindingList(const Schedule &schedule) : schedule(schedule) {}

  void add(FindingCode code, const Issue &issue, int64_t cycle,
           std::string message);
  /// A finding at a line, but in another queue than the line's.
  void add(FindingCode code, const Issue &issue, int64_t cycle, int64_t chip,
           const Queue &queue, std::string message);
  /// One of the manifest.
  void addWithoutCycle(FindingCode code, int64_t chip, std::string queue,
                       std::string message);
  /// How many have a cycle.
  [[nodiscard]] size_t count() const { return findings.size(); }
  /// All, in order: by cycle, -1 last; then chip; then queue as text.
  std::vector<Finding> ordered(size_t most) &&;

private:
  const Schedule &schedule;
  std::vector<Finding> findings, withoutCycle;
};

class Core {
public:
  /// Names are those of `schedule`.
  Core(const Schedule &schedule, Names names);

  const Schedule &schedule;
  const Machine &machine;
  Names names;
  VectorPool pool;
  /// What is computed with where nothing is: the first finding stands.
  VectorRef zeros;
  FindingList findings;
  int64_t now = 0;

  /// The name of a port, `offset` vectors on.
  [[nodiscard]] NameId nameOf(const Issue &issue, const Port &port,
                              int64_t offset = 0) const {
    return names.of(port.name.value, issue.at(port.name.index) + offset,
                    issue.repetition);
  }
  [[nodiscard]] DType typeOf(const Port &port) const {
    return schedule.values[port.name.value].dtype;
  }
  /// A unit's number, of all chips.
  [[nodiscard]] size_t unitOf(const Issue &issue) const {
    return unitOf(issue.line->chip, issue.instruction().queue.position);
  }
  [[nodiscard]] size_t unitOf(int64_t chip, int64_t position) const {
    return static_cast<size_t>(chip) * machine.units.size() +
           static_cast<size_t>(position);
  }
  [[nodiscard]] size_t units() const {
    return static_cast<size_t>(schedule.chips) * machine.units.size();
  }

  /// Takes one plane of `name` from a stream; zeros and a finding where it is
  /// not there.
  VectorRef takePlane(const Issue &issue, Stream stream, NameId name,
                      int64_t plane);
  /// Takes all planes of the `offset`-th vector from a port's streams.
  VectorRef takeVector(const Issue &issue, const Port &port,
                       int64_t offset = 0);
  /// Puts a vector on a port's streams in `cycle`, now or later.
  void putVector(const Issue &issue, const Port &port, int64_t offset,
                 const VectorRef &lanes, int64_t cycle);
  void putPlane(const Issue &issue, Stream stream, NamedPlane plane,
                int64_t cycle);

  /// Checks that `found` is `name`; a finding says where it is otherwise.
  bool checkName(const Issue &issue, NameId found, NameId name,
                 std::string_view where);

  /// The first cycle in which something is put.
  [[nodiscard]] int64_t nextPut() const { return puts.next(); }
  /// Puts what is due now.
  void putDue();

private:
  struct Put {
    Issue issue;
    Stream stream;
    NamedPlane plane;
  };
  void put(Put event);

  Streams streams;
  Calendar<Put> puts;
  std::vector<Put> due;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SIMULATOR_CORE_H
