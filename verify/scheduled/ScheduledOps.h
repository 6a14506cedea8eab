//===- ScheduledOps.h - The scheduled level, executed -----------*- C++ -*-===//
//
// How the reference interpreter executes the ops of the scheduled level.
// Layouts do not change the values of tiles, so the ops of the tile level are
// unchanged. Shared memory belongs to a program. The order of its accesses is
// checked at run time: two accesses of the same bytes, one of them a write,
// with no barrier between, are an error. So is an access of memory that an
// asynchronous copy is writing, which lasts from the copy to the wait for its
// group, whenever the bytes land.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_VERIFY_SCHEDULED_SCHEDULEDOPS_H
#define TILEWRIGHT_VERIFY_SCHEDULED_SCHEDULEDOPS_H

#include "tileir/reference/ProgramInstance.h"

namespace tilewright::verify {

/// For LaunchOptions::moreOps. Built on first use and never changed. Copies
/// read and write at their start, or late, at the wait for them.
const reference::OpTable &scheduledOps(bool copiesLandLate = false);

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_SCHEDULED_SCHEDULEDOPS_H
