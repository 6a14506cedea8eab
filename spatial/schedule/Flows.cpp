//===- Flows.cpp - From rows to a unit, and back --------------------------===//
#include "spatial/schedule/Scheduler.h"

#include "support/Format.h"

using namespace mlir;

namespace tilewright::spatial {

std::vector<Scheduler::Leg> Scheduler::legsOf(const Pattern &pattern,
                                              const Source &source,
                                              int64_t begin) const {
  std::vector<Leg> legs;
  const int64_t vector = source.refs.front().index;
  for (int64_t plane = 0; plane < source.home->planes; ++plane) {
    if (pattern.plane && plane != *pattern.plane)
      continue;
    Leg leg;
    leg.plane = plane;
    leg.bank = source.home->bankOf(vector, plane);
    leg.flow.from = leg.bank.position;
    leg.flow.to = pattern.position;
    leg.flow.cycles = {begin - leg.flow.distance(), pattern.count, pattern.step,
                       1};
    leg.access = leg.flow.cycles.later(-machine.mem.readDelay);
    legs.push_back(leg);
  }
  return legs;
}

std::vector<Scheduler::Leg> Scheduler::resultLegs(const Pattern &pattern,
                                                  int64_t begin) const {
  std::vector<Leg> legs;
  if (!pattern.target)
    return legs;
  const int64_t vector = pattern.results.front().index;
  for (int64_t plane = 0; plane < pattern.target->planes; ++plane) {
    Leg leg;
    leg.plane = plane;
    leg.bank = pattern.target->bankOf(vector, plane);
    leg.flow.from = pattern.position;
    leg.flow.to = leg.bank.position;
    leg.flow.cycles = {begin + pattern.delay, pattern.count, pattern.step, 1};
    leg.access = leg.flow.cycles.later(leg.flow.distance());
    legs.push_back(leg);
  }
  return legs;
}

int64_t Scheduler::lowerBound(const Pattern &pattern) const {
  int64_t bound = pattern.earliest;
  for (const Source &source : pattern.sources)
    for (const Leg &leg : legsOf(pattern, source, 0)) {
      // The read is not before cycle 0, and behind the write.
      bound = std::max(bound, -leg.access.first);
      for (auto [i, ref] : llvm::enumerate(source.refs))
        bound = std::max(bound, source.home->readyAt(ref.index) -
                                    leg.access.at(static_cast<int64_t>(i)));
    }
  for (const Leg &leg : resultLegs(pattern, 0))
    bound = std::max(bound, pattern.target->freeFrom - leg.access.first);
  return bound;
}

std::optional<Scheduler::Placed> Scheduler::tryAt(const Pattern &pattern,
                                                  int64_t begin) {
  Placed placed;
  placed.begin = begin;
  const Cycles issue{begin, pattern.count, pattern.step, pattern.width};
  const auto free = llvm::find_if(pattern.queues, [&](const auto &queue) {
    return queue.second->isFree(issue);
  });
  if (free == pattern.queues.end())
    return std::nullopt;
  placed.queue = free->first;
  std::vector<std::vector<Leg>> sources;
  for (const Source &source : pattern.sources)
    sources.push_back(legsOf(pattern, source, begin));
  const std::vector<Leg> results = resultLegs(pattern, begin);
  for (const std::vector<Leg> &legs : sources)
    for (const Leg &leg : legs)
      if (!memory.port(leg.bank).isFree(leg.access))
        return std::nullopt;
  for (const Leg &leg : results)
    if (!memory.port(leg.bank).isFree(leg.access))
      return std::nullopt;
  std::vector<Stream> taken;
  auto find = [&](const std::vector<Leg> &legs, std::vector<Stream> &found) {
    for (const Leg &leg : legs) {
      std::optional<Stream> stream = streams.find(leg.flow, taken);
      if (!stream)
        return false;
      taken.push_back(*stream);
      found.push_back(*stream);
    }
    return true;
  };
  for (const std::vector<Leg> &legs : sources)
    if (!find(legs, placed.sources.emplace_back()))
      return std::nullopt;
  if (!find(results, placed.result))
    return std::nullopt;
  return placed;
}

void Scheduler::reserve(const Pattern &pattern, const Placed &placed) {
  for (const auto &[queue, cycles] : pattern.queues)
    if (queue == placed.queue)
      cycles->add({placed.begin, pattern.count, pattern.step, pattern.width});
  auto take = [&](const std::vector<Leg> &legs,
                  const std::vector<Stream> &found) {
    for (auto [leg, stream] : llvm::zip(legs, found)) {
      memory.port(leg.bank).add(leg.access);
      streams.add(leg.flow, stream);
    }
  };
  for (auto [source, found] : llvm::zip(pattern.sources, placed.sources))
    take(legsOf(pattern, source, placed.begin), found);
  take(resultLegs(pattern, placed.begin), placed.result);
}

/// The read of a vector's plane, or the write, in cycle `cycle`.
static Instruction accessOf(Opcode opcode, const Home &home, const Ref &ref,
                            const Bank &bank, int64_t plane, int64_t cycle,
                            const Stream &stream) {
  Instruction access;
  access.opcode = opcode;
  access.queue = {bank.position, QueueKind::bank, bank.number};
  access.cycle = cycle;
  Port row, flow;
  row.kind = Port::Kind::row;
  row.index.start = home.rowOf(ref.index, plane);
  flow.streams = {stream};
  row.name = flow.name = {ref.value, {ref.index, 0}};
  row.plane = flow.plane = plane;
  const bool isRead = opcode == Opcode::read;
  access.operands = {isRead ? row : flow};
  access.results = {isRead ? flow : row};
  return access;
}

void Scheduler::emitReads(Home &home, ArrayRef<Ref> refs, ArrayRef<Leg> legs,
                          ArrayRef<Stream> found) {
  for (auto [leg, stream] : llvm::zip(legs, found)) {
    Emitter::Run run(emitter);
    for (auto [i, ref] : llvm::enumerate(refs)) {
      const int64_t cycle = leg.access.at(static_cast<int64_t>(i));
      home.lastRead = std::max(home.lastRead, cycle);
      run.add(accessOf(Opcode::read, home, ref, leg.bank, leg.plane, cycle,
                       stream));
    }
  }
}

void Scheduler::emitWrites(Home &home, ArrayRef<Ref> refs, ArrayRef<Leg> legs,
                           ArrayRef<Stream> found) {
  for (auto [leg, stream] : llvm::zip(legs, found)) {
    Emitter::Run run(emitter);
    for (auto [i, ref] : llvm::enumerate(refs)) {
      const int64_t cycle = leg.access.at(static_cast<int64_t>(i));
      const int64_t ready = cycle + machine.mem.writeDelay;
      int64_t &slot = home.ready[home.slots[ref.index]];
      slot = std::max(slot, ready);
      length = std::max(length, ready + 1);
      run.add(accessOf(Opcode::write, home, ref, leg.bank, leg.plane, cycle,
                       stream));
    }
  }
}

void Scheduler::emitFlows(const Pattern &pattern, const Placed &placed) {
  for (auto [source, found] : llvm::zip(pattern.sources, placed.sources))
    emitReads(*source.home, source.refs, legsOf(pattern, source, placed.begin),
              found);
  if (pattern.target)
    emitWrites(*pattern.target, pattern.results,
               resultLegs(pattern, placed.begin), placed.result);
}

StatusOr<Scheduler::Placed> Scheduler::fit(const Pattern &pattern) {
  // More cycles than any schedule so far has: something never fits.
  constexpr int64_t most = int64_t(1) << 22;
  const int64_t first = lowerBound(pattern);
  for (int64_t begin = first; begin < first + most; ++begin)
    if (std::optional<Placed> placed = tryAt(pattern, begin)) {
      reserve(pattern, *placed);
      emitFlows(pattern, *placed);
      return std::move(*placed);
    }
  return Status::unsupported(
      format("the unit at position {} has not enough streams for operands and "
             "results of {} sources",
             {pattern.position, pattern.sources.size()}));
}

} // namespace tilewright::spatial
