//===- CountedWork.h - A launch's work by a device's counters ---*- C++ -*-===//
#ifndef TILEWRIGHT_AUTOTUNE_TASK_COUNTEDWORK_H
#define TILEWRIGHT_AUTOTUNE_TASK_COUNTEDWORK_H

#include "autotune/cost/GpuWork.h"
#include "tilewright/runtime/CounterSource.h"

namespace tilewright::autotune {

/// Replaces the figures of an estimate for which there are counters: those of
/// instructions, their slots, accesses to memory, barriers and registers. What
/// nobody counts stays: the chain of what waits, products, bytes from memory.
void takeCounted(GpuWork &work, const runtime::LaunchCounters &counters);

/// A thread that needs more registers than there are keeps the rest in memory:
/// it runs, with as many more instructions as registers are missing.
void spillRegisters(GpuWork &work, int64_t limit);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_TASK_COUNTEDWORK_H
