#include "spatial/program/History.h"
#include <algorithm>

namespace tilewright::spatial {

/// The plane of a queue of weights or activations, as one queue.
static Queue planeOf(Queue queue) {
  queue.kind = QueueKind::activations;
  return queue;
}

/// Cycles from a mul to its result, in which it reads an accumulator, too.
static int64_t sumOffset(const Machine &machine, const Instruction &in) {
  return machine.mxm.passes.at(in.type) - 1 + machine.mxm.delay;
}

static const Port &portOf(const PortList &ports, Port::Kind kind) {
  static const Port none;
  auto at = std::ranges::find(ports, kind, &Port::kind);
  return at == ports.end() ? none : *at;
}

History::History(const Schedule &schedule, const Flows &flows)
    : schedule(schedule), machine(schedule.machine), flows(flows) {
  flows.visitLines([&](const Instruction &line, Issue) { add(line); });
  for (std::map<Cell, Cycles> *table : {&writes, &reads, &sums})
    for (auto &[cell, cycles] : *table)
      std::ranges::sort(cycles);
  for (auto &[cell, buffer] : buffers) {
    std::ranges::sort(buffer.loads, {}, &BufferUse::cycle);
    std::ranges::sort(buffer.products, {}, &BufferUse::cycle);
  }
}

/// How many rows of its buffer a load fills.
int64_t History::rowsOfLoad(const Instruction &in) const {
  const Port &from = in.operands[0];
  return static_cast<int64_t>(from.streams.size()) /
         machine.planesOf(schedule.values[from.name.value].dtype);
}

void History::add(const Instruction &in) {
  for (int64_t i = 0; i < in.count; ++i) {
    const int64_t cycle = in.cycle + i * in.step;
    if (in.opcode == Opcode::read) {
      reads[{in.queue, in.operands[0].index.at(i)}].push_back(cycle);
    } else if (in.opcode == Opcode::write) {
      writes[{in.queue, in.results[0].index.at(i)}].push_back(cycle);
    } else if (in.opcode == Opcode::load) {
      const Port &to = in.results[0];
      buffers[{planeOf(in.queue), to.index.at(i)}].loads.push_back(
          {cycle, cycle + 1, to.bufferRow.at(i), rowsOfLoad(in)});
    } else if (in.opcode == Opcode::mul) {
      const Port &weights = portOf(in.operands, Port::Kind::buffer);
      buffers[{in.queue, weights.index.at(i)}].products.push_back(
          {cycle, cycle + machine.mxm.passes.at(in.type), 0, in.rows});
      const Port &to = portOf(in.results, Port::Kind::accumulator);
      if (to.kind == Port::Kind::accumulator)
        sums[{in.queue, to.index.at(i)}].push_back(cycle +
                                                   sumOffset(machine, in));
    }
  }
}

/// The last entry that is below `limit`, or null.
template <typename Entries, typename Projection = std::identity>
static auto lastBelow(const Entries &entries, int64_t limit,
                      Projection projection = {}) {
  auto after = std::ranges::lower_bound(entries, limit, {}, projection);
  return after == entries.begin() ? nullptr : &*std::prev(after);
}

/// When what a row holds in `cycle` became readable.
int64_t History::readyRow(const Instruction &in, int64_t repetition,
                          int64_t cycle) const {
  const int64_t row = in.operands[0].index.at(repetition);
  const int64_t rows = in.opcode == Opcode::gather ? in.rows : 1;
  const int64_t delay = machine.mem.writeDelay;
  int64_t ready = 0;
  for (auto at = writes.lower_bound({in.queue, row});
       at != writes.end() && at->first < Cell(in.queue, row + rows); ++at)
    if (const int64_t *write = lastBelow(at->second, cycle - delay + 1))
      ready = std::max(ready, *write + delay);
  return ready;
}

int64_t History::readyProduct(const Instruction &in, int64_t repetition,
                              int64_t cycle) const {
  int64_t ready = 0;
  const Port &weights = portOf(in.operands, Port::Kind::buffer);
  auto buffer = buffers.find({in.queue, weights.index.at(repetition)});
  if (buffer != buffers.end()) {
    const std::vector<BufferUse> &loads = buffer->second.loads;
    auto at = std::ranges::lower_bound(loads, cycle, {}, &BufferUse::cycle);
    while (at != loads.begin() && std::prev(at)->row >= in.rows)
      --at;
    if (at != loads.begin())
      ready = std::prev(at)->end;
  }
  const Port &sum = portOf(in.operands, Port::Kind::accumulator);
  auto cell = sums.find({in.queue, sum.index.at(repetition)});
  if (sum.kind == Port::Kind::accumulator && cell != sums.end()) {
    const int64_t offset = sumOffset(machine, in);
    if (const int64_t *made = lastBelow(cell->second, cycle + offset))
      ready = std::max(ready, *made + 1 - offset);
  }
  return ready;
}

int64_t History::ready(Issue issue) const {
  const Instruction &in = flows.line(issue);
  const int64_t repetition = flows.repetition(issue);
  const int64_t cycle = in.cycle + repetition * in.step;
  switch (in.opcode) {
  case Opcode::read:
  case Opcode::gather:
    return readyRow(in, repetition, cycle);
  case Opcode::mul:
    return readyProduct(in, repetition, cycle);
  case Opcode::receive:
    return cycle; // It comes in this cycle only.
  default:
    return 0;
  }
}

int64_t History::bufferFree(Issue issue) const {
  const Instruction &in = flows.line(issue);
  if (in.opcode != Opcode::load)
    return 0;
  const int64_t repetition = flows.repetition(issue);
  const Port &to = in.results[0];
  auto buffer = buffers.find({planeOf(in.queue), to.index.at(repetition)});
  if (buffer == buffers.end())
    return 0;
  const std::vector<BufferUse> &products = buffer->second.products;
  auto at = std::ranges::lower_bound(products, flows.cycleOf(issue), {},
                                     &BufferUse::cycle);
  while (at != products.begin() &&
         std::prev(at)->rows <= to.bufferRow.at(repetition))
    --at;
  return at == products.begin() ? 0 : std::prev(at)->end;
}

int64_t History::rowFree(Issue issue) const {
  const Instruction &in = flows.line(issue);
  if (in.opcode != Opcode::write)
    return 0;
  auto cell =
      reads.find({in.queue, in.results[0].index.at(flows.repetition(issue))});
  if (cell == reads.end())
    return 0;
  const int64_t *read = lastBelow(cell->second, flows.cycleOf(issue));
  return read ? *read + 1 : 0;
}

} // namespace tilewright::spatial
