//===- Gathers.cpp - Rows whose number is data ----------------------------===//
//
// Indices flow past the banks of the table, and its rows flow on in the same
// direction: so the planes of a row arrive together, wherever they lie.
//
//===----------------------------------------------------------------------===//
#include "spatial/schedule/Scheduler.h"

using namespace mlir;

namespace tilewright::spatial {

StatusOr<Home *> Scheduler::tableHome(const VectorOp &op) {
  std::vector<Ref> rows;
  const Ref first = op.operands.front().front();
  for (int64_t row = 0; row < op.spanOf(0); ++row)
    rows.push_back({first.value, first.index + static_cast<int32_t>(row)});
  std::vector<int64_t> positions = machine.positionsOf(UnitKind::mem);
  const int64_t least = positions[positions.size() / 4],
                greatest = positions[positions.size() * 3 / 4];
  for (Home &home : homes[first.value]) {
    if (home.groups != 1 || home.first < least || home.last > greatest)
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
  return copy(rows, request, {});
}

Status Scheduler::placeGather(const VectorOp &op) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Home * rows, tableHome(op));
  const int64_t least = rows->first, greatest = rows->last;
  const int64_t count = program.values[op.value].vectors;
  const std::vector<Ref> &indices = op.operands[1];
  HomeRequest request = wholeOf(op.value);
  // Eastward, or, where no rows are free there, westward.
  bool isEast = true;
  StatusOr<Home *> made = Status::internal("no direction was tried");
  for (const bool forMakers : {false, true})
    for (const bool direction : {true, false}) {
      if (made.ok())
        break;
      isEast = direction;
      request.firstPosition = isEast ? greatest + 1 : 0;
      request.lastPosition = isEast ? INT64_MAX : least - 1;
      made = forMakers ? makeHomeForMakers(request) : makeHome(request);
    }
  TILEWRIGHT_ASSIGN_OR_RETURN(Home * target, made);
  auto isBefore = [&](const Home &home) {
    return isEast ? home.last < least : home.first > greatest;
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
      TILEWRIGHT_ASSIGN_OR_RETURN(from, copy(needed, before, {}));
    }
    int64_t last = first + 1;
    while (last < count && last - first < longest &&
           indices[last].value == from->value &&
           from->holds(indices[last].index) &&
           from->groupOf(indices[last].index) ==
               from->groupOf(indices[first].index))
      ++last;
    TILEWRIGHT_RETURN_IF_ERROR(placeGatherRun(
        op, *rows, *from, *target, ArrayRef(indices).slice(first, last - first),
        first, isEast));
    first = last;
  }
  return {};
}

Status Scheduler::placeGatherRun(const VectorOp &op, Home &rows, Home &from,
                                 Home &target, ArrayRef<Ref> indices,
                                 int64_t firstResult, bool isEast) {
  const int64_t least = rows.first, greatest = rows.last;
  const int64_t near = isEast ? least : greatest,
                far = isEast ? greatest : least;
  const auto count = static_cast<int64_t>(indices.size());
  const Ref first = op.operands.front().front();
  std::vector<Ref> results;
  for (int64_t i = 0; i < count; ++i)
    results.push_back({op.value, static_cast<int32_t>(firstResult + i)});
  // The pattern begins when the first index is at the nearest bank of the rows.
  Pattern pattern;
  pattern.position = near;
  table.addReads(pattern, from, indices, near, 0, 1);
  for (Leg &leg : pattern.legs)
    leg.flow.to = far;
  const size_t resultLeg = pattern.legs.size();
  for (int64_t plane = 0; plane < rows.planes; ++plane) {
    const Bank &bank = rows.banks[plane];
    const Cycles cycles{std::abs(bank.position - near), count, 1, 1};
    const Queue queue{bank.position, QueueKind::bank, bank.number};
    pattern.issues.push_back({{{queue, &table.memory.port(bank)}}, cycles});
    Leg leg;
    leg.kind = Leg::Access::write;
    leg.plane = plane;
    leg.bank = target.bankOf(results.front().index, plane);
    leg.flow = {bank.position, leg.bank.position,
                cycles.later(machine.mem.indexedDelay)};
    leg.access = leg.flow.cycles.later(leg.flow.distance());
    leg.home = &target;
    leg.refs = results;
    pattern.legs.push_back(std::move(leg));
  }
  for (int64_t ready : rows.ready)
    pattern.earliest = std::max(pattern.earliest, ready);
  TILEWRIGHT_ASSIGN_OR_RETURN(const Placed placed, table.fit(pattern));
  for (int64_t plane = 0; plane < rows.planes; ++plane) {
    const Cycles cycles = pattern.issues[plane].cycles.later(placed.begin);
    rows.lastRead = std::max(rows.lastRead, cycles.at(count - 1));
    Emitter::Run run(table.emitter);
    for (int64_t i = 0; i < count; ++i) {
      Instruction gather;
      gather.opcode = Opcode::gather;
      gather.queue = placed.queues[plane];
      gather.cycle = cycles.at(i);
      gather.rows = op.spanOf(0);
      Port row, index, put;
      row.kind = Port::Kind::row;
      row.index.start = rows.rowOf(first.index, plane);
      row.name = {first.value, {first.index, 0}};
      row.plane = put.plane = plane;
      index.streams = placed.streamsOf(0, from.planes);
      index.name = {indices[i].value, {indices[i].index, 0}};
      put.streams = {placed.streams[resultLeg + plane]};
      put.name = {results[i].value, {results[i].index, 0}};
      gather.operands = {row, index};
      gather.results = {put};
      run.add(std::move(gather));
    }
  }
  return {};
}

} // namespace tilewright::spatial
