// A process in which candidates are compiled and run.
#ifndef TILEWRIGHT_AUTOTUNE_MEASURE_WORKERMAIN_H
#define TILEWRIGHT_AUTOTUNE_MEASURE_WORKERMAIN_H

#include "tilewright/support/Export.h"
#include <memory>

namespace tilewright {
class Plugins;
} // namespace tilewright

namespace tilewright::autotune {

/// The exit code of a worker process that ran out of memory.
inline constexpr int workerOutOfMemory = 77;

/// Answers the requests on the socket `descriptor`, one line of JSON each,
/// until it is closed. For a separate process (WorkerProcess.h), which limits
/// its memory and ends with its parent: compiled and executed code may do
/// anything. `plugins`, which may be null, are those that the parent's tasks
/// need (Task::open).
///
///   {"do": "open", "task": {..}, "device": "cpu", ..}  -> {"tensors": n, ..}
///   {"do": "compile", "schedule": "..", "file": F}      -> {}
///   {"do": "interpret", "seconds": 3, "file": F}  -> {"interpreted": n, ..}
///   {"do": "measure", "schedule": "..", "candidate": F, "default": F,
///    "oracle": F, "against": F}                      -> {"time": .., ..}
///
/// On a device that counts, "time" is the modelled cost of the schedule from
/// the counters of one launch of the candidate (Task::costOf), and "against" is
/// ignored: the cost of a launch is deterministic.
///
/// The answer to a failed request is {"failed": kind, "reason": ".."}; kinds
/// are "rejected", "wrong result", "out of memory", "fault".
TILEWRIGHT_PRIVATE_API void
serveWorker(int descriptor, std::shared_ptr<const Plugins> plugins = nullptr);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_MEASURE_WORKERMAIN_H
