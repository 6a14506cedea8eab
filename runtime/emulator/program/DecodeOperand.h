// Operands of any kind, as the form of their instruction wants them.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODEOPERAND_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODEOPERAND_H

#include "runtime/emulator/program/DecoderContext.h"

namespace tilewright::emulator {

/// Appends the operand, decoded as `spec` describes it.
Status decodeOperand(OperandContext &operands, const ptx::Operand &operand,
                     const OperandSpec &spec, const Match &match);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODEOPERAND_H
