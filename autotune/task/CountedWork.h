//===- CountedWork.h - A launch's work by a device's counters ---*- C++ -*-===//
#ifndef TILEWRIGHT_AUTOTUNE_TASK_COUNTEDWORK_H
#define TILEWRIGHT_AUTOTUNE_TASK_COUNTEDWORK_H

#include "autotune/cost/GpuWork.h"
#include "tilewright/runtime/CounterSource.h"

namespace tilewright::autotune {

/// Replaces the numbers of an estimate for which there are counters: those of
/// instructions, their slots, accesses to memory, barriers and registers.
/// Others stay: the chain of waits, products, bytes from memory.
void takeCounted(GpuWork &work, const runtime::LaunchCounters &counters);

/// A thread that needs more registers than there are spills: it runs, with one
/// more instruction for each missing register.
void spillRegisters(GpuWork &work, int64_t limit);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_TASK_COUNTEDWORK_H
