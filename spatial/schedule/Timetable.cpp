#include "spatial/schedule/Timetable.h"

#include "support/Format.h"

namespace tilewright::spatial {

Port streamPort(StreamList streams, const Ref &ref) {
  Port port;
  port.streams = std::move(streams);
  port.name = {ref.value, {ref.index, 0}};
  return port;
}

//===--- Legs -------------------------------------------------------------===//

void Timetable::addReads(Pattern &pattern, Home &home, std::vector<Ref> refs,
                         int64_t position, int64_t at, int64_t step,
                         std::optional<int64_t> plane) const {
  const auto count = static_cast<int64_t>(refs.size());
  for (int64_t j = 0; j < home.planes; ++j) {
    if (plane && j != *plane)
      continue;
    Leg leg;
    leg.kind = Leg::Access::read;
    leg.plane = j;
    leg.bank = home.bankOf(refs.front().index, j);
    leg.flow.from = leg.bank.position;
    leg.flow.to = position;
    leg.flow.cycles = {at - leg.flow.distance(), count, step, 1};
    leg.access = leg.flow.cycles.later(-machine.mem.readDelay);
    leg.home = &home;
    leg.refs = refs;
    pattern.legs.push_back(std::move(leg));
  }
}

void Timetable::addWrites(Pattern &pattern, Home &home, std::vector<Ref> refs,
                          int64_t position, int64_t at, int64_t step) const {
  const auto count = static_cast<int64_t>(refs.size());
  for (int64_t plane = 0; plane < home.planes; ++plane) {
    Leg leg;
    leg.kind = Leg::Access::write;
    leg.plane = plane;
    leg.bank = home.bankOf(refs.front().index, plane);
    leg.flow.from = position;
    leg.flow.to = leg.bank.position;
    leg.flow.cycles = {at, count, step, 1};
    leg.access = leg.flow.cycles.later(leg.flow.distance());
    leg.home = &home;
    leg.refs = refs;
    pattern.legs.push_back(std::move(leg));
  }
}

//===--- The search -------------------------------------------------------===//

int64_t Timetable::lowerBound(const Pattern &pattern) const {
  int64_t bound = pattern.earliest;
  for (const Leg &leg : pattern.legs) {
    bound = std::max(bound, -leg.flow.cycles.first);
    if (leg.kind == Leg::Access::none)
      continue;
    // No access is before cycle 0, before the write, or while the row holds
    // something else.
    bound = std::max(bound, -leg.access.first);
    if (leg.kind == Leg::Access::write)
      bound = std::max(bound, leg.home->freeFrom - leg.access.first);
    else
      for (size_t i = 0; i < leg.refs.size(); ++i)
        bound = std::max(bound, leg.home->readyAt(leg.refs[i].index) -
                                    leg.access.at(static_cast<int64_t>(i)));
  }
  for (const Issue &issue : pattern.issues)
    bound = std::max(bound, -issue.cycles.first);
  return bound;
}

int64_t Timetable::chooseQueues(const Pattern &pattern, Placed &placed) {
  placed.queues.clear();
  for (size_t i = 0; i < pattern.issues.size(); ++i) {
    const Issue &issue = pattern.issues[i];
    auto isTaken = [&](const Queue &queue) {
      for (size_t k = 0; k < i; ++k)
        if (placed.queues[k] == queue &&
            overlap(pattern.issues[k].cycles, issue.cycles))
          return true;
      return false;
    };
    int64_t least = INT64_MAX;
    for (const auto &[queue, cycles] : issue.queues) {
      const int64_t delay =
          isTaken(queue)
              ? 1
              : cycles->delayToFree(issue.cycles.later(placed.begin));
      least = std::min(least, delay);
      if (delay == 0) {
        placed.queues.push_back(queue);
        break;
      }
    }
    if (least > 0)
      return std::min<int64_t>(least, horizon + 1);
  }
  return 0;
}

bool Timetable::chooseStreams(const Pattern &pattern, Placed &placed) {
  placed.streams.clear();
  for (size_t i = 0; i < pattern.legs.size(); ++i) {
    if (pattern.legs[i].within) {
      placed.streams.push_back(placed.streams[*pattern.legs[i].within]);
      continue;
    }
    const Flow flow = pattern.legs[i].flow.later(placed.begin);
    std::optional<Stream> stream = streams.find(flow, 0);
    auto isTaken = [&] {
      for (size_t k = 0; k < i; ++k)
        if (placed.streams[k] == *stream && !pattern.legs[k].within &&
            clash(pattern.legs[k].flow, pattern.legs[i].flow))
          return true;
      return false;
    };
    while (stream && isTaken())
      stream = streams.find(flow, stream->number + 1);
    if (!stream)
      return false;
    placed.streams.push_back(*stream);
  }
  return true;
}

int64_t Timetable::tryAt(const Pattern &pattern, Placed &placed) {
  if (const int64_t delay = chooseQueues(pattern, placed); delay > 0)
    return delay;
  for (const Leg &leg : pattern.legs)
    if (leg.kind != Leg::Access::none)
      if (const int64_t delay =
              memory.port(leg.bank).delayToFree(leg.access.later(placed.begin));
          delay > 0)
        return delay;
  return chooseStreams(pattern, placed) ? 0 : 1;
}

void Timetable::reserve(const Pattern &pattern, const Placed &placed) {
  lines += static_cast<int64_t>(pattern.issues.size() + pattern.legs.size());
  for (size_t i = 0; i < pattern.issues.size(); ++i) {
    const Cycles cycles = pattern.issues[i].cycles.later(placed.begin);
    horizon = std::max(horizon, cycles.end());
    for (const auto &[queue, set] : pattern.issues[i].queues)
      if (queue == placed.queues[i])
        set->add(cycles);
  }
  for (size_t i = 0; i < pattern.legs.size(); ++i) {
    const Leg &leg = pattern.legs[i];
    const Flow flow = leg.flow.later(placed.begin);
    reserved += flow.cycles.count;
    if (!leg.within)
      streams.add(flow, placed.streams[i]);
    horizon = std::max(horizon, flow.cycles.end() + flow.distance());
    if (leg.kind != Leg::Access::none) {
      memory.port(leg.bank).add(leg.access.later(placed.begin));
      horizon = std::max(horizon, leg.access.later(placed.begin).end());
    }
  }
}

StatusOr<Placed> Timetable::fit(const Pattern &pattern) {
  // Two accesses of one bank at a time fit nowhere.
  for (size_t i = 0; i < pattern.legs.size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      const Leg &a = pattern.legs[i], &b = pattern.legs[k];
      if (a.kind != Leg::Access::none && b.kind != Leg::Access::none &&
          a.bank == b.bank && overlap(a.access, b.access))
        return Status::unsupported(
            format("the unit at position {} needs two rows of bank {} at "
                   "position {} in one cycle",
                   {pattern.position, a.bank.number, a.bank.position}));
    }

  Placed placed;
  placed.begin = lowerBound(pattern);
  // Behind all that is reserved, the pattern is alone.
  int64_t first = 0;
  for (const Leg &leg : pattern.legs)
    first = std::min({first, leg.flow.cycles.first,
                      leg.kind == Leg::Access::none ? 0 : leg.access.first});
  const auto width = static_cast<int64_t>(machine.units.size());
  const int64_t last = std::max(placed.begin, horizon - first + width);
  while (placed.begin <= last) {
    tried += static_cast<int64_t>(pattern.legs.size() + pattern.issues.size());
    const int64_t delay = tryAt(pattern, placed);
    if (delay == 0) {
      reserve(pattern, placed);
      for (size_t i = 0; i < pattern.legs.size(); ++i)
        if (pattern.legs[i].kind == Leg::Access::read)
          emitReads(pattern.legs[i], placed.begin, placed.streams[i]);
        else if (pattern.legs[i].kind == Leg::Access::write)
          emitWrites(pattern.legs[i], placed.begin, placed.streams[i]);
      return std::move(placed);
    }
    placed.begin =
        placed.begin < last ? std::min(placed.begin + delay, last) : last + 1;
  }
  return Status::unsupported(
      format("the unit at position {} has not enough queues or streams for {} "
             "instructions and {} streams at a time",
             {pattern.position, pattern.issues.size(), pattern.legs.size()}));
}

//===--- Lines ------------------------------------------------------------===//

/// The read of a vector's plane, or the write, in cycle `cycle`.
static Instruction accessOf(const Leg &leg, size_t i, int64_t cycle,
                            const Stream &stream) {
  const Ref &ref = leg.refs[i];
  const bool isRead = leg.kind == Leg::Access::read;
  Instruction access;
  access.opcode = isRead ? Opcode::read : Opcode::write;
  access.queue = {leg.bank.position, QueueKind::bank, leg.bank.number};
  access.cycle = cycle;
  Port row, flow;
  row.kind = Port::Kind::row;
  row.index.start = leg.home->rowOf(ref.index, leg.plane);
  flow.streams = {stream};
  row.name = flow.name = {ref.value, {ref.index, 0}};
  row.plane = flow.plane = leg.plane;
  access.operands = {isRead ? row : flow};
  access.results = {isRead ? flow : row};
  return access;
}

void Timetable::emitReads(const Leg &leg, int64_t begin, const Stream &stream) {
  Emitter::Run run(emitter);
  for (size_t i = 0; i < leg.refs.size(); ++i) {
    const int64_t cycle = begin + leg.access.at(static_cast<int64_t>(i));
    leg.home->lastRead = std::max(leg.home->lastRead, cycle);
    if (emitter.keepsLines)
      run.add(accessOf(leg, i, cycle, stream));
  }
}

void Timetable::emitWrites(const Leg &leg, int64_t begin,
                           const Stream &stream) {
  Emitter::Run run(emitter);
  for (size_t i = 0; i < leg.refs.size(); ++i) {
    const int64_t cycle = begin + leg.access.at(static_cast<int64_t>(i));
    const int64_t ready = cycle + machine.mem.writeDelay;
    int64_t &slot = leg.home->ready[leg.home->slots[leg.refs[i].index]];
    slot = std::max(slot, ready);
    end = std::max(end, ready + 1);
    if (emitter.keepsLines)
      run.add(accessOf(leg, i, cycle, stream));
  }
}

} // namespace tilewright::spatial
