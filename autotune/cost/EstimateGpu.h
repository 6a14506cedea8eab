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
  /// FMAs of f32 per cycle of a multiprocessor.
  double fmas = 128;
  /// GB/s of memory; MB and GB/s of L2.
  double memory = 1000, l2 = 40, l2Speed = 3000;
  /// Nanoseconds from one launch to the next.
  double launch = 2500;
};
/// The GPU that models a target; null for an unknown name.
[[nodiscard]] const GpuMachine *gpuMachineFor(std::string_view target);

/// The time of a launch of `kernel` (tunables bound) with arguments of these
/// sizes, as scheduleForGpu distributes it over the threads: takes some
/// milliseconds, without LLVM. Errors: the arguments do not fit, the kernel
/// cannot be scheduled.
///
/// Terms: compute, tensor, issue, shared, l2, dram, latency, tail, overhead.
/// The largest but for the last two counts, for programs that divide evenly
/// among multiprocessors; tail is the cost of the last, partly filled round,
/// and overhead the launch.
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
                          const target::GpuTarget &target,
                          const GpuMachine &machine);

/// The second half: the cost of the work, whatever its source. `without` is a
/// term to leave out, to see its effect (bench/cost_model.cpp).
[[nodiscard]] Estimate estimateGpu(const GpuPlan &plan,
                                   const target::GpuTarget &target,
                                   const GpuMachine &machine,
                                   std::string_view without = {});

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_COST_ESTIMATEGPU_H
