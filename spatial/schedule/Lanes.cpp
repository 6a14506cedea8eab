//===- Lanes.cpp - Lane maps and transposes -------------------------------===//
#include "spatial/schedule/Scheduler.h"

using namespace mlir;

namespace tilewright::spatial {

int64_t Scheduler::nearestSxm(const Home &from) const {
  const int64_t at = from.banks.front().position;
  std::vector<int64_t> positions = machine.positionsOf(UnitKind::sxm);
  return *llvm::min_element(positions, [&](int64_t a, int64_t b) {
    return std::abs(a - at) < std::abs(b - at);
  });
}

Issue Scheduler::portsOf(int64_t position, int64_t count) {
  Issue issue;
  for (int64_t port = 0; port < machine.sxm->ports; ++port) {
    Queue queue{position, QueueKind::port, port};
    issue.queues.emplace_back(queue, &table.cyclesOf(queue));
  }
  issue.cycles = {0, count, 1, 1};
  return issue;
}

static std::vector<Ref> resultRefs(uint32_t value, int64_t first,
                                   int64_t count) {
  std::vector<Ref> refs;
  for (int64_t i = 0; i < count; ++i)
    refs.push_back({value, static_cast<int32_t>(first + i)});
  return refs;
}

Status Scheduler::placeMap(const VectorOp &op) {
  std::vector<std::vector<Ref>> lists;
  SmallVector<size_t, 2> which;
  for (const std::vector<Ref> &refs : op.operands) {
    const auto found = llvm::find(lists, refs) - lists.begin();
    which.push_back(found);
    if (found == static_cast<std::ptrdiff_t>(lists.size()))
      lists.push_back(refs);
  }
  const std::vector<Ref> results =
      resultRefs(op.value, 0, program.values[op.value].vectors);
  std::set<Bank> avoid;
  for (const std::vector<Ref> &refs : lists)
    avoid.merge(banksOf(refs));
  TILEWRIGHT_RETURN_IF_ERROR(
      makeTargets(results, nearestSxm(*homeOf(lists.front().front())), avoid,
                  readyAt(lists)));
  SmallVector<Operand, 2> operands;
  for (const std::vector<Ref> &refs : lists)
    operands.push_back({refs, std::nullopt});
  TILEWRIGHT_ASSIGN_OR_RETURN(
      const std::vector<Run> runs,
      makeRuns(static_cast<int64_t>(results.size()), operands, {results}));
  ArrayRef<int32_t> lanes = cast<MapOp>(op.op).getLanes();
  std::string key(reinterpret_cast<const char *>(lanes.data()),
                  lanes.size() * sizeof(int32_t));
  auto [map, isNew] =
      mapNumbers.insert({key, static_cast<uint32_t>(schedule.maps.size())});
  if (isNew)
    schedule.maps.push_back({"m" + std::to_string(schedule.maps.size()),
                             {lanes.begin(), lanes.end()}});
  auto part = [&](ArrayRef<Ref> refs, const Run &run) {
    std::vector<Ref> chosen;
    for (int64_t i : run.instances)
      chosen.push_back(refs[i]);
    return chosen;
  };
  for (const Run &run : runs) {
    Pattern pattern;
    pattern.position = run.sxm;
    pattern.issues = {portsOf(pattern.position, run.count())};
    SmallVector<size_t, 2> legs;
    for (auto [refs, home] : llvm::zip(lists, run.homes)) {
      legs.push_back(pattern.legs.size());
      table.addReads(pattern, *home, part(refs, run), pattern.position, 0, 1);
    }
    const size_t resultLeg = pattern.legs.size();
    table.addWrites(pattern, *run.targets.front(), part(results, run),
                    pattern.position, machine.sxm->delay, 1);
    TILEWRIGHT_ASSIGN_OR_RETURN(const Placed placed, table.fit(pattern));
    const auto planes = static_cast<size_t>(planesOf(op.value));
    Emitter::Run lines(table.emitter);
    for (auto [n, i] : llvm::enumerate(run.instances)) {
      Instruction instruction;
      instruction.opcode = Opcode::map;
      instruction.map = map->second;
      instruction.queue = placed.queues.front();
      instruction.cycle = placed.begin + static_cast<int64_t>(n);
      for (size_t source : which)
        instruction.operands.push_back(streamPort(
            placed.streamsOf(legs[source], planes), lists[source][i]));
      instruction.results = {
          streamPort(placed.streamsOf(resultLeg, planes), results[i])};
      lines.add(std::move(instruction));
    }
  }
  return {};
}

Status Scheduler::makeTransposeTargets(const VectorOp &op) {
  const int64_t size = op.spanOf(0);
  const auto blocks = static_cast<int64_t>(op.operands.front().size());
  const Readers &readers = chains.readers[op.value];
  HomeRequest whole = wholeOf(op.value);
  whole.avoid = banksOf(op.operands.front());
  whole.from = readyAt(op.operands);
  whole.travel = travelOf(op.value, nearestSxm(*homeOf(op.operands[0][0])));
  // Sums over a block read its vectors at once: they are dealt to as many banks
  // as the vector unit has streams for.
  if (readers.alus && !readers.ports && !readers.loads)
    whole.groups = std::min(
        size,
        std::max<int64_t>(1, std::min(machine.streams[0], machine.streams[1]) /
                                 whole.planes));
  // Each mem of a home is on one side of each sxm.
  const auto banks = static_cast<int64_t>(table.memory.banks().size());
  const int64_t most =
      std::clamp<int64_t>(banks / (2 * whole.planes * whole.groups), 1, blocks);
  const int64_t each = (blocks + most - 1) / most * size;
  return makeBlocks(whole, each);
}

void Scheduler::addTransposed(Pattern &pattern, Home &target,
                              ArrayRef<Ref> results) const {
  const auto size = static_cast<int64_t>(results.size());
  const int64_t at = size - 1 + machine.sxm->delay;
  std::vector<Leg> parts;
  for (int64_t plane = 0; plane < target.planes; ++plane) {
    // The vectors flow to the farthest bank, and are written as they pass.
    const size_t whole = pattern.legs.size();
    Leg flow;
    flow.flow = {pattern.position, pattern.position, {at, size, 1, 1}};
    for (int64_t first = 0; first < std::min(target.groups, size); ++first) {
      Leg leg;
      leg.kind = Leg::Access::write;
      leg.plane = plane;
      leg.bank = target.bankOf(results[first].index, plane);
      leg.home = &target;
      leg.within = whole;
      for (int64_t i = first; i < size; i += target.groups)
        leg.refs.push_back(results[i]);
      const auto count = static_cast<int64_t>(leg.refs.size());
      leg.flow = {pattern.position,
                  leg.bank.position,
                  {at + first, count, target.groups, 1}};
      leg.access = leg.flow.cycles.later(leg.flow.distance());
      if (leg.flow.distance() > flow.flow.distance())
        flow.flow.to = leg.flow.to;
      parts.push_back(std::move(leg));
    }
    pattern.legs.push_back(std::move(flow));
  }
  llvm::append_range(pattern.legs, parts);
}

StatusOr<Home *> Scheduler::homeOfBlock(ArrayRef<Ref> refs,
                                        ArrayRef<Bank> avoid,
                                        int64_t position) {
  auto find = [&](ArrayRef<Bank> avoided) -> Home * {
    Home *home = homeOf(refs.front(), avoided, position);
    const bool isTogether =
        home && llvm::all_of(refs, [&](const Ref &ref) {
          return home->holds(ref.index) &&
                 home->groupOf(ref.index) == home->groupOf(refs.front().index);
        });
    return isTogether ? home : nullptr;
  };
  if (Home *home = find(avoid))
    return home;
  HomeRequest request;
  request.avoid = {avoid.begin(), avoid.end()};
  StatusOr<Home *> copied = copy(refs, request, position);
  if (copied.ok())
    return copied;
  // The block is read before its transpose is written: one bank will do.
  if (Home *home = find({}))
    return home;
  return copy(refs, {}, position);
}

Status Scheduler::placeTranspose(const VectorOp &op) {
  const int64_t size = op.spanOf(0);
  const auto planes = static_cast<size_t>(planesOf(op.value));
  TILEWRIGHT_RETURN_IF_ERROR(makeTransposeTargets(op));
  for (auto [group, start] : llvm::enumerate(op.operands.front())) {
    std::vector<Ref> refs;
    for (int64_t i = 0; i < size; ++i)
      refs.push_back({start.value, start.index + static_cast<int32_t>(i)});
    const std::vector<Ref> results =
        resultRefs(op.value, static_cast<int64_t>(group) * size, size);
    Home *target = homeOf(results.front());
    Home *from = homeOf(start, target->banks);
    const int64_t position = nearestSxm(from ? *from : *homeOf(start));
    TILEWRIGHT_ASSIGN_OR_RETURN(from,
                                homeOfBlock(refs, target->banks, position));
    Pattern pattern;
    pattern.position = position;
    pattern.issues = {portsOf(pattern.position, size)};
    table.addReads(pattern, *from, refs, pattern.position, 0, 1);
    addTransposed(pattern, *target, results);
    TILEWRIGHT_ASSIGN_OR_RETURN(const Placed placed, table.fit(pattern));
    Instruction instruction;
    instruction.opcode = Opcode::transpose;
    instruction.queue = placed.queues.front();
    instruction.cycle = placed.begin;
    instruction.operands = {streamPort(placed.streamsOf(0, planes), start)};
    instruction.results = {
        streamPort(placed.streamsOf(planes, planes), results.front())};
    Emitter::Run(table.emitter).add(std::move(instruction));
  }
  return {};
}

} // namespace tilewright::spatial
