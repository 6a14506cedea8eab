// Constant expressions (PTX section 4.6).
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PTX_EXPRESSIONS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PTX_EXPRESSIONS_H

#include "runtime/emulator/ptx/TokenCursor.h"

namespace tilewright::emulator::ptx {

/// An integer, or a real (its bits).
struct Constant {
  bool isReal = false;
  bool isDouble = false;
  uint64_t value = 0;
};

Constant parseConstant(TokenCursor &cursor);
uint64_t parseIntegerConstant(TokenCursor &cursor);
/// `+4`, `-4`, `+-4` behind a name; 0 if there is none.
uint64_t parseOffset(TokenCursor &cursor);

} // namespace tilewright::emulator::ptx

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PTX_EXPRESSIONS_H
