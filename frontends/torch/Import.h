// Imports exported programs as graph-level IR.
#pragma once

#include "tilewright/compiler/TorchProgram.h"
#include "tilewright/support/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tilewright::torch {

/// A program as one function `main` (docs/pytorch.md), and how many nodes it
/// has.
struct ImportedProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  int64_t nodeCount = 0;
};

/// Loads the dialects that imported modules use.
void registerDialects(mlir::DialectRegistry &registry);

/// Fails with one message: the file, then the node, its operator and its line
/// in the user's program, or all operators that are not supported. `file` is
/// the file in messages.
StatusOr<ImportedProgram> importProgram(mlir::MLIRContext &context,
                                        const Program &program,
                                        const std::string &file);

} // namespace tilewright::torch
