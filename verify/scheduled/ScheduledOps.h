//===- ScheduledOps.h - The scheduled level, executed -----------*- C++ -*-===//
//
// How the reference interpreter executes the ops of the scheduled level. A
// layout does not change what a tile is, so the ops of the tile level are what
// they were. Shared memory is that of a program; that its accesses are ordered
// by barriers is checked as they happen: two accesses of the same bytes, one of
// them a write, with no barrier between, are an error.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_VERIFY_SCHEDULED_SCHEDULEDOPS_H
#define TILEWRIGHT_VERIFY_SCHEDULED_SCHEDULEDOPS_H

#include "tileir/reference/Program.h"

namespace tilewright::verify {

/// For LaunchOptions::moreOps. Built on first use and never changed.
const reference::OpTable &scheduledOps();

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_SCHEDULED_SCHEDULEDOPS_H
