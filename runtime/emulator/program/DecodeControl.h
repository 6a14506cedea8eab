// Instructions whose operands no form describes: calls and indexed branches.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODECONTROL_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODECONTROL_H

#include "runtime/emulator/program/DecoderContext.h"

namespace tilewright::emulator {

/// `call (results), function, (arguments), prototype` (PTX section 9.7.12.5);
/// all but the function may be missing.
Status decodeCall(FunctionContext &function, const ptx::Instruction &source,
                  Instruction &out);
/// `brx.idx index, list` (PTX section 9.7.12.4).
Status decodeIndexedBranch(FunctionContext &function,
                           const ptx::Instruction &source, Instruction &out);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODECONTROL_H
