// Declarations of variables, registers and parameters.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PTX_VARIABLES_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PTX_VARIABLES_H

#include "runtime/emulator/ptx/TokenCursor.h"

namespace tilewright::emulator::ptx {

/// `.extern` and the like, which functions have too; internal if there is none.
Linkage parseLinkage(TokenCursor &cursor);
/// The state space at the cursor, with which every declaration begins.
[[nodiscard]] std::optional<Space> spaceAhead(const TokenCursor &cursor);
/// `.reg .b32 %a, %r<10>;`: appends the variables.
void parseVariables(TokenCursor &cursor, Linkage linkage,
                    std::vector<Variable> &variables);
/// `(.param .b64 a, .reg .b32 b)`, of functions and prototypes.
std::vector<Variable> parseParameters(TokenCursor &cursor);

} // namespace tilewright::emulator::ptx

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PTX_VARIABLES_H
