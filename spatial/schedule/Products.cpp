//===- Products.cpp - Sums of products on the planes of mxms --------------===//
//
// All ops that add to the same sums are placed together: their rows are dealt
// to planes, each plane takes the terms in order, and the next weights are
// loaded into another buffer meanwhile.
//
//===----------------------------------------------------------------------===//
#include "spatial/schedule/Scheduler.h"

#include "support/Format.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright::spatial {

//===--- Which ops belong together ----------------------------------------===//

void Scheduler::collectSums() {
  llvm::DenseMap<uint32_t, Operation *> makers;
  llvm::EquivalenceClasses<Operation *> classes;
  for (MultiplyOp op : program.getOps<MultiplyOp>()) {
    makers[numbers.lookup(op.getResult())] = op;
    classes.insert(op);
    if (op.getReads().size() < 3)
      continue;
    for (const Ref &ref : refsOf(op.getReads(), op.getIndices(), 2))
      if (Operation *maker = makers.lookup(ref.value))
        classes.unionSets(op, maker);
  }
  llvm::MapVector<Operation *, SmallVector<MultiplyOp>> members;
  for (MultiplyOp op : program.getOps<MultiplyOp>())
    members[classes.getLeaderValue(op)].push_back(op);
  for (auto &[leader, ops] : members)
    sumsEndingAt[ops.back()] = ops;
}

std::vector<Scheduler::SumRow>
Scheduler::rowsOf(ArrayRef<MultiplyOp> ops) const {
  // The row that a product was added to, while it is the last one of it.
  std::map<Ref, size_t> open;
  std::vector<SumRow> rows;
  for (MultiplyOp op : ops) {
    const uint32_t value = numbers.lookup(op.getResult());
    std::vector<Ref> added;
    if (op.getReads().size() == 3)
      added = refsOf(op.getReads(), op.getIndices(), 2);
    for (int32_t i = 0; i < schedule.values[value].vectors; ++i) {
      size_t row = rows.size();
      if (added.empty()) {
        rows.emplace_back();
      } else {
        auto found = open.find(added[i]);
        row = found->second;
        open.erase(found);
      }
      rows[row].terms.push_back({op, i});
      open[{value, i}] = row;
    }
  }
  return rows;
}

//===--- Weights ----------------------------------------------------------===//

StatusOr<Scheduler::LoadPlan> Scheduler::planLoad(MultiplyOp op) {
  LoadPlan plan;
  plan.first = refsOf(op.getReads(), op.getIndices(), 1).front();
  plan.rows = static_cast<int64_t>(op.getRows());
  std::vector<Ref> refs;
  for (int64_t row = 0; row < plan.rows; ++row)
    refs.push_back(
        {plan.first.value, plan.first.index + static_cast<int32_t>(row)});
  for (Home &home : homes[plan.first.value])
    if (llvm::all_of(refs,
                     [&](const Ref &ref) { return home.holds(ref.index); })) {
      plan.home = &home;
      break;
    }
  if (!plan.home) {
    TILEWRIGHT_ASSIGN_OR_RETURN(plan.home, copy(refs, {}));
  }
  plan.atOnce = std::min(plan.home->groups, plan.rows);
  return plan;
}

std::vector<Scheduler::Leg> Scheduler::loadLegs(const LoadPlan &plan,
                                                const Plane &plane,
                                                int64_t begin) const {
  std::vector<Leg> legs;
  for (int64_t group = 0; group < plan.atOnce; ++group)
    for (int64_t j = 0; j < plan.home->planes; ++j) {
      Leg leg;
      leg.plane = j;
      leg.bank = plan.home->bankOf(plan.first.index + group, j);
      leg.flow.from = leg.bank.position;
      leg.flow.to = plane.position;
      const int64_t count = (plan.rows - group + plan.atOnce - 1) / plan.atOnce;
      leg.flow.cycles = {begin - leg.flow.distance(), count, 1, 1};
      leg.access = leg.flow.cycles.later(-machine.mem.readDelay);
      legs.push_back(leg);
    }
  return legs;
}

void Scheduler::emitLoad(const LoadPlan &plan, const Plane &plane,
                         int64_t begin, int64_t buffer, ArrayRef<Leg> legs,
                         const std::vector<Stream> &found) {
  for (auto [number, leg] : llvm::enumerate(legs)) {
    const auto group = static_cast<int64_t>(number) / plan.home->planes;
    std::vector<Ref> refs;
    for (int64_t i = 0; i < leg.access.count; ++i)
      refs.push_back(
          {plan.first.value,
           plan.first.index + static_cast<int32_t>(i * plan.atOnce + group)});
    emitReads(*plan.home, refs, leg, found[number]);
  }
  Emitter::Run run(emitter);
  for (int64_t i = 0; i < plan.cycles(); ++i) {
    const int64_t row = i * plan.atOnce;
    const int64_t vectors = std::min(plan.atOnce, plan.rows - row);
    Instruction load;
    load.opcode = Opcode::load;
    load.queue = {plane.position, QueueKind::weights, plane.index};
    load.cycle = begin + i;
    Port taken, put;
    taken.streams.assign(found.begin(),
                         found.begin() + vectors * plan.home->planes);
    put.kind = Port::Kind::buffer;
    put.index.start = buffer;
    put.bufferRow.start = row;
    taken.name = put.name = {plan.first.value,
                             {plan.first.index + static_cast<int32_t>(row), 0}};
    load.operands = {taken};
    load.results = {put};
    run.add(std::move(load));
  }
}

