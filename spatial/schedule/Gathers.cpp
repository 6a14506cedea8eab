//===- Gathers.cpp - Rows whose number is data ----------------------------===//
//
// Indices flow past the banks of the table, and its rows flow on in the same
// direction: so the planes of a row arrive together, wherever they lie.
//
//===----------------------------------------------------------------------===//
#include "spatial/schedule/Scheduler.h"

#include "support/Format.h"

using namespace mlir;

namespace tilewright::spatial {

/// The least and the greatest position of a home's banks.
static std::pair<int64_t, int64_t> span(const Home &home) {
  auto [least, greatest] = std::minmax_element(
      home.banks.begin(), home.banks.end(),
      [](const Bank &a, const Bank &b) { return a.position < b.position; });
  return {least->position, greatest->position};
}

StatusOr<Home *> Scheduler::tableHome(GatherOp op) {
  std::vector<Ref> rows;
  const Ref first = refsOf(op.getReads(), op.getIndices(), 0).front();
  for (int64_t row = 0; row < static_cast<int64_t>(op.getRows()); ++row)
    rows.push_back({first.value, first.index + static_cast<int32_t>(row)});
  std::vector<int64_t> positions = machine.positionsOf(UnitKind::mem);
  const int64_t least = positions[positions.size() / 4],
                greatest = positions[positions.size() * 3 / 4];
  for (Home &home : homes[first.value]) {
    if (home.groups != 1 || span(home).first < least ||
        span(home).second > greatest)
      continue;
    bool isInOrder = true;
    for (auto [i, row] : llvm::enumerate(rows))
      isInOrder &= home.holds(row.index) &&
                   home.slots[row.index] ==
                       home.slots[first.index] + static_cast<int32_t>(i);
    if (isInOrder)
      return &home;
  }
  HomeRequest request;
  request.firstPosition = least;
  request.lastPosition = greatest;
  return copy(rows, request);
}

Status Scheduler::placeGather(GatherOp op) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Home * table, tableHome(op));
  const auto [least, greatest] = span(*table);
  const uint32_t value = numbers.lookup(op.getResult());
  const int64_t count = schedule.values[value].vectors;
  std::vector<Ref> indices = refsOf(op.getReads(), op.getIndices(), 1);
  HomeRequest request = wholeOf(value);
  // Eastward, or, where no rows are free there, westward.
  bool isEast = true;
  request.firstPosition = greatest + 1;
  StatusOr<Home *> made = makeHome(request);
  if (!made.ok()) {
    isEast = false;
    request.firstPosition = 0;
    request.lastPosition = least - 1;
    made = makeHome(request);
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(Home * target, made);
  auto isBefore = [&](const Home &home) {
    return isEast ? span(home).second < least : span(home).first > greatest;
  };
  constexpr int64_t longest = 256;
  for (int64_t first = 0; first < count;) {
    Home *from = nullptr;
    for (Home &home : homes[indices[first].value])
      if (home.holds(indices[first].index) && isBefore(home))
        from = &home;
    if (!from) {
      std::vector<Ref> needed;
      for (int64_t i = first; i < count; ++i)
        if (indices[i].value == indices[first].value)
          needed.push_back(indices[i]);
      HomeRequest before;
      before.firstPosition = isEast ? 0 : greatest + 1;
      before.lastPosition = isEast ? least - 1 : INT64_MAX;
      TILEWRIGHT_ASSIGN_OR_RETURN(from, copy(needed, before));
    }
    int64_t last = first + 1;
    while (last < count && last - first < longest &&
           indices[last].value == from->value &&
           from->holds(indices[last].index) &&
           from->groupOf(indices[last].index) ==
               from->groupOf(indices[first].index))
      ++last;
    TILEWRIGHT_RETURN_IF_ERROR(placeGatherRun(
        op, *table, *from, *target,
        ArrayRef(indices).slice(first, last - first), first, isEast));
    first = last;
  }
  return {};
}

