//===- EstimateCpu.h - What a schedule costs on a CPU -----------*- C++ -*-===//
#ifndef TILEWRIGHT_AUTOTUNE_COST_ESTIMATECPU_H
#define TILEWRIGHT_AUTOTUNE_COST_ESTIMATECPU_H

#include "autotune/cost/ArgumentShape.h"
#include "autotune/cost/CpuMachine.h"
#include "autotune/cost/Estimate.h"
#include "autotune/cost/Work.h"
#include "tilewright/codegen/CpuSchedule.h"
#include "tilewright/codegen/CpuTarget.h"
#include "tilewright/mlir/Tile.h"
#include <span>

namespace tilewright::autotune {

/// The most scratch memory of a thread, and bytes of a kernel's code, that a
/// schedule may need to be tried.
inline constexpr double scratchLimit = 16 << 20, codeLimit = 128 << 10;

/// The time of a launch of `kernel` (no calls, tunables bound) with arguments
/// of these sizes, compiled with `schedule` for `target`, on `machine`.
/// Deterministic. Errors: the arguments do not fit the kernel.
///
/// Terms: compute, issue, latency, l1, l2, l3, dram, pack, overhead, imbalance.
/// They combine so: each op of the kernel takes the largest of its compute,
/// issue, latency and l1; ops run one after the other, after pack. Of this sum
/// and the times of l2, l3 and dram, the largest counts fully and the others a
/// quarter: prefetching hides the rest. The result is divided among the
/// threads. Overhead and imbalance are added.
StatusOr<Estimate> estimateCpu(tile::KernelOp kernel,
                               std::span<const ArgumentShape> arguments,
                               const schedule::CpuSchedule &schedule,
                               const cpu::CpuTarget &target,
                               const CpuMachine &machine);

/// The same for an analyzed kernel. `without` is a term to leave out, to see
/// its effect (bench/cost_model.cpp).
[[nodiscard]] Estimate estimateCpu(const Work &work,
                                   const schedule::CpuSchedule &schedule,
                                   const cpu::CpuTarget &target,
                                   const CpuMachine &machine,
                                   std::string_view without = {});

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_COST_ESTIMATECPU_H
