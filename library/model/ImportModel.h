//===- ImportModel.h - From a model's file to IR ----------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_IMPORTMODEL_H
#define TILEWRIGHT_LIBRARY_MODEL_IMPORTMODEL_H

#include "library/model/KernelText.h"
#include "library/model/ModelErrors.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tilewright/compiler/CompileModel.h"

namespace tilewright {

/// A model as IR.
struct ImportedModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Where the file is a tile kernel written by hand: its text.
  std::optional<KernelText> kernel;
  /// Whether the module needs the pipeline "module-to-graph" yet.
  bool isForeign = false;
  /// Whether the model's nodes are the module's ops, to be counted.
  bool countsOps = false;
  /// Whether elements of weights lie in other files.
  bool hasExternalData = false;
  /// Of a model that was stopped at: the passes that are left.
  std::optional<std::string> rest;
};

/// The dialects of what importModule() gives.
mlir::DialectRegistry modelDialects(const Plugins *plugins);

/// Reads a model of any frontend. Of a graph, the module has ModelInfo, the
/// kernels that the user gave (graph.user_kernels), and the targets
/// (graph.targets).
StatusOr<ImportedModule> importModule(mlir::MLIRContext &context,
                                      const ModelSource &source,
                                      const CompileModelOptions &options,
                                      const ModelErrors &errors);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_IMPORTMODEL_H
