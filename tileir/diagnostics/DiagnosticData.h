// MLIR's diagnostics as plain data.
#ifndef TILEWRIGHT_TILEIR_DIAGNOSTICS_DIAGNOSTICDATA_H
#define TILEWRIGHT_TILEIR_DIAGNOSTICS_DIAGNOSTICDATA_H

#include "mlir/IR/Diagnostics.h"
#include "tilewright/support/Diagnostic.h"

namespace tilewright {

/// The position of `location` in a file; no file if unknown.
SourceRange sourceRange(mlir::Location location);

/// "FILE:LINE:COLUMN", "node 'NAME'" for a frontend's node, or nothing.
std::string locationText(mlir::Location location);

/// The same with ": " behind it, or nothing: what messages begin with.
std::string locationPrefix(mlir::Location location);

/// Whether a note is but the op as text, which MLIR adds and which may be pages
/// long.
bool isOpText(mlir::Diagnostic &note);

/// "LOCATION: MESSAGE", and a line "LOCATION: note: MESSAGE" for each note but
/// op texts.
std::string withNotes(mlir::Diagnostic &diagnostic);

/// A diagnostic of MLIR as data. The label of the rule at the end of its
/// message,
/// "(dot_c2)", becomes the code; else there is none.
Diagnostic toDiagnostic(mlir::Diagnostic &diagnostic);

} // namespace tilewright

#endif // TILEWRIGHT_TILEIR_DIAGNOSTICS_DIAGNOSTICDATA_H
