//===- WorkerSetup.h - The process in which schedules are tried -*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_WORKERSETUP_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_WORKERSETUP_H

#include <cstddef>

namespace tilewright::tool {

/// Limits this process to `memoryBytes` of address space, lets it leave no
/// core, and ends it when the other end of the socket `descriptor` is closed
/// (even while a kernel hangs) or memory runs out.
void setUpWorker(int descriptor, size_t memoryBytes);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_WORKERSETUP_H
