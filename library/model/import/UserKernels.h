//===- UserKernels.h - Kernels that the user gives --------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_IMPORT_USERKERNELS_H
#define TILEWRIGHT_LIBRARY_MODEL_IMPORT_USERKERNELS_H

#include "tilewright/compiler/CompileModel.h"
#include "tilewright/mlir/Frontend.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright {

/// The kernels of CompileModelOptions::replacements, each in a module with what
/// it calls. They live in a context that outlives this.
class UserKernels {
public:
  /// Reads and verifies the modules. Their products of f32 get `precision`,
  /// unless they have one. Errors name the module and the location.
  Status read(mlir::MLIRContext &context,
              const std::vector<KernelReplacement> &given,
              runtime::Precision precision);

  /// The frontend's replacements, by pattern of nodes.
  [[nodiscard]] const std::vector<frontend::Replacement> &replacements() const {
    return imports;
  }
  /// Puts the modules into that of the graph: graph.user_kernels.
  void moveInto(mlir::ModuleOp graph);

private:
  [[nodiscard]] bool contains(llvm::StringRef name);
  Status read(mlir::MLIRContext &context, const KernelReplacement &given,
              runtime::Precision precision);
  std::string freeName(llvm::StringRef name);

  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  std::vector<frontend::Replacement> imports;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_IMPORT_USERKERNELS_H
