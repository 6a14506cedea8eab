// Operands that are one value: registers, constants, addresses of variables.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODEVALUE_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODEVALUE_H

#include "runtime/emulator/program/DecoderContext.h"

namespace tilewright::emulator {

/// Appends a value of `type`, and its selector if `spec` has one.
Status decodeValue(OperandContext &operands, const ptx::Operand &operand,
                   const OperandSpec &spec, Type type);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODEVALUE_H
