// The names of a function: parameters, registers, variables, labels.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECLARATIONS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECLARATIONS_H

#include "runtime/emulator/program/DecoderContext.h"

namespace tilewright::emulator {

/// Declares all names of the function in a scope for each block, and gives
/// registers and local variables their location. So labels are known before the
/// code is decoded.
Status declareNames(FunctionContext &function);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECLARATIONS_H
