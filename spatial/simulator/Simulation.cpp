#include "spatial/simulator/Simulation.h"

#include "support/Format.h"
#include <tuple>

namespace tilewright::spatial {

Simulation::Simulation(const Schedule &schedule, Names names, int64_t length,
                       int64_t repetitions,
                       std::vector<std::vector<Lane>> inputs)
    : core(schedule, std::move(names)), memory(core), matrices(core),
      vectors(core), links(core), repetitionLength(length),
      repetitions(repetitions), inputs(std::move(inputs)),
      outputs(schedule.outputs.size()) {
  prepareLines();
}

void Simulation::prepareLines() {
  using Key = std::tuple<int64_t, std::string>;
  std::map<std::pair<int64_t, Queue>, Key> keys;
  const auto &files = core.schedule.instructions;
  for (size_t chip = 0; chip < files.size(); ++chip)
    for (const Instruction &in : files[chip]) {
      auto number = static_cast<int64_t>(chip);
      lines.push_back({&in, number, 0});
      auto [found, isNew] = keys.try_emplace({number, in.queue});
      if (isNew)
        found->second = {number, printQueue(in.queue)};
    }
  std::map<Key, uint32_t> order;
  for (const auto &[queue, key] : keys)
    order.try_emplace(key, 0);
  uint32_t count = 0;
  for (auto &[key, number] : order)
    number = count++;
  std::map<std::pair<int64_t, Queue>, uint32_t> numbers;
  for (const auto &[queue, key] : keys)
    numbers[queue] = order.at(key);
  for (Line &line : lines)
    line.queue = numbers.at({line.chip, line.instruction->queue});
  queues.resize(count);
  std::ranges::stable_sort(lines, {}, [](const Line &line) {
    return std::tuple(line.instruction->cycle, line.queue);
  });
}

int64_t Simulation::cycleOf(const Cursor &cursor) const {
  return lines[cursor.line].instruction->cycle + beginOf(cursor.repetition);
}

int64_t Simulation::nextCycle() const {
  int64_t next =
      std::min({core.nextPut(), matrices.nextProduct(), vectors.nextTake(),
                links.nextArrival(), iterations.next(), cursors.next()});
  if (begun < repetitions)
    next = std::min(next, beginOf(begun));
  return next;
}

/// Puts the lines that are due now into `due`, in the order of their queues.
void Simulation::collectIssues() {
  iterations.take(core.now, due);
  cursors.take(core.now, dueCursors);
  for (Cursor &cursor : dueCursors) {
    for (; cursor.line < lines.size() && cycleOf(cursor) == core.now;
         ++cursor.line)
      due.push_back({&lines[cursor.line], 0, cursor.repetition});
    if (cursor.line < lines.size())
      cursors.add(cycleOf(cursor), cursor);
  }
  std::ranges::stable_sort(
      due, {}, [](const Issue &issue) { return issue.line->queue; });
}

void Simulation::runCycle() {
  for (; begun < repetitions && beginOf(begun) == core.now; ++begun) {
    placeInputs(begun);
    if (!lines.empty())
      cursors.add(cycleOf({begun, 0}), {begun, 0});
  }
  core.putDue();
  links.arriveDue();
  matrices.finishDue();
  vectors.takeDue();
  collectIssues();
  for (const Issue &next : due) {
    const Instruction &in = next.instruction();
    if (next.iteration + 1 < in.count)
      iterations.add(core.now + in.step,
                     {next.line, next.iteration + 1, next.repetition});
    issue(next);
  }
  links.endCycle();
}

void Simulation::run(size_t mostFindings) {
  placeConstants();
  while (core.findings.count() < mostFindings) {
    int64_t next = nextCycle();
    // Outputs are taken before anything of later cycles.
    for (; ended < begun && repetitions > 1 &&
           beginOf(ended) + repetitionLength <= next;
         ++ended)
      takeOutputs(ended);
    if (next == noCycle)
      break;
    core.now = next;
    runCycle();
  }
  if (repetitions == 1)
    takeOutputs(0);
}

/// M9, and the busy cycles of ports and links. MatrixUnits checks those of
/// planes.
void Simulation::checkQueue(const Issue &issue) {
  const Instruction &in = issue.instruction();
  const Machine &machine = core.machine;
  QueueState &queue = queues[issue.line->queue];
  if (queue.last == core.now)
    core.findings.add(
        in.queue.kind == QueueKind::bank ? FindingCode::bankConflict
                                         : FindingCode::unitBusy,
        issue, core.now, "another instruction is issued in this cycle");
  else if (queue.busyUntil >= core.now)
    core.findings.add(in.queue.kind == QueueKind::send ? FindingCode::linkBusy
                                                       : FindingCode::unitBusy,
                      issue, core.now,
                      format("the instruction before takes until cycle {}",
                             {queue.busyUntil}));
  queue.last = core.now;
  if (in.opcode == Opcode::transpose)
    queue.busyUntil = core.now + machine.sxm->transpose - 1;
  else if (in.opcode == Opcode::send)
    queue.busyUntil = core.now + machine.link->vectorCycles - 1;
}

/// M12: that the names that are made may be made so.
void Simulation::checkDefinitions(const Issue &issue) {
  const Instruction &in = issue.instruction();
  switch (in.opcode) {
  case Opcode::gather:
  case Opcode::mul:
  case Opcode::alu:
  case Opcode::map:
  case Opcode::transpose:
    break;
  default: // They keep the name.
    return;
  }
  Definition definition =
      definitionOf(core.names, in, issue.iteration, issue.repetition);
  const Port &port = in.results[0];
  int64_t parts =
      in.opcode == Opcode::transpose ? core.machine.sxm->transpose : 1;
  for (definition.part = 0; definition.part < parts; ++definition.part) {
    NameId name = core.nameOf(issue, port, definition.part);
    Names::Made made = core.names.make(port.name.value, name, definition);
    if (made == Names::Made::well)
      continue;
    core.findings.add(
        FindingCode::wrongOperand, issue, core.now,
        made == Names::Made::inSecondWay
            ? format("{} is made in a second way", {core.names.print(name)})
            : format("{}, of an input or constant, is made",
                     {core.names.print(name)}));
    return;
  }
}

void Simulation::issue(const Issue &issue) {
  if (std::string fault = findCapacityFault(core.schedule, issue);
      !fault.empty())
    return core.findings.add(FindingCode::capacity, issue, core.now,
                             std::move(fault));
  checkQueue(issue);
  checkDefinitions(issue);
  switch (issue.instruction().opcode) {
  case Opcode::read:
    return memory.read(issue);
  case Opcode::write:
    return memory.write(issue);
  case Opcode::gather:
    return memory.gather(issue);
  case Opcode::load:
    return matrices.load(issue);
  case Opcode::mul:
    return matrices.mul(issue);
  case Opcode::alu:
    return vectors.alu(issue);
  case Opcode::map:
    return vectors.map(issue);
  case Opcode::transpose:
    return vectors.transpose(issue);
  case Opcode::send:
    return links.send(issue);
  case Opcode::receive:
    return links.receive(issue);
  }
}

} // namespace tilewright::spatial
