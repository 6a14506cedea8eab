//===- ScheduledOps.h - The scheduled level, executed -----------*- C++ -*-===//
//
// How the reference interpreter executes the ops of the scheduled level.
// Layouts do not change the values of tiles, so the ops of the tile level are
// unchanged. Shared memory belongs to a program. The order of its accesses is
// checked at run time: two accesses of the same bytes, one of them a write,
// with no barrier between, are an error.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_VERIFY_SCHEDULED_SCHEDULEDOPS_H
#define TILEWRIGHT_VERIFY_SCHEDULED_SCHEDULEDOPS_H

#include "tileir/reference/ProgramInstance.h"

namespace tilewright::verify {

/// For LaunchOptions::moreOps. Built on first use and never changed.
const reference::OpTable &scheduledOps();

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_SCHEDULED_SCHEDULEDOPS_H
