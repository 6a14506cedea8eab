//===- Checkpoint.h - A model between two passes ----------------*- C++ -*-===//
//
// A compilation can be stopped after any pass. The module is written as text,
// including locations and elements of weights, with the rest of the pipeline,
// as in MLIR's reproducers; another process reads both and continues.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_IMPORT_CHECKPOINT_H
#define TILEWRIGHT_LIBRARY_MODEL_IMPORT_CHECKPOINT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tilewright/compiler/ModelSource.h"
#include "tilewright/support/Status.h"
#include <filesystem>
#include <optional>
#include <string>

namespace tilewright {

/// A module and the passes that are left, as "a,b(c),d{e=f}".
struct Checkpoint {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string rest;
};

/// Sets locations that the text form does not store, those of loop arguments
/// and of unwritten terminators, to that of the enclosing op, so that a
/// checkpoint file adds no locations. Done before the first pass.
void placeUnwritten(mlir::ModuleOp module);

/// Prints the module and what is left of its pipeline.
void printCheckpoint(llvm::raw_ostream &stream, mlir::ModuleOp module,
                     const std::string &rest);
/// The same as a file.
Status writeCheckpoint(const std::filesystem::path &path, mlir::ModuleOp module,
                       const std::string &rest);

/// Whether writeCheckpoint() wrote this text.
bool isCheckpoint(llvm::StringRef text);

/// Reads a checkpoint; null with an error in the context where it is malformed.
std::optional<Checkpoint> readCheckpoint(const ModelSource &source,
                                         mlir::MLIRContext &context);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_IMPORT_CHECKPOINT_H
