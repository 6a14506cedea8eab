//===- Tasks.cpp - In which order things are placed -----------------------===//
#include "spatial/schedule/Scheduler.h"

#include <set>

using namespace mlir;

namespace tilewright::spatial {

size_t Scheduler::taskOf(size_t op, int32_t i) const {
  const VectorOp &vectorOp = program.ops[op];
  if (const int32_t sums = chains.sumsOf[op]; sums >= 0)
    return taskOfSums[sums];
  if (!isa<VectorAluOp>(vectorOp.op))
    return taskOfOp[op];
  const int32_t chain = chains.chainOf[program.flat({vectorOp.value, i})];
  if (const std::optional<Ref> &product = chains.chains[chain].product)
    return taskOfSums[chains.sumsOf[program.makers[product->value]]];
  return taskOfGroup[chains.groupOf[chain]];
}

void Scheduler::makeTasks() {
  auto add = [&](Task::Kind kind, size_t number, size_t order) {
    Task task;
    task.kind = kind;
    task.number = number;
    task.order = order;
    tasks.push_back(std::move(task));
    return tasks.size() - 1;
  };
  taskOfGroup.assign(chains.groups.size(), 0);
  for (auto [number, group] : llvm::enumerate(chains.groups))
    if (!group.hasProduct) {
      const Chain &chain = chains.chains[group.chains.front()];
      size_t order = 0;
      for (const Ref &ref : chain.nodes)
        order = std::max<size_t>(order, program.makers[ref.value]);
      taskOfGroup[number] = add(Task::Kind::chains, number, order);
    }
  for (auto [number, ops] : llvm::enumerate(chains.sums))
    taskOfSums.push_back(add(Task::Kind::sums, number, ops.back()));
  taskOfOp.assign(program.ops.size(), 0);
  for (auto [number, op] : llvm::enumerate(program.ops))
    if (isa<MapOp, TransposeOp, GatherOp>(op.op))
      taskOfOp[number] = add(Task::Kind::op, number, number);
  addOrder();
}

void Scheduler::addOrder() {
  std::vector<std::vector<size_t>> before(tasks.size());
  for (size_t number = 0; number < program.ops.size(); ++number) {
    const VectorOp &op = program.ops[number];
    const bool isAlu = isa<VectorAluOp>(op.op);
    op.forReads([&](size_t, size_t i, const Ref &ref) {
      const size_t reader = taskOf(number, isAlu ? static_cast<int32_t>(i) : 0);
      const int32_t maker = program.makers[ref.value];
      Task &task = tasks[reader];
      if (maker >= 0) {
        const size_t writer = taskOf(maker, ref.index);
        if (writer == reader)
          return;
        if (before[reader].empty() || before[reader].back() != writer)
          before[reader].push_back(writer);
      }
      if (task.values.empty() || task.values.back() != ref.value)
        task.values.push_back(ref.value);
    });
  }
  uses.assign(program.values.size(), 0);
  auto unique = [](auto &list) {
    llvm::sort(list);
    list.erase(llvm::unique(list), list.end());
  };
  for (auto [number, task] : llvm::enumerate(tasks)) {
    unique(before[number]);
    unique(task.values);
    for (uint32_t value : task.values)
      ++uses[value];
    task.waitsFor = static_cast<int64_t>(before[number].size());
    for (size_t other : before[number])
      tasks[other].readers.push_back(number);
  }
  // Longest ways, from the end: readers first.
  std::vector<int64_t> left(tasks.size());
  std::vector<size_t> ready;
  for (auto [number, task] : llvm::enumerate(tasks)) {
    left[number] = static_cast<int64_t>(task.readers.size());
    if (left[number] == 0)
      ready.push_back(number);
  }
  while (!ready.empty()) {
    Task &task = tasks[ready.back()];
    const std::vector<size_t> &operands = before[ready.back()];
    ready.pop_back();
    for (size_t reader : task.readers)
      task.priority = std::max(task.priority, tasks[reader].priority);
    task.priority += durationOf(task);
    for (size_t other : operands)
      if (--left[other] == 0)
        ready.push_back(other);
  }
}

int64_t Scheduler::durationOf(const Task &task) const {
  const int64_t way = machine.mem.readDelay + machine.mem.writeDelay +
                      static_cast<int64_t>(machine.units.size()) / 2;
  if (task.kind == Task::Kind::chains) {
    const ChainGroup &group = chains.groups[task.number];
    const ChainTiming timing =
        *chains.timing(chains.chains[group.chains.front()]);
    const ChainTiming::Node &last = timing.nodes.back();
    const auto rows = static_cast<int64_t>(group.chains.size());
    return way + last.begin + last.delay +
           rows * timing.alus / machine.vxm.alus;
  }
  if (task.kind == Task::Kind::op) {
    const VectorOp &op = program.ops[task.number];
    const int64_t count = program.values[op.value].vectors;
    if (isa<GatherOp>(op.op))
      return way + machine.mem.indexedDelay + count;
    return way + machine.sxm->delay + count / machine.sxm->ports;
  }
  int64_t products = 0, passes = 1;
  for (int32_t number : chains.sums[task.number]) {
    MultiplyOp op = cast<MultiplyOp>(program.ops[number].op);
    passes = machine.mxm.passes.at(*valueType(op.getOperandType()));
    products += program.values[program.ops[number].value].vectors;
  }
  return 2 * way + machine.mxm.delay +
         products * passes / static_cast<int64_t>(planes.size());
}

Status Scheduler::place(const Task &task) {
  switch (task.kind) {
  case Task::Kind::chains:
    return placeChains(chains.groups[task.number].chains);
  case Task::Kind::sums:
    return placeSums(task.number);
  case Task::Kind::op:
    break;
  }
  const VectorOp &op = program.ops[task.number];
  if (isa<MapOp>(op.op))
    return placeMap(op);
  return isa<TransposeOp>(op.op) ? placeTranspose(op) : placeGather(op);
}

void Scheduler::finish(const Task &task) {
  for (uint32_t value : task.values)
    if (--uses[value] == 0 && !isKept[value])
      for (const Home &home : homes[value])
        table.memory.release(home);
}

Status Scheduler::placeTasks() {
  // The longest way first; then in the order of the program.
  std::set<std::tuple<int64_t, size_t, size_t>> ready;
  auto add = [&](size_t number) {
    ready.insert({-tasks[number].priority, tasks[number].order, number});
  };
  for (auto [number, task] : llvm::enumerate(tasks))
    if (task.waitsFor == 0)
      add(number);
  size_t placed = 0;
  for (; !ready.empty(); ++placed) {
    const Task &task = tasks[std::get<2>(*ready.begin())];
    ready.erase(ready.begin());
    TILEWRIGHT_RETURN_IF_ERROR(place(task));
    finish(task);
    for (size_t reader : task.readers)
      if (--tasks[reader].waitsFor == 0)
        add(reader);
  }
  if (placed < tasks.size())
    return Status::internal("tasks of the schedule wait for each other");
  return {};
}

} // namespace tilewright::spatial
