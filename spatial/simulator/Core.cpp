#include "spatial/simulator/Core.h"

#include "support/Format.h"
#include <tuple>

namespace tilewright::spatial {

void FindingList::add(FindingCode code, const Issue &issue, int64_t cycle,
                      std::string message) {
  add(code, issue, cycle, issue.line->chip, issue.instruction().queue,
      std::move(message));
}

void FindingList::add(FindingCode code, const Issue &issue, int64_t cycle,
                      int64_t chip, const Queue &queue, std::string message) {
  auto file = static_cast<size_t>(issue.line->chip);
  findings.push_back({code, cycle, chip, printQueue(queue),
                      file < schedule.files.size()
                          ? schedule.files[file]
                          : format("chip-{}.txt", {file}),
                      issue.instruction().line, std::move(message)});
}

void FindingList::addWithoutCycle(FindingCode code, int64_t chip,
                                  std::string queue, std::string message) {
  withoutCycle.push_back({code, -1, chip, std::move(queue), "manifest.json", 0,
                          std::move(message)});
}

std::vector<Finding> FindingList::ordered(size_t most) && {
  auto order = [](const Finding &finding) {
    return std::tie(finding.cycle, finding.chip, finding.queue);
  };
  std::ranges::stable_sort(findings, {}, order);
  std::ranges::stable_sort(withoutCycle, {}, order);
  findings.insert(findings.end(), withoutCycle.begin(), withoutCycle.end());
  if (findings.size() > most)
    findings.resize(most);
  return std::move(findings);
}

Core::Core(const Schedule &schedule, Names names)
    : schedule(schedule), machine(schedule.machine), names(std::move(names)),
      pool(static_cast<size_t>(schedule.machine.lanes)), zeros(pool),
      findings(schedule),
      streams(schedule.chips,
              static_cast<int64_t>(schedule.machine.units.size())) {
  std::ranges::fill(zeros.lanes(), 0);
}

static std::string streamName(Stream stream) {
  return (stream.direction == Direction::east ? "e" : "w") +
         std::to_string(stream.number);
}

bool Core::checkName(const Issue &issue, NameId found, NameId name,
                     std::string_view where) {
  if (found == name)
    return true;
  findings.add(FindingCode::wrongOperand, issue, now,
               format("expected {} {}, found {}",
                      {names.print(name), where, names.print(found)}));
  return false;
}

VectorRef Core::takePlane(const Issue &issue, Stream stream, NameId name,
                          int64_t plane) {
  const NamedPlane *found = streams.seen(
      issue.line->chip, issue.instruction().queue.position, stream, now);
  if (!found) {
    findings.add(FindingCode::missingOperand, issue, now,
                 format("expected {}.{} on {}, found nothing",
                        {names.print(name), plane, streamName(stream)}));
    return zeros;
  }
  if (found->name == name && found->plane == plane)
    return found->lanes;
  findings.add(FindingCode::wrongOperand, issue, now,
               format("expected {}.{} on {}, found {}.{}",
                      {names.print(name), plane, streamName(stream),
                       names.print(found->name), found->plane}));
  return zeros;
}

VectorRef Core::takeVector(const Issue &issue, const Port &port,
                           int64_t offset) {
  auto planes = static_cast<size_t>(machine.planesOf(typeOf(port)));
  size_t first =
      port.streams.size() > planes ? static_cast<size_t>(offset) * planes : 0;
  NameId name = nameOf(issue, port, offset);
  VectorRef lanes;
  for (size_t plane = 0; plane < planes; ++plane) {
    // One finding is enough for a vector.
    size_t before = findings.count();
    lanes = takePlane(issue, port.streams[first + plane], name,
                      static_cast<int64_t>(plane));
    if (findings.count() != before)
      break;
  }
  return lanes;
}

void Core::putVector(const Issue &issue, const Port &port, int64_t offset,
                     const VectorRef &lanes, int64_t cycle) {
  NameId name = nameOf(issue, port, offset);
  for (size_t plane = 0; plane < port.streams.size(); ++plane)
    putPlane(issue, port.streams[plane],
             {name, static_cast<int64_t>(plane), lanes}, cycle);
}

void Core::putPlane(const Issue &issue, Stream stream, NamedPlane plane,
                    int64_t cycle) {
  Put event{issue, stream, std::move(plane)};
  if (cycle == now)
    put(std::move(event));
  else
    puts.add(cycle, std::move(event));
}

void Core::put(Put event) {
  NameId name = event.plane.name;
  int64_t plane = event.plane.plane;
  int64_t position = event.issue.instruction().queue.position;
  if (!streams.put(event.issue.line->chip, position, event.stream, now,
                   std::move(event.plane)))
    findings.add(
        FindingCode::streamCollision, event.issue, now,
        format("{}.{} is put on {} at position {}, where another "
               "value is put in this cycle",
               {names.print(name), plane, streamName(event.stream), position}));
}

void Core::putDue() {
  puts.take(now, due);
  for (Put &event : due)
    put(std::move(event));
}

} // namespace tilewright::spatial
