//===- CpuDot.cpp - Cycles of a contraction on a CPU's core ---------------===//
#include "autotune/cost/CpuDot.h"
#include "support/Format.h"

namespace tilewright::autotune {

/// Bytes of an instruction on vectors, about.
static constexpr double instructionBytes = 7;
/// Cycles that a block loses where its loop ends: the branch is not foreseen,
/// and the accumulators are complete only after the last FMA.
static constexpr double blockEnd = 18;

/// Whether an operand can be read in place: as rows at equal distances without
/// missing elements. `dims`: its dimensions with more than one element.
static bool canStay(const Work &work, const DotOperand &operand, bool isRhs,
                    int64_t dims) {
  if (operand.access < 0 || (operand.isFloat && operand.bits < 32))
    return false;
  const Access &access = work.accesses[size_t(operand.access)];
  // On the right side, nested dims without gaps are one.
  int64_t found = 0, whole = 0;
  for (size_t dim = access.tile.size(); dim-- > 0;) {
    if (access.tile[dim] == 1)
      continue;
    int64_t stride = access.strides[dim] * access.steps[dim];
    found += found == 0 || !isRhs || stride != whole;
    whole = stride * access.tile[dim];
  }
  return found <= dims && !access.isChecked &&
         (!isRhs || operand.hasUnitColumns);
}

/// Bytes from one row of an operand to the next in memory; 0 if they are not
/// known.
static int64_t rowBytes(const Work &work, const DotOperand &operand) {
  if (operand.access < 0)
    return 0;
  const Access &access = work.accesses[size_t(operand.access)];
  size_t rank = access.strides.size();
  return rank < 2 ? 0 : access.strides[rank - 2] * access.elementBytes;
}

DotPlan planDot(const Work &work, const DotWork &dot,
                const schedule::CpuSchedule &schedule,
                const cpu::CpuTarget &target) {
  DotPlan plan;
  static_cast<cpu::RegisterBlock &>(plan) = cpu::chooseRegisterBlock(
      dot.M, dot.N, dot.accumulatorBits, schedule, target);
  bool isBatched = dot.batch > 1;
  int64_t lhsDims = (dot.M > 1) + (dot.K > 1),
          rhsDims = (dot.K > 1) + (dot.N > 1);
  plan.lhsPanels =
      schedule.packlhs == 2 ||
      (schedule.packlhs == 0 && canStay(work, dot.lhs, false, lhsDims) &&
       cpu::paysToPackLeft(plan, dot.N, rowBytes(work, dot.lhs)));
  plan.packLhs =
      plan.lhsPanels || isBatched || !canStay(work, dot.lhs, false, lhsDims);
  plan.packRhs = schedule.packrhs == 2 || isBatched ||
                 !canStay(work, dot.rhs, true, rhsDims);
  return plan;
}

std::optional<Rejection> rejectBlock(const DotPlan &plan,
                                     const cpu::CpuTarget &target) {
  int64_t needed = plan.registers();
  if (needed <= target.vectorRegisters)
    return std::nullopt;
  return Rejection{
      "registers",
      format("block of {} x {} needs {} vector registers of {}",
             {plan.rows, plan.vectors, needed, target.vectorRegisters})};
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// The whole depth of one block of `rows` x `vectors`.
static CoreCycles blockCycles(const DotWork &dot, const DotPlan &plan,
                              double rows, double vectors,
                              const cpu::CpuTarget &target,
                              const CpuCore &core) {
  double bits = double(target.vectorBits), depth = double(dot.K);
  // Integers multiply and add by two instructions, the first of which is slow.
  double products = rows * vectors * (dot.isFloat ? 1 : 3);
  double widened =
      (!dot.isFloat && dot.lhs.bits < dot.accumulatorBits ? rows : 0) +
      (!dot.isFloat && dot.rhs.bits < dot.accumulatorBits ? vectors : 0);
  // A row's element for one vector is broadcast by the FMA itself.
  double broadcasts = vectors > 1 ? rows : 0;
  // Rows that are not contiguous need separate pointers.
  double addresses = 2 + (plan.packLhs ? 0 : rows / 4);
  double instructions =
      products + broadcasts + vectors + widened + addresses / plan.unroll;
  double loads = std::max((rows + vectors) / core.loads,
                          (vectors * bits + rows * 64) / core.loadBits);
  CoreCycles cycles;
  cycles.compute = depth * products * bits / core.fmaBits;
  cycles.issue = depth * std::max(instructions / core.instructions, loads) +
                 rows * vectors * 2 / core.instructions;
  cycles.latency = depth * core.fmaLatency * (dot.isFloat ? 1 : 2.5);
  cycles.l1 = rows * vectors * bits * (1 / core.loadBits + 1 / core.storeBits) +
              depth * (vectors * bits + rows * 64) / core.loadBits;
  // The end of a block overlaps with nothing.
  double end = blockEnd + rows * vectors * bits / core.storeBits;
  cycles.compute += end;
  cycles.issue += end;
  cycles.latency += end;
  cycles.l1 += end;
  return cycles;
}

/// All blocks of one matrix.
static CoreCycles blocksCycles(const DotWork &dot, const DotPlan &plan,
                               const cpu::CpuTarget &target,
                               const CpuCore &core) {
  int64_t pieces = cpu::vectorsOf(dot.N, plan.lanes, target);
  CoreCycles sum;
  for (auto [rows, rowBlocks] :
       {std::pair<int64_t, int64_t>(plan.rows, dot.M / plan.rows),
        std::pair<int64_t, int64_t>(dot.M % plan.rows,
                                    dot.M % plan.rows ? 1 : 0)})
    for (auto [vectors, columnBlocks] :
         {std::pair<int64_t, int64_t>(plan.vectors, pieces / plan.vectors),
          std::pair<int64_t, int64_t>(pieces % plan.vectors,
                                      pieces % plan.vectors ? 1 : 0)})
      if (rowBlocks && columnBlocks)
        sum += blockCycles(dot, plan, double(rows), double(vectors), target,
                           core) *
               double(rowBlocks * columnBlocks);
  return sum;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Copying a matrix: in vectors, or where its order changes by elements.
static double packCycles(double elements, bool changesOrder, bool isChecked,
                         const DotPlan &plan, const cpu::CpuTarget &target,
                         const CpuCore &core) {
  if (changesOrder)
    return elements * (isChecked ? 1.5 : 1);
  double vectors = elements / double(plan.lanes),
         bits = double(target.vectorBits);
  double ports = bits / core.loadBits + bits / core.storeBits;
  return vectors * (ports + (isChecked ? 6 : 2) / core.instructions);
}

/// Bytes that blocks load from L2 beyond the tile itself: an operand that does
/// not fit together with the other's panel is read again for each panel.
static double rereadBytes(const Work &work, const DotWork &dot,
                          const DotPlan &plan, const CpuMachine &machine) {
  // Packed, or as in memory.
  auto bytesOf = [&](const DotOperand &operand, bool isPacked,
                     int64_t elements) {
    if (!isPacked && operand.access >= 0)
      return work.accesses[size_t(operand.access)].tileBytes(machine.line);
    return double(elements) * std::max(4u, operand.bits / 8);
  };
  double left = bytesOf(dot.lhs, plan.packLhs, dot.M * dot.K);
  double right = bytesOf(dot.rhs, plan.packRhs, dot.K * dot.N);
  double panelColumns = double(plan.vectors) * double(plan.lanes);
  double columnPanels = std::ceil(double(dot.N) / panelColumns);
  double rowPanels = std::ceil(double(dot.M) / plan.rows);
  double l1 = 0.8 * double(machine.l1);
  double bytes = 0;
  if (plan.columnsOutside) {
    bool stays = left + right / columnPanels <= l1 &&
                 (plan.packLhs || !cpu::rowsCollide(rowBytes(work, dot.lhs)));
    bytes = stays ? 0 : left * (columnPanels - 1);
  } else {
    bool stays = right + left / rowPanels <= l1 &&
                 (plan.packRhs || !cpu::rowsCollide(rowBytes(work, dot.rhs)));
    bytes = stays ? 0 : right * (rowPanels - 1);
  }
  return bytes;
}

DotCost dotCost(const Work &work, const DotWork &dot, const DotPlan &plan,
                const cpu::CpuTarget &target, const CpuMachine &machine) {
  const CpuCore &core = machine.core;
  double batch = double(dot.batch);
  DotCost cost;
  cost.cycles = blocksCycles(dot, plan, target, core) * batch;
  cost.l2Bytes = rereadBytes(work, dot, plan, machine) * batch;
  auto pack = [&](const DotOperand &operand, int64_t elements,
                  bool changesOrder) {
    bool isChecked =
        operand.access >= 0 && work.accesses[size_t(operand.access)].isChecked;
    double convert = operand.isFloat && operand.bits < 32
                         ? double(elements) / double(plan.lanes) * 3
                         : 0;
    cost.pack += batch * (convert + packCycles(double(elements), changesOrder,
                                               isChecked, plan, target, core));
    cost.scratch += batch * double(elements) * 4;
  };
  if (plan.packLhs)
    pack(dot.lhs, dot.M * dot.K, plan.lhsPanels);
  if (plan.packRhs)
    pack(dot.rhs, dot.K * dot.N,
         dot.rhs.access >= 0 && !dot.rhs.hasUnitColumns);
  double accumulators = batch * double(dot.M * dot.N);
  cost.scratch += accumulators * dot.accumulatorBits / 8;
  // A sum that others read, too, is copied first.
  if (!dot.isInPlace)
    cost.pack += packCycles(accumulators, false, false, plan, target, core);
  // Each block of a row of blocks has its own code, and so have the last rows.
  double blocks = std::ceil(double(cpu::vectorsOf(dot.N, plan.lanes, target)) /
                            plan.vectors) *
                  (dot.M % plan.rows ? 2 : 1);
  double step = double(plan.rows) * plan.vectors + plan.rows + plan.vectors;
  cost.code = blocks * instructionBytes *
              (step * plan.unroll + 2.0 * plan.rows * plan.vectors);
  return cost;
}

} // namespace tilewright::autotune
