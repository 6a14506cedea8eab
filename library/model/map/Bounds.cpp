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

Arrival arrivalFromMemory(const Machine &machine) {
  return {machine.mem.readDelay, false};
}

static Arrival arrivalAfterProduct(spatial::MultiplyOp op,
                                   ArrayRef<Arrival> operands,
                                   const Machine &machine) {
  const runtime::DType type = *spatial::valueType(op.getOperandType());
  // Weights count in the cycle after they are loaded.
  const int64_t begin = std::max(operands[0].cycle + 1, operands[1].cycle + 2);
  Arrival result{begin + machine.mxm.passes.at(type) - 1 + machine.mxm.delay,
                 false};
  // An accumulator is read in the cycle after it is written.
  if (operands.size() == 3)
    result.cycle = std::max(result.cycle, operands[2].cycle + 1);
  return result;
}

Arrival arrivalAfter(Operation *op, ArrayRef<Arrival> operands,
                     const Machine &machine) {
  if (auto multiply = dyn_cast<spatial::MultiplyOp>(op))
    return arrivalAfterProduct(multiply, operands, machine);
  if (isa<spatial::SelectVectorsOp>(op)) {
    // Any of its sources may be the one that is read.
    Arrival first = operands.front();
    for (const Arrival &operand : operands) {
      first.cycle = std::min(first.cycle, operand.cycle);
      first.isFromAlu |= operand.isFromAlu;
    }
    return first;
  }
  const bool isAlu = isa<spatial::VectorAluOp>(op);
  int64_t begin = 0;
  for (const Arrival &operand : operands)
    begin =
        std::max(begin, operand.cycle + (isAlu && operand.isFromAlu ? 0 : 1));
  const int64_t delay =
      TypeSwitch<Operation *, int64_t>(op)
          .Case([&](spatial::VectorAluOp alu) {
            return machine.delayOf(*spatial::aluFromName(alu.getName()));
          })
          .Case([&](spatial::MapOp) { return machine.sxm->delay; })
          .Case([&](spatial::TransposeOp) {
            return machine.sxm->transpose - 1 + machine.sxm->delay;
          })
          .Case([&](spatial::GatherOp) { return machine.mem.indexedDelay; })
          .Default([](Operation *) { return int64_t(0); });
  return {begin + delay, isAlu};
}

/// A bound on when all results can be read from memory, and the schedule ends.
static int64_t longestChain(func::FuncOp vectors, const Machine &machine) {
  llvm::DenseMap<Value, Arrival> arrivals;
  for (Operation &op : vectors.getBody().front().without_terminator()) {
    if (isa<spatial::ConstantOp>(op))
      continue;
    SmallVector<Arrival> operands;
    for (Value operand : op.getOperands())
      operands.push_back(
          arrivals.lookup_or(operand, arrivalFromMemory(machine)));
    arrivals[op.getResult(0)] = arrivalAfter(&op, operands, machine);
  }
  int64_t longest = 0;
  Operation *end = vectors.getBody().front().getTerminator();
  for (Value result : end->getOperands())
    if (auto found = arrivals.find(result); found != arrivals.end())
      longest = std::max(longest,
                         found->second.cycle + 1 + machine.mem.writeDelay + 1);
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
