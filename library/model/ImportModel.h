//===- ImportModel.h - From a model's file to IR ----------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_IMPORTMODEL_H
#define TILEWRIGHT_LIBRARY_MODEL_IMPORTMODEL_H

#include "library/model/CompileModel.h"
#include "library/model/KernelText.h"
#include "library/model/ModelErrors.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tilewright {

/// A model as IR.
struct ImportedModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Where the file is a tile kernel written by hand: its text.
  std::optional<KernelText> kernel;
  /// What a module of a person or another tool needs yet: that is no graph as a
  /// frontend makes it ("module-to-graph").
  bool isForeign = false;
  /// Whether elements of weights lie in other files.
  bool hasExternalData = false;
  /// Of a model that was stopped at: the passes that are left.
  std::optional<std::string> rest;
};

/// The dialects of what importModule() gives.
mlir::DialectRegistry modelDialects();

/// Reads a model of any kind. Of a graph, the module has ModelInfo, the kernels
/// that the user gave (graph.given), and the targets (graph.targets).
StatusOr<ImportedModule> importModule(mlir::MLIRContext &context,
                                      const std::filesystem::path &model,
                                      const CompileModelOptions &options,
                                      const ModelErrors &errors);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_IMPORTMODEL_H
