//===- Products.cpp - Sums of products on the planes of mxms --------------===//
//
// All ops that add to the same sums are placed together: their rows are dealt
// to planes, each plane takes the terms in order, and the next weights are
// loaded into another buffer meanwhile. A finished sum flows to memory, or into
// the chain of operations that begins with it.
//
//===----------------------------------------------------------------------===//
#include "spatial/schedule/Scheduler.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright::spatial {

std::vector<Scheduler::SumRow>
Scheduler::sumRowsOf(ArrayRef<int32_t> ops) const {
  // The row that a product was added to, while it is the last one of it.
  std::map<Ref, size_t> open;
  std::vector<SumRow> rows;
  for (int32_t number : ops) {
    const VectorOp &op = program.ops[number];
    for (int32_t i = 0; i < program.values[op.value].vectors; ++i) {
      size_t row = rows.size();
      if (op.operands.size() < 3) {
        rows.emplace_back();
      } else {
        auto found = open.find(op.operands[2][i]);
        row = found->second;
        open.erase(found);
      }
      rows[row].terms.push_back({&op, i});
      open[{op.value, i}] = row;
    }
  }
  return rows;
}

//===--- Weights ----------------------------------------------------------===//

StatusOr<Scheduler::LoadPlan> Scheduler::planLoad(const VectorOp &op,
                                                  const Plane &plane) {
  LoadPlan plan;
  plan.first = op.operands[1].front();
  plan.rows = op.spanOf(1);
  std::vector<Ref> refs;
  for (int64_t row = 0; row < plan.rows; ++row)
    refs.push_back(
        {plan.first.value, plan.first.index + static_cast<int32_t>(row)});
  for (Home &home : homes[plan.first.value]) {
    bool isInOrder = true;
    for (auto [row, ref] : llvm::enumerate(refs))
      isInOrder &= home.holds(ref.index) &&
                   home.slots[ref.index] ==
                       home.slots[plan.first.index] + static_cast<int32_t>(row);
    auto distance = [&](const Home &other) {
      return std::abs(other.banks.front().position - plane.position);
    };
    isInOrder &= home.isBeside(plane.position);
    if (isInOrder && (!plan.home || distance(home) < distance(*plan.home)))
      plan.home = &home;
  }
  if (!plan.home) {
    HomeRequest request;
    request.groups = std::min(plan.rows, loadGroups(plan.first.value));
    StatusOr<Home *> made = copy(refs, request, plane.position);
    if (!made.ok()) {
      request.groups = 1;
      made = copy(refs, request, plane.position);
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(plan.home, made);
  }
  plan.atOnce = std::min(plan.home->groups, plan.rows);
  return plan;
}

void Scheduler::emitLoad(const LoadPlan &plan, const Plane &plane,
                         int64_t buffer, const Placed &placed) {
  if (!table.emitter.keepsLines)
    return;
  Emitter::Run run(table.emitter);
  for (int64_t i = 0; i < plan.cycles(); ++i) {
    const int64_t row = i * plan.atOnce;
    const int64_t vectors = std::min(plan.atOnce, plan.rows - row);
    Instruction load;
    load.opcode = Opcode::load;
    load.queue = {plane.position, QueueKind::weights, plane.index};
    load.cycle = placed.begin + i;
    Port taken, put;
    taken.streams = placed.streamsOf(0, vectors * plan.home->planes);
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

StatusOr<Scheduler::Loaded> Scheduler::load(const VectorOp &op, Plane &plane) {
  TILEWRIGHT_ASSIGN_OR_RETURN(LoadPlan plan, planLoad(op, plane));
  for (auto [number, held] : llvm::enumerate(plane.buffers))
    if (held.rows >= plan.rows && held.first == plan.first)
      return Loaded{static_cast<int64_t>(number), held.from, plan.first};
  const auto buffer = static_cast<int64_t>(llvm::min_element(plane.bufferFree) -
                                           plane.bufferFree.begin());
  Pattern pattern;
  pattern.position = plane.position;
  pattern.earliest = plane.bufferFree[buffer];
  const Queue queue{plane.position, QueueKind::weights, plane.index};
  pattern.issues = {{{{queue, &plane.loads}}, {0, plan.cycles(), 1, 1}}};
  for (int64_t group = 0; group < plan.atOnce; ++group) {
    std::vector<Ref> refs;
    for (int64_t row = group; row < plan.rows; row += plan.atOnce)
      refs.push_back(
          {plan.first.value, plan.first.index + static_cast<int32_t>(row)});
    table.addReads(pattern, *plan.home, std::move(refs), plane.position, 0, 1);
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(const Placed placed, table.fit(pattern));
  emitLoad(plan, plane, buffer, placed);
  const int64_t from = placed.begin + plan.cycles();
  plane.bufferFree[buffer] = from;
  plane.buffers[buffer] = {plan.first, plan.rows, from};
  return Loaded{buffer, from, plan.first};
}

//===--- Products ---------------------------------------------------------===//

void Scheduler::emitProducts(const VectorOp &op, Plane &plane,
                             const Loaded &loaded, ArrayRef<SumRow *> rows,
                             const Pattern &pattern, const Placed &placed,
                             size_t resultLeg) {
  if (!table.emitter.keepsLines)
    return;
  auto multiplyOp = cast<MultiplyOp>(op.op);
  Emitter::Run run(table.emitter);
  for (auto [i, row] : llvm::enumerate(rows)) {
    const int32_t instance = row->terms[row->next].second;
    Instruction multiply;
    multiply.opcode = Opcode::mul;
    multiply.type = *valueType(multiplyOp.getOperandType());
    multiply.rows = op.spanOf(1);
    multiply.queue = {plane.position, QueueKind::activations, plane.index};
    multiply.cycle = placed.begin +
                     pattern.issues.front().cycles.at(static_cast<int64_t>(i));
    Port x, weights, result;
    const Ref &ref = op.operands.front()[instance];
    x.streams = placed.streamsOf(0, planesOf(ref.value));
    x.name = {ref.value, {ref.index, 0}};
    weights.kind = Port::Kind::buffer;
    weights.index.start = loaded.buffer;
    weights.name = {loaded.first.value, {loaded.first.index, 0}};
    multiply.operands = {x, weights};
    if (op.operands.size() == 3) {
      const Ref &added = op.operands[2][instance];
      Port sum;
      sum.kind = Port::Kind::accumulator;
      sum.index.start = row->accumulator;
      sum.name = {added.value, {added.index, 0}};
      multiply.operands.push_back(sum);
    }
    result.name = {op.value, {instance, 0}};
    if (resultLeg < pattern.legs.size()) {
      result.streams = placed.streamsOf(resultLeg, planesOf(op.value));
    } else {
      result.kind = Port::Kind::accumulator;
      result.index.start = row->accumulator;
    }
    multiply.results = {result};
    run.add(std::move(multiply));
  }
}

Status Scheduler::multiply(const VectorOp &op, Plane &plane,
                           const Loaded &loaded, ArrayRef<SumRow *> rows,
                           bool isLast, const ChainRows *chain) {
  if (rows.empty())
    return {};
  std::vector<Ref> factors;
  for (const SumRow *row : rows)
    factors.push_back(op.operands[0][row->terms[row->next].second]);
  SmallVector<Operand, 4> operands = {{factors, plane.position}};
  std::vector<std::vector<Ref>> results;
  if (chain) {
    for (const std::vector<Ref> &refs : chain->sources)
      operands.push_back({refs, vxm});
    results = chain->writtenRefs();
  } else if (isLast) {
    results.emplace_back();
    for (const SumRow *row : rows)
      results.front().push_back(row->last());
  }
  const auto count = static_cast<int64_t>(rows.size());
  StatusOr<std::vector<Run>> runs = makeRuns(count, operands, results);
  if (!runs.ok() && chain)
    return multiplyApart(op, plane, loaded, rows, *chain,
                         llvm::to_vector(llvm::seq<int64_t>(0, count)));
  TILEWRIGHT_RETURN_IF_ERROR(runs.status());
  for (const Run &run : *runs) {
    SmallVector<SumRow *> part;
    std::vector<Ref> refs;
    for (int64_t i : run.instances) {
      part.push_back(rows[i]);
      refs.push_back(factors[i]);
    }
    Status placed = multiplyRun(op, plane, loaded, part, isLast, chain, run,
                                std::move(refs));
    if (!placed.ok() && chain)
      placed = multiplyApart(op, plane, loaded, part, *chain, run.instances);
    TILEWRIGHT_RETURN_IF_ERROR(placed);
  }
  return {};
}

Status Scheduler::multiplyApart(const VectorOp &op, Plane &plane,
                                const Loaded &loaded, ArrayRef<SumRow *> rows,
                                const ChainRows &chain,
                                ArrayRef<int64_t> instances) {
  std::vector<Ref> sums;
  for (const SumRow *row : rows)
    sums.push_back(row->last());
  TILEWRIGHT_RETURN_IF_ERROR(makeTargets(sums, plane.position, {}, 0));
  TILEWRIGHT_RETURN_IF_ERROR(multiply(op, plane, loaded, rows, true, nullptr));
  return placeRowsApart(chain, instances);
}

Status Scheduler::multiplyRun(const VectorOp &op, Plane &plane,
                              const Loaded &loaded, ArrayRef<SumRow *> rows,
                              bool isLast, const ChainRows *chain,
                              const Run &run, std::vector<Ref> factors) {
  const int64_t passes = machine.mxm.passes.at(
      *valueType(cast<MultiplyOp>(op.op).getOperandType()));
  const int64_t delay = passes - 1 + machine.mxm.delay, count = run.count();
  Pattern pattern;
  pattern.position = plane.position;
  const Queue queue{plane.position, QueueKind::activations, plane.index};
  pattern.issues = {
      {{{queue, &plane.activations}}, {0, count, passes, passes}}};
  table.addReads(pattern, *run.homes.front(), std::move(factors),
                 plane.position, 0, passes);
  const size_t resultLeg = pattern.legs.size();
  ChainSlots slots;
  if (chain) {
    Leg leg;
    leg.flow = {plane.position, vxm, {delay, count, passes, 1}};
    pattern.legs.insert(pattern.legs.end(), planesOf(op.value), leg);
    slots = addChain(pattern, *chain, run, vxm, delay + leg.flow.distance(),
                     passes);
    slots.product = resultLeg;
  } else if (isLast) {
    std::vector<Ref> sums;
    for (const SumRow *row : rows)
      sums.push_back(row->last());
    table.addWrites(pattern, *run.targets.front(), std::move(sums),
                    plane.position, delay, passes);
  }
  pattern.earliest = loaded.from;
  for (auto [i, row] : llvm::enumerate(rows)) {
    const int64_t later = delay + static_cast<int64_t>(i) * passes;
    if (row->next > 0)
      pattern.earliest = std::max(pattern.earliest, row->ready - later);
    if (!isLast)
      pattern.earliest = std::max(
          pattern.earliest, plane.accumulatorFree[row->accumulator] - later);
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(const Placed placed, table.fit(pattern));
  emitProducts(op, plane, loaded, rows, pattern, placed, resultLeg);
  if (chain)
    emitChain(*chain, run, slots, pattern, placed);
  const int64_t end = placed.begin + count * passes;
  plane.bufferFree[loaded.buffer] =
      std::max(plane.bufferFree[loaded.buffer], end);
  plane.busyUntil = std::max(plane.busyUntil, end);
  for (auto [i, row] : llvm::enumerate(rows)) {
    row->ready = placed.begin + static_cast<int64_t>(i) * passes + delay + 1;
    // A sum of one product does not go through an accumulator.
    if (!isLast || row->next > 0)
      plane.accumulatorFree[row->accumulator] = row->ready;
    ++row->next;
  }
  return {};
}

Status Scheduler::placeBlock(ArrayRef<int32_t> ops,
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
  for (int32_t number : ops) {
    const VectorOp &op = program.ops[number];
    SmallVector<SumRow *> middle;
    // Finished sums, by the group of chains that they flow into.
    llvm::MapVector<int32_t, SmallVector<SumRow *>> last;
    for (SumRow &row : rows)
      if (row.next < row.terms.size() && row.terms[row.next].first == &op) {
        if (row.next + 1 < row.terms.size()) {
          middle.push_back(&row);
          continue;
        }
        const int32_t chain = chains.chainOf[program.flat(row.last())];
        last[chain < 0 ? -1 : chains.groupOf[chain]].push_back(&row);
      }
    if (middle.empty() && last.empty())
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(Loaded loaded, load(op, plane));
    TILEWRIGHT_RETURN_IF_ERROR(
        multiply(op, plane, loaded, middle, false, nullptr));
    for (auto &[group, sums] : last) {
      if (group < 0) {
        TILEWRIGHT_RETURN_IF_ERROR(
            multiply(op, plane, loaded, sums, true, nullptr));
        continue;
      }
      std::vector<int32_t> numbers;
      for (const SumRow *row : sums)
        numbers.push_back(chains.chainOf[program.flat(row->last())]);
      const ChainRows chain = chainRowsOf(ArrayRef<int32_t>(numbers));
      TILEWRIGHT_RETURN_IF_ERROR(
          multiply(op, plane, loaded, sums, true, &chain));
    }
  }
  return {};
}

Status Scheduler::placeSums(size_t number) {
  const std::vector<int32_t> &ops = chains.sums[number];
  std::vector<SumRow> rows = sumRowsOf(ops);
  // Rows for what is written: sums, or what chains make of them.
  llvm::MapVector<uint32_t, std::vector<Ref>> written;
  for (const SumRow &row : rows) {
    const int32_t number = chains.chainOf[program.flat(row.last())];
    if (number < 0) {
      written[row.last().value].push_back(row.last());
      continue;
    }
    for (const Ref &ref : chains.chains[number].nodes)
      if (chains.isRead[program.flat(ref)])
        written[ref.value].push_back(ref);
  }
  const std::vector<Ref> &factors = program.ops[ops.back()].operands[0];
  const int64_t from = readyAt({factors});
  std::set<Bank> avoid;
  for (auto &[value, refs] : written) {
    TILEWRIGHT_RETURN_IF_ERROR(makeTargets(refs, vxm, avoid, from));
    avoid.merge(banksOf(refs));
  }
  // As many planes as have more products to do than weights to load; one, if
  // there are other sums for the others.
  const auto count = static_cast<int64_t>(rows.size());
  const auto all = static_cast<int64_t>(planes.size());
  const VectorOp &first = program.ops[ops.front()];
  const int64_t passes = machine.mxm.passes.at(
      *valueType(cast<MultiplyOp>(first.op).getOperandType()));
  TILEWRIGHT_ASSIGN_OR_RETURN(LoadPlan plan, planLoad(first, planes.front()));
  const bool isOneOfMany = chains.sumsAt.at(chains.levelOfSums[number]) >=
                           all * choices.sumsForPlane;
  const int64_t parts =
      isOneOfMany
          ? 1
          : std::clamp<int64_t>(count * passes /
                                    (choices.productsForLoad * plan.cycles()),
                                1, all);
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
