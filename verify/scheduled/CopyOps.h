//===- CopyOps.h - Rings and asynchronous copies, executed ------*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_SCHEDULED_COPYOPS_H
#define TILEWRIGHT_VERIFY_SCHEDULED_COPYOPS_H

#include "tileir/reference/ProgramInstance.h"

namespace tilewright::verify {

/// Rings, and copies that land at their start, or late, at the wait for them.
void addCopyOps(reference::OpTable &ops, bool copiesLandLate);

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_SCHEDULED_COPYOPS_H
