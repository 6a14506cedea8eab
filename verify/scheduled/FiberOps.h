//===- FiberOps.h - Ops along one dimension, executed -----------*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_SCHEDULED_FIBEROPS_H
#define TILEWRIGHT_VERIFY_SCHEDULED_FIBEROPS_H

#include "tileir/reference/ProgramInstance.h"

namespace tilewright::verify {

/// Reductions, scans, exchanges and coordinates.
void addFiberOps(reference::OpTable &ops);

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_SCHEDULED_FIBEROPS_H
