//===- Bounds.cpp - How far a schedule is from the machine ----------------===//
#include "library/model/map/Bounds.h"

#include "spatial/ir/Spatial.h"
#include "spatial/program/Use.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {

using spatial::Machine;
using spatial::QueueKind;
using spatial::UnitKind;

int64_t latencyOf(Operation *op, const Machine &machine) {
  const int64_t ways = machine.mem.readDelay + 2 + machine.mem.writeDelay;
  return TypeSwitch<Operation *, int64_t>(op)
      .Case([&](spatial::VectorAluOp alu) {
        return ways + machine.delayOf(*spatial::aluFromName(alu.getName()));
      })
      .Case([&](spatial::MultiplyOp multiply) {
        // A sum that stays in its accumulator takes one cycle more.
        return multiply.getReads().size() == 3 ? int64_t(1) : ways;
      })
      .Case([&](spatial::MapOp) { return ways + machine.sxm->delay; })
      .Case([&](spatial::TransposeOp) { return ways + machine.sxm->delay; })
      .Case([&](spatial::GatherOp) { return ways + machine.mem.indexedDelay; })
      .Default([](Operation *) { return int64_t(0); });
}

/// A bound on when any vector of the results can be there.
static int64_t longestChain(func::FuncOp vectors, const Machine &machine) {
  llvm::DenseMap<Value, int64_t> from;
  int64_t longest = 0;
  for (Operation &op : vectors.getBody().front()) {
    const bool isChoice = isa<spatial::SelectVectorsOp>(op);
    std::optional<int64_t> begin;
    for (Value operand : op.getOperands()) {
      const int64_t ready = from.lookup(operand);
      begin = !begin     ? ready
              : isChoice ? std::min(*begin, ready)
                         : std::max(*begin, ready);
    }
    const int64_t end = begin.value_or(0) + latencyOf(&op, machine);
    for (Value result : op.getResults())
      from[result] = end;
    longest = std::max(longest, end);
  }
  return longest;
}

void addBounds(func::FuncOp vectors, const spatial::Schedule &schedule,
               MapModelReport &report) {
  const Machine &machine = schedule.machine;
  report.cycles = schedule.cycles;
  report.lowerBound = longestChain(vectors, machine);
  std::map<QueueKind, int64_t> busy;
  for (const spatial::QueueUse &use : spatial::queueUse(schedule, 0))
    busy[use.queue.kind] += use.busy;
  std::map<UnitKind, std::pair<int64_t, int64_t>> shares;
  for (auto [kind, cycles] : busy) {
    int64_t queues = 0;
    for (int64_t position : machine.positionsOf(spatial::unitOf(kind)))
      queues += spatial::queuesOf(machine, position, kind);
    if (queues == 0)
      continue;
    // Copies between banks are no work of the vector program.
    if (kind != QueueKind::bank)
      report.lowerBound =
          std::max(report.lowerBound, (cycles + queues - 1) / queues);
    auto &[used, all] = shares[spatial::unitOf(kind)];
    used += cycles;
    all += queues * std::max<int64_t>(schedule.cycles, 1);
  }
  for (auto [kind, share] : shares)
    report.units[std::string(spatial::unitName(kind))] =
        static_cast<double>(share.first) / static_cast<double>(share.second);
  const auto planes = static_cast<int64_t>(
      machine.positionsOf(UnitKind::mxm).size() * machine.mxm.planes);
  auto passes = machine.mxm.passes.find(report.precision);
  if (planes > 0 && passes != machine.mxm.passes.end() && report.cycles > 0)
    report.mxmUtilization =
        static_cast<double>(report.macs * passes->second) /
        (static_cast<double>(report.cycles) *
         static_cast<double>(planes * machine.mxm.rows * machine.mxm.columns));
  for (const spatial::ConstantBytes &bytes : schedule.constantBytes)
    report.constantBytes += static_cast<int64_t>(bytes.size());
  report.memoryBytes =
      static_cast<int64_t>(machine.positionsOf(UnitKind::mem).size()) *
      machine.mem.banks * machine.mem.rows * machine.rowBytes();
  for (const spatial::GradedNumber &number : machine.numbers)
    ++report.grades[std::string(spatial::gradeName(number.grade))];
}

} // namespace tilewright
