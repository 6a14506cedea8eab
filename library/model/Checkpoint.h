//===- Checkpoint.h - A model between two passes ----------------*- C++ -*-===//
//
// A compilation can be stopped after any pass. The module is written as text
// with all that is in it, locations and elements of weights too, and beside it,
// as MLIR's reproducers have it, the pipeline that is left; another process
// reads both and goes on.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_CHECKPOINT_H
#define TILEWRIGHT_LIBRARY_MODEL_CHECKPOINT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tilewright/compiler/ModelSource.h"
#include "tilewright/support/Status.h"
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright {

/// A module and the passes that are left, as "a,b(c),d{e=f}".
struct Checkpoint {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string rest;
};

/// The passes before and after a stop.
struct SplitPipeline {
  std::string first, rest;
};

/// Cuts a pipeline, "a,b(c),d", behind a pass by its name, be it nested; the
/// second of that name is "NAME:2". Errors: there is none; the names are
/// listed.
StatusOr<SplitPipeline> splitPipeline(llvm::StringRef pipeline,
                                      llvm::StringRef pass);

/// The names of its passes, in order: those that splitPipeline() knows.
std::vector<std::string> passNames(llvm::StringRef pipeline);

/// Cuts it before what is for kernels that are in modules of their own.
SplitPipeline splitBeforeCode(llvm::StringRef pipeline);

/// Of a pipeline, the passes on modules in ops of that name: "b,c" of
/// "a,graph.gpu_code(builtin.module(b,c))".
std::string codePasses(llvm::StringRef pipeline, llvm::StringRef op);

/// Gives what text says no location of, the arguments of loops and terminators
/// that are not written, that of the op they are in, so that no location in the
/// file of a stop comes in. Done before the first pass.
void placeUnwritten(mlir::ModuleOp module);

/// Writes the module and what is left of its pipeline.
Status writeCheckpoint(const std::filesystem::path &path, mlir::ModuleOp module,
                       const std::string &rest);

/// Whether writeCheckpoint() wrote this text.
bool isCheckpoint(llvm::StringRef text);

/// Reads a checkpoint; null with an error in the context where it is malformed.
std::optional<Checkpoint> readCheckpoint(const ModelSource &source,
                                         mlir::MLIRContext &context);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_CHECKPOINT_H
