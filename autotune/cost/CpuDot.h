//===- CpuDot.h - Cycles of a contraction on a CPU's core -------*- C++ -*-===//
//
// A contraction is split into blocks of rows and vectors whose accumulators
// stay in registers over the whole depth (codegen/cpu/Product.cpp). A step of
// the depth loads each vector of the right operand, broadcasts one element of
// each row of the left and adds up their products.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_AUTOTUNE_COST_CPUDOT_H
#define TILEWRIGHT_AUTOTUNE_COST_CPUDOT_H

#include "autotune/cost/CpuMachine.h"
#include "autotune/cost/Estimate.h"
#include "autotune/cost/Work.h"
#include "codegen/cpu/RegisterBlock.h"
#include "tilewright/codegen/CpuSchedule.h"

namespace tilewright::autotune {

/// Cycles that one core is kept busy in different ways, which overlap: the
/// largest counts.
struct CoreCycles {
  double compute = 0, issue = 0, latency = 0, l1 = 0;

  [[nodiscard]] double bound() const {
    return std::max({compute, issue, latency, l1});
  }
  CoreCycles &operator+=(const CoreCycles &other) {
    compute += other.compute;
    issue += other.issue;
    latency += other.latency;
    l1 += other.l1;
    return *this;
  }
  CoreCycles operator*(double times) const {
    return {compute * times, issue * times, latency * times, l1 * times};
  }
};

/// The tiling of a contraction, with defaults for open parameters.
struct DotPlan : cpu::RegisterBlock {
  bool packLhs = false, packRhs = false;
  /// Whether the left copy is in panels of rows, as requested, and not in the
  /// operand's order.
  bool lhsPanels = false;
};
[[nodiscard]] DotPlan planDot(const Work &work, const DotWork &dot,
                              const schedule::CpuSchedule &schedule,
                              const cpu::CpuTarget &target);

/// What one execution of a contraction costs.
struct DotCost {
  CoreCycles cycles;
  /// Cycles of copying operands, and bytes that go between L1 and L2 because
  /// blocks read operands again.
  double pack = 0, l2Bytes = 0;
  /// Bytes of scratch memory, and of code (roughly).
  double scratch = 0, code = 0;
};
[[nodiscard]] DotCost dotCost(const Work &work, const DotWork &dot,
                              const DotPlan &plan, const cpu::CpuTarget &target,
                              const CpuMachine &machine);

/// A block of registers that the machine does not have.
[[nodiscard]] std::optional<Rejection>
rejectBlock(const DotPlan &plan, const cpu::CpuTarget &target);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_COST_CPUDOT_H
