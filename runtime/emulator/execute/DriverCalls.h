// Functions that CUDA's driver has, and kernels call.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_DRIVERCALLS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_DRIVERCALLS_H

#include "runtime/emulator/machine/Warp.h"

namespace tilewright::emulator {

/// __assertfail(message, file, line, function, bytes of a character): CUDA's
/// failed assert(). Ends the launch.
Step runAssertFail(Warp &warp, const Instruction &in);

/// vprintf(format, values): CUDA's printf(), for each active lane. The launch's
/// sink gets the text, line by line.
Step runPrint(Warp &warp, const Instruction &in);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_DRIVERCALLS_H