Status Scheduler::placeGatherRun(GatherOp op, Home &table, Home &from,
                                 Home &target, ArrayRef<Ref> indices,
                                 int64_t firstResult, bool isEast) {
  const auto [least, greatest] = span(table);
  const int64_t near = isEast ? least : greatest,
                far = isEast ? greatest : least;
  const auto count = static_cast<int64_t>(indices.size());
  const uint32_t value = numbers.lookup(op.getResult());
  const Ref first = refsOf(op.getReads(), op.getIndices(), 0).front();
  std::vector<Ref> results;
  for (int64_t i = 0; i < count; ++i)
    results.push_back({value, static_cast<int32_t>(firstResult + i)});
  // Cycle T is when the first index is at the nearest bank of the table.
  auto indexLegs = [&](int64_t begin) {
    std::vector<Leg> legs;
    for (int64_t plane = 0; plane < from.planes; ++plane) {
      Leg leg;
      leg.plane = plane;
      leg.bank = from.bankOf(indices.front().index, plane);
      leg.flow.from = leg.bank.position;
      leg.flow.to = far;
      leg.flow.cycles = {begin - std::abs(near - leg.bank.position), count, 1,
                         1};
      leg.access = leg.flow.cycles.later(-machine.mem.readDelay);
      legs.push_back(leg);
    }
    return legs;
  };
  auto gathers = [&](int64_t begin, int64_t plane) {
    const Bank &bank = table.banks[plane];
    return Cycles{begin + std::abs(bank.position - near), count, 1, 1};
  };
  auto resultLegs = [&](int64_t begin) {
    std::vector<Leg> legs;
    for (int64_t plane = 0; plane < table.planes; ++plane) {
      Leg leg;
      leg.plane = plane;
      leg.bank = target.bankOf(results.front().index, plane);
      leg.flow.from = table.banks[plane].position;
      leg.flow.to = leg.bank.position;
      leg.flow.cycles = gathers(begin, plane).later(machine.mem.indexedDelay);
      leg.access = leg.flow.cycles.later(leg.flow.distance());
      legs.push_back(leg);
    }
    return legs;
  };
  int64_t begin = 0;
  for (const Leg &leg : indexLegs(0)) {
    begin = std::max(begin, -leg.access.first);
    for (auto [i, ref] : llvm::enumerate(indices))
      begin = std::max(begin, from.readyAt(ref.index) -
                                  leg.access.at(static_cast<int64_t>(i)));
  }
  for (int64_t ready : table.ready)
    begin = std::max(begin, ready);
  for (const Leg &leg : resultLegs(0))
    begin = std::max(begin, target.freeFrom - leg.access.first);
  std::vector<Stream> found;
  for (;; ++begin) {
    bool isFree = true;
    for (const Leg &leg : indexLegs(begin))
      isFree &= memory.port(leg.bank).isFree(leg.access);
    for (const Leg &leg : resultLegs(begin))
      isFree &= memory.port(leg.bank).isFree(leg.access);
    for (int64_t plane = 0; plane < table.planes; ++plane)
      isFree &= memory.port(table.banks[plane]).isFree(gathers(begin, plane));
    if (!isFree)
      continue;
    found.clear();
    std::vector<Leg> legs = indexLegs(begin);
    llvm::append_range(legs, resultLegs(begin));
    for (const Leg &leg : legs)
      if (std::optional<Stream> stream = streams.find(leg.flow, found))
        found.push_back(*stream);
    if (found.size() == legs.size())
      break;
  }
  const std::vector<Stream> indexStreams(found.begin(),
                                         found.begin() + from.planes);
  const std::vector<Stream> resultStreams(found.begin() + from.planes,
                                          found.end());
  emitReads(from, indices, indexLegs(begin), indexStreams);
  emitWrites(target, results, resultLegs(begin), resultStreams);
  auto take = [&](ArrayRef<Leg> legs, ArrayRef<Stream> streamsOfLegs) {
    for (auto [leg, stream] : llvm::zip(legs, streamsOfLegs)) {
      memory.port(leg.bank).add(leg.access);
      streams.add(leg.flow, stream);
    }
  };
  take(indexLegs(begin), indexStreams);
  take(resultLegs(begin), resultStreams);
  for (int64_t plane = 0; plane < table.planes; ++plane) {
    const Cycles cycles = gathers(begin, plane);
    memory.port(table.banks[plane]).add(cycles);
    table.lastRead = std::max(table.lastRead, cycles.at(count - 1));
    Emitter::Run run(emitter);
    for (int64_t i = 0; i < count; ++i) {
      Instruction gather;
      gather.opcode = Opcode::gather;
      gather.queue = {table.banks[plane].position, QueueKind::bank,
                      table.banks[plane].number};
      gather.cycle = cycles.at(i);
      gather.rows = static_cast<int64_t>(op.getRows());
      Port row, index, put;
      row.kind = Port::Kind::row;
      row.index.start = table.rowOf(first.index, plane);
      row.name = {first.value, {first.index, 0}};
      row.plane = put.plane = plane;
      index.streams = indexStreams;
      index.name = {indices[i].value, {indices[i].index, 0}};
      put.streams = {resultStreams[plane]};
      put.name = {results[i].value, {results[i].index, 0}};
      gather.operands = {row, index};
      gather.results = {put};
      run.add(std::move(gather));
    }
  }
  return {};
}

} // namespace tilewright::spatial
