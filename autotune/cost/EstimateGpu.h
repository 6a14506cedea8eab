//===- EstimateGpu.h - What a schedule costs on a GPU -----------*- C++ -*-===//
#ifndef TILEWRIGHT_AUTOTUNE_COST_ESTIMATEGPU_H
#define TILEWRIGHT_AUTOTUNE_COST_ESTIMATEGPU_H

#include "autotune/cost/ArgumentShape.h"
#include "autotune/cost/Estimate.h"
#include "autotune/cost/GpuWork.h"
#include "tilewright/codegen/GpuSchedule.h"
#include "tilewright/codegen/GpuTarget.h"

namespace tilewright::autotune {

/// A GPU as plain data (GpuMachines.inc).
struct GpuMachine {
  std::string_view target, name;
  double multiprocessors = 100, gigahertz = 1.5;
  /// FMAs of f32 that a multiprocessor makes in a cycle.
  double fmas = 128;
  /// GB/s of memory; MB and GB/s of L2.
  double memory = 1000, l2 = 40, l2Speed = 3000;
  /// Nanoseconds from one launch to the next.
  double launch = 2500;
};
/// The GPU that stands for a target; null for a name that is none.
[[nodiscard]] const GpuMachine *gpuMachineFor(std::string_view target);

/// The time of a launch of `kernel` (tunables bound) with arguments of these
/// sizes, as scheduleForGpu spreads it over the threads: some milliseconds, and
/// no LLVM. Errors: the arguments do not fit, the kernel cannot be scheduled.
///
/// Terms: compute, issue, shared, l2, dram, latency, tail, overhead. The
/// largest of compute, issue, shared, l2, dram and latency counts, of a launch
/// whose programs divide evenly among multiprocessors; tail is what the last,
/// partly filled round adds, and overhead the launch.
StatusOr<Estimate> estimateGpu(tile::KernelOp kernel,
                               std::span<const ArgumentShape> arguments,
                               const schedule::GpuSchedule &schedule,
                               const target::GpuTarget &target,
                               const GpuMachine &machine);

/// What a launch has to do, as its schedule spreads it.
struct GpuPlan {
  GpuWork work;
  /// Bytes that come from memory.
  double bytes = 0;
};

/// The first half of estimateGpu. Errors: as there.
StatusOr<GpuPlan> planGpu(tile::KernelOp kernel,
                          std::span<const ArgumentShape> arguments,
                          const schedule::GpuSchedule &schedule,
                          const GpuMachine &machine);

/// The second half: what the work costs, however it became known. `without`
/// names a term that counts for nothing, to see what it gives
/// (bench/cost_model.cpp).
[[nodiscard]] Estimate estimateGpu(const GpuPlan &plan,
                                   const target::GpuTarget &target,
                                   const GpuMachine &machine,
                                   std::string_view without = {});

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_COST_ESTIMATEGPU_H
