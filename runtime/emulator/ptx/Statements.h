// Blocks: what stands between the braces of a function.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PTX_STATEMENTS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PTX_STATEMENTS_H

#include "runtime/emulator/ptx/TokenCursor.h"

namespace tilewright::emulator::ptx {

/// `{ statements }`, with all blocks in it.
Block parseBlock(TokenCursor &cursor);

} // namespace tilewright::emulator::ptx

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PTX_STATEMENTS_H
