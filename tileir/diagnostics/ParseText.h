// MLIR's text, whose nesting has a limit.
#ifndef TILEWRIGHT_TILEIR_DIAGNOSTICS_PARSETEXT_H
#define TILEWRIGHT_TILEIR_DIAGNOSTICS_PARSETEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tilewright/support/Export.h"

namespace mlir {
class ParserConfig;
} // namespace mlir

namespace tilewright {

/// Emits an error where brackets, or signs, of `text` are nested deeper than
/// the recursive parser, and all that walks what it makes, have stack for; and
/// where an attribute is not of the kind that a parser of upstream takes it
/// for.
TILEWRIGHT_PRIVATE_API mlir::LogicalResult
checkText(llvm::StringRef text, llvm::StringRef file,
          mlir::MLIRContext *context);

/// Parses text that may be from anybody; null: an error was emitted. A zero
/// follows the end of `text`.
mlir::OwningOpRef<mlir::ModuleOp> parseText(llvm::StringRef text,
                                            const mlir::ParserConfig &config,
                                            llvm::StringRef file);

} // namespace tilewright

#endif // TILEWRIGHT_TILEIR_DIAGNOSTICS_PARSETEXT_H