StatusOr<Scheduler::Loaded> Scheduler::load(MultiplyOp op, Plane &plane) {
  TILEWRIGHT_ASSIGN_OR_RETURN(LoadPlan plan, planLoad(op));
  const auto buffer = static_cast<int64_t>(llvm::min_element(plane.bufferFree) -
                                           plane.bufferFree.begin());
  int64_t begin = plane.bufferFree[buffer];
  for (const Leg &leg : loadLegs(plan, plane, 0)) {
    begin = std::max(begin, -leg.access.first);
    for (int64_t row = 0; row < plan.rows; ++row)
      begin = std::max(begin, plan.home->readyAt(plan.first.index +
                                                 static_cast<int32_t>(row)) -
                                  leg.access.at(row / plan.atOnce));
  }
  for (;; ++begin) {
    const Cycles issue{begin, plan.cycles(), 1, 1};
    if (!plane.loads.isFree(issue))
      continue;
    std::vector<Leg> legs = loadLegs(plan, plane, begin);
    if (!llvm::all_of(legs, [&](const Leg &leg) {
          return memory.port(leg.bank).isFree(leg.access);
        }))
      continue;
    std::vector<Stream> found;
    for (const Leg &leg : legs)
      if (std::optional<Stream> stream = streams.find(leg.flow, found))
        found.push_back(*stream);
    if (found.size() < legs.size())
      continue;
    for (auto [leg, stream] : llvm::zip(legs, found)) {
      memory.port(leg.bank).add(leg.access);
      streams.add(leg.flow, stream);
    }
    plane.loads.add(issue);
    emitLoad(plan, plane, begin, buffer, legs, found);
    return Loaded{buffer, begin + plan.cycles(), plan.first};
  }
}

//===--- Products ---------------------------------------------------------===//

void Scheduler::emitProducts(MultiplyOp op, Plane &plane, const Loaded &loaded,
                             ArrayRef<SumRow *> rows, const Pattern &pattern,
                             const Placed &placed) {
  const uint32_t value = numbers.lookup(op.getResult());
  const bool adds = op.getReads().size() == 3;
  std::vector<Ref> added;
  if (adds)
    added = refsOf(op.getReads(), op.getIndices(), 2);
  Emitter::Run run(emitter);
  for (auto [i, row] : llvm::enumerate(rows)) {
    const int32_t instance = row->terms[row->next].second;
    Instruction multiply;
    multiply.opcode = Opcode::mul;
    multiply.type = *valueType(op.getOperandType());
    multiply.rows = static_cast<int64_t>(op.getRows());
    multiply.queue = {plane.position, QueueKind::activations, plane.index};
    multiply.cycle = placed.begin + static_cast<int64_t>(i) * pattern.step;
    Port x, weights, result;
    const Ref &ref = pattern.sources.front().refs[i];
    x.streams = placed.sources.front();
    x.name = {ref.value, {ref.index, 0}};
    weights.kind = Port::Kind::buffer;
    weights.index.start = loaded.buffer;
    weights.name = {loaded.first.value, {loaded.first.index, 0}};
    multiply.operands = {x, weights};
    if (adds) {
      Port sum;
      sum.kind = Port::Kind::accumulator;
      sum.index.start = row->accumulator;
      sum.name = {added[instance].value, {added[instance].index, 0}};
      multiply.operands.push_back(sum);
    }
    result.name = {value, {instance, 0}};
    if (pattern.target) {
      result.streams = placed.result;
    } else {
      result.kind = Port::Kind::accumulator;
      result.index.start = row->accumulator;
    }
    multiply.results = {result};
    run.add(std::move(multiply));
  }
}

