// One instruction: its form, and what the form makes of it.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODEINSTRUCTION_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODEINSTRUCTION_H

#include "runtime/emulator/program/DecoderContext.h"

namespace tilewright::emulator {

/// Appends the instruction to the code of the function. Errors: no form fits.
Status decodeInstruction(FunctionContext &function,
                         const ptx::Instruction &source);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODEINSTRUCTION_H
