//===- Diagnostics.h - Diagnostics of one compilation -----------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_COMPILER_DIAGNOSTICS_H
#define TILEWRIGHT_LIBRARY_COMPILER_DIAGNOSTICS_H

#include "tilewright/codegen/CompilationControl.h"
#include "tilewright/compiler/CompileRequest.h"

namespace tilewright {

/// The code of diagnostics that have none, by the kind of failure.
std::string_view codeOf(StatusCode status);
/// The code of the diagnostic that a compilation was stopped.
const char *codeOf(Stop::Reason reason);

/// Completes the diagnostics of a failed compilation. A failure without a
/// diagnostic becomes one, at the location in the module that its message
/// begins with, if any. Each gets a code (`code` where the dialect has none)
/// and a file, notes too. Returns the failure with the diagnostics as its
/// message.
Status conclude(const Status &failure, std::string_view code,
                const TileModule &module, std::vector<Diagnostic> &diagnostics);

/// The failure of a stopped compilation. Diagnostics after the stop are not
/// meaningful and are dropped.
Status concludeStop(const Stop &stop, const std::string &kernel,
                    const TileModule &module,
                    std::vector<Diagnostic> &diagnostics);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_COMPILER_DIAGNOSTICS_H