Status Scheduler::multiply(MultiplyOp op, Plane &plane, const Loaded &loaded,
                           ArrayRef<SumRow *> rows, bool isLast) {
  if (rows.empty())
    return {};
  const int64_t passes = machine.mxm.passes.at(*valueType(op.getOperandType()));
  const int64_t delay = passes - 1 + machine.mxm.delay;
  const uint32_t value = numbers.lookup(op.getResult());
  std::vector<Ref> all = refsOf(op.getReads(), op.getIndices(), 0);
  std::vector<std::vector<Ref>> lists(1);
  std::vector<Ref> results;
  for (const SumRow *row : rows) {
    const int32_t instance = row->terms[row->next].second;
    lists.front().push_back(all[instance]);
    if (isLast)
      results.push_back({value, instance});
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(const std::vector<Run> runs,
                              makeRuns(lists, results));
  for (const Run &run : runs) {
    const int64_t count = run.count();
    SmallVector<SumRow *> part;
    Pattern pattern;
    pattern.position = plane.position;
    pattern.count = count;
    pattern.step = pattern.width = passes;
    pattern.sources = {{run.homes.front(), {}}};
    for (int64_t i : run.instances) {
      part.push_back(rows[i]);
      pattern.sources.front().refs.push_back(lists.front()[i]);
    }
    pattern.queues = {
        {Queue{plane.position, QueueKind::activations, plane.index},
         &plane.activations}};
    pattern.delay = delay;
    pattern.target = run.target;
    pattern.earliest = loaded.from;
    for (auto [i, row] : llvm::enumerate(part)) {
      const int64_t later = delay + static_cast<int64_t>(i) * passes;
      if (row->next > 0)
        pattern.earliest = std::max(pattern.earliest, row->ready - later);
      if (!isLast)
        pattern.earliest = std::max(
            pattern.earliest, plane.accumulatorFree[row->accumulator] - later);
      if (isLast)
        pattern.results.push_back({value, row->terms[row->next].second});
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(Placed placed, fit(pattern));
    emitProducts(op, plane, loaded, part, pattern, placed);
    const int64_t end = placed.begin + count * passes;
    plane.bufferFree[loaded.buffer] =
        std::max(plane.bufferFree[loaded.buffer], end);
    plane.busyUntil = std::max(plane.busyUntil, end);
    for (auto [i, row] : llvm::enumerate(part)) {
      row->ready = placed.begin + static_cast<int64_t>(i) * passes + delay + 1;
      plane.accumulatorFree[row->accumulator] = row->ready;
      ++row->next;
    }
  }
  return {};
}

Status Scheduler::placeBlock(ArrayRef<MultiplyOp> ops,
                             MutableArrayRef<SumRow> rows, Plane &plane) {
  // The accumulators that are free first.
  std::vector<int64_t> order(plane.accumulatorFree.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<int64_t>(i);
  llvm::stable_sort(order, [&](int64_t a, int64_t b) {
    return plane.accumulatorFree[a] < plane.accumulatorFree[b];
  });
  std::vector<int64_t> taken(order.begin(), order.begin() + rows.size());
  llvm::sort(taken);
  for (auto [row, accumulator] : llvm::zip(rows, taken))
    row.accumulator = accumulator;
  for (MultiplyOp op : ops) {
    SmallVector<SumRow *> middle, last;
    for (SumRow &row : rows)
      if (row.next < row.terms.size() && row.terms[row.next].first == op)
        (row.next + 1 == row.terms.size() ? last : middle).push_back(&row);
    if (middle.empty() && last.empty())
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(Loaded loaded, load(op, plane));
    TILEWRIGHT_RETURN_IF_ERROR(multiply(op, plane, loaded, middle, false));
    TILEWRIGHT_RETURN_IF_ERROR(multiply(op, plane, loaded, last, true));
  }
  return {};
}

Status Scheduler::placeSums(ArrayRef<MultiplyOp> ops) {
  std::vector<SumRow> rows = rowsOf(ops);
  std::set<uint32_t> ends;
  for (const SumRow &row : rows)
    ends.insert(numbers.lookup(
        const_cast<MultiplyOp &>(row.terms.back().first).getResult()));
  for (uint32_t value : ends)
    TILEWRIGHT_RETURN_IF_ERROR(makeTargets(value, {}));
  // As many planes as have more products to do than weights to load.
  const auto count = static_cast<int64_t>(rows.size());
  MultiplyOp first = ops.front();
  const int64_t passes =
      machine.mxm.passes.at(*valueType(first.getOperandType()));
  TILEWRIGHT_ASSIGN_OR_RETURN(LoadPlan plan, planLoad(first));
  const int64_t parts =
      std::clamp<int64_t>(count * passes / (2 * plan.cycles()), 1,
                          static_cast<int64_t>(planes.size()));
  const int64_t size =
      std::min<int64_t>(machine.mxm.accumulators, (count + parts - 1) / parts);
  for (int64_t begin = 0; begin < count; begin += size) {
    Plane &plane =
        *llvm::min_element(planes, [](const Plane &a, const Plane &b) {
          return a.busyUntil < b.busyUntil;
        });
    TILEWRIGHT_RETURN_IF_ERROR(placeBlock(
        ops, MutableArrayRef(rows).slice(begin, std::min(size, count - begin)),
        plane));
  }
  return {};
}

} // namespace tilewright::spatial
