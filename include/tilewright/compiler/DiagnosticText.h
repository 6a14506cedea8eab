//===- DiagnosticText.h - Diagnostics as JSON -------------------*- C++ -*-===//
#ifndef TILEWRIGHT_COMPILER_DIAGNOSTICTEXT_H
#define TILEWRIGHT_COMPILER_DIAGNOSTICTEXT_H

#include "tilewright/support/Diagnostic.h"
#include "tilewright/support/Export.h"
#include <span>
#include <string>

namespace tilewright {

/// A JSON array of objects with severity, code, file, line and column (if
/// known), message, notes.
[[nodiscard]] TILEWRIGHT_API std::string
diagnosticsAsJson(std::span<const Diagnostic> diagnostics);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_DIAGNOSTICTEXT_H
