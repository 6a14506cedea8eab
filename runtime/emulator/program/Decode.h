// From the tree of a PTX file to a kernel that can run.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODE_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODE_H

#include "runtime/emulator/program/Form.h"
#include "tilewright/support/Status.h"
#include <span>

namespace tilewright::emulator {

/// Decodes the kernel `kernel` of `module`, with all functions that it may
/// call. `addresses` are those of the module's variables in global and constant
/// memory, by their index in Module::variables. Errors: "LINE:COLUMN: ...": an
/// unknown name or instruction, operands that do not fit, unsupported features.
StatusOr<std::shared_ptr<const Program>>
decode(std::shared_ptr<const ptx::Module> module, std::string_view kernel,
       std::span<const uint64_t> addresses,
       const FormTable &forms = FormTable::instance());

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODE_H
