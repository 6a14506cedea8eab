// PTX text -> tree.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PTX_PARSER_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PTX_PARSER_H

#include "runtime/emulator/ptx/Ast.h"
#include "tilewright/support/Status.h"

namespace tilewright::emulator::ptx {

/// Reads a file of PTX, ISA 6.0 to 9.x. Only the grammar is checked: neither
/// names nor which instructions exist. The text is copied. Errors:
/// "LINE:COLUMN: expected ..., found ...". Reentrant.
StatusOr<Module> parse(std::string_view text);

} // namespace tilewright::emulator::ptx

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PTX_PARSER_H
