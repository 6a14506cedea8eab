// MLIR's text from anybody: upstream's parsers and verifiers take for granted
// what is checked here first.
#ifndef TILEWRIGHT_TILEIR_DIAGNOSTICS_PARSETEXT_H
#define TILEWRIGHT_TILEIR_DIAGNOSTICS_PARSETEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tileir/diagnostics/ParserHazards.h"
#include "tilewright/support/Export.h"

namespace tilewright {

/// Emits an error where brackets, or signs, of `text` are nested deeper than
/// the recursive parser, and all that walks what it makes, have stack for;
/// where a parser of upstream would crash; and at ops of other dialects.
/// Bytecode is taken as it is.
TILEWRIGHT_PRIVATE_API mlir::LogicalResult checkText(llvm::StringRef text,
                                                     llvm::StringRef file,
                                                     mlir::MLIRContext *context,
                                                     Dialects dialects);

/// Emits an error where a verifier of upstream would crash; and at ops of other
/// dialects.
TILEWRIGHT_PRIVATE_API mlir::LogicalResult checkOps(mlir::ModuleOp module,
                                                    Dialects dialects);

/// Verifies what was parsed, after what upstream's verifiers take for granted.
mlir::LogicalResult verifyModule(mlir::ModuleOp module, Dialects dialects);

/// Parses text that may be from anybody, or bytecode; null: an error was
/// emitted. A zero follows the end of `text`.
mlir::OwningOpRef<mlir::ModuleOp> parseText(llvm::StringRef text,
                                            mlir::MLIRContext *context,
                                            llvm::StringRef file);

/// The same without verifyModule(), which has to follow.
mlir::OwningOpRef<mlir::ModuleOp> parseUnverified(llvm::StringRef text,
                                                  mlir::MLIRContext *context,
                                                  llvm::StringRef file);

} // namespace tilewright

#endif // TILEWRIGHT_TILEIR_DIAGNOSTICS_PARSETEXT_H
