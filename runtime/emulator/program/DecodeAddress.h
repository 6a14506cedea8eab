// Operands that are addresses.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODEADDRESS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODEADDRESS_H

#include "runtime/emulator/program/DecoderContext.h"

namespace tilewright::emulator {

/// Appends `[base+offset]` in `space`, the name of a state space; what follows
/// the base in the brackets is not decoded.
Status decodeAddress(OperandContext &operands, const ptx::Operand &operand,
                     std::string_view space);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODEADDRESS_H
