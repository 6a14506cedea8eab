// The code of one function.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODEFUNCTION_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODEFUNCTION_H

#include "runtime/emulator/program/ProgramBuilder.h"

namespace tilewright::emulator {

/// Decodes `source`, which has a body.
Status decodeFunction(ProgramBuilder &builder, const ptx::Function &source,
                      Function &out);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODEFUNCTION_H
