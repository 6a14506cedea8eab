//===- KeptConstants.h - Constants that outlive passes ----------*- C++ -*-===//
//
// Passes free the data of constants that their module does not use any more. A
// copy of the module from before still does.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_KEPTCONSTANTS_H
#define TILEWRIGHT_LIBRARY_MODEL_KEPTCONSTANTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <vector>

namespace tilewright {

/// The data of resources, as long as this lives. Their context outlives it.
class KeptConstants {
public:
  /// Takes the data of all resources that the module uses. They have it as
  /// before.
  void keep(mlir::ModuleOp module);
  /// Gives it back to those that have lost it.
  void restore();

private:
  struct Kept {
    mlir::DialectResourceBlobManager::BlobEntry *entry;
    mlir::AsmResourceBlob data;
  };
  std::vector<Kept> all;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_KEPTCONSTANTS_H
