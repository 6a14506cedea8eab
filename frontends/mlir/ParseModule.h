//===- ParseModule.h - MLIR from a file or from memory ----------*- C++ -*-===//
#ifndef TILEWRIGHT_FRONTENDS_MLIR_PARSEMODULE_H
#define TILEWRIGHT_FRONTENDS_MLIR_PARSEMODULE_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tileir/diagnostics/ParseText.h"
#include "tilewright/compiler/ModelSource.h"

namespace tilewright {

/// Parses and verifies text or bytecode; null with errors in the context.
/// `config` is one that does not verify.
mlir::OwningOpRef<mlir::ModuleOp> parseModule(const ModelSource &source,
                                              const mlir::ParserConfig &config,
                                              Dialects dialects);

} // namespace tilewright

#endif // TILEWRIGHT_FRONTENDS_MLIR_PARSEMODULE_H
