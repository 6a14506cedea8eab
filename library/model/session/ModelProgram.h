//===- ModelProgram.h - A model as IR, between stages -----------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_SESSION_MODELPROGRAM_H
#define TILEWRIGHT_LIBRARY_MODEL_SESSION_MODELPROGRAM_H

#include "library/model/import/ImportModel.h"
#include "library/model/import/ModelInfo.h"
#include "library/model/session/ModelSession.h"
#include "library/model/session/PassList.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright {

/// The module that passes take from a model to kernels.
struct ModelProgram {
  ImportedModule imported;
  ModelInfo info;
  /// Whether the program is a hand-written kernel.
  bool isKernel = false;
  /// Of one that was stopped among the passes on kernels: those that are left.
  std::optional<PassList> codeRest = {};

  [[nodiscard]] mlir::ModuleOp module() const { return *imported.module; }
  /// The graph's function, which a hand-written kernel does not have.
  [[nodiscard]] mlir::func::FuncOp graph() const {
    return *module().getOps<mlir::func::FuncOp>().begin();
  }
};

/// Reads the model; a module of other dialects becomes a graph.
StatusOr<ModelProgram> importProgram(ModelSession &session);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_SESSION_MODELPROGRAM_H
