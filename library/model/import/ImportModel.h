//===- ImportModel.h - From a model's file to IR ----------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_IMPORT_IMPORTMODEL_H
#define TILEWRIGHT_LIBRARY_MODEL_IMPORT_IMPORTMODEL_H

#include "library/compiler/TunableModule.h"
#include "library/model/import/ModelErrors.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tilewright/compiler/CompileModel.h"

namespace tilewright {

/// A model as IR.
struct ImportedModule {
  /// Of hand-written kernels, those with the defaults of their tunables.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// If the file has hand-written tile kernels.
  std::optional<TunableModule> kernels;
  /// Whether the module still needs the pipeline "module-to-graph".
  bool isForeign = false;
  /// Whether the model's nodes are the module's ops, to be counted.
  bool countsOps = false;
  /// Whether elements of weights are in other files.
  bool hasExternalData = false;
  /// Of a stopped model: the passes that remain.
  std::optional<std::string> rest;
};

/// The dialects of importModule()'s results.
mlir::DialectRegistry modelDialects(const Plugins *plugins);

/// Reads a model of any frontend. For a graph, the module has ModelInfo, the
/// user's kernels (graph.user_kernels), and the targets (graph.targets).
StatusOr<ImportedModule> importModule(mlir::MLIRContext &context,
                                      const ModelSource &source,
                                      const CompileModelOptions &options,
                                      const ModelErrors &errors);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_IMPORT_IMPORTMODEL_H
