// Instructions and their operands.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PTX_INSTRUCTIONS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PTX_INSTRUCTIONS_H

#include "runtime/emulator/ptx/TokenCursor.h"

namespace tilewright::emulator::ptx {

/// `@p add.u32 %r1, %r2, 4;`
Instruction parseInstruction(TokenCursor &cursor);

} // namespace tilewright::emulator::ptx

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PTX_INSTRUCTIONS_H
