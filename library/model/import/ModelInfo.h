//===- ModelInfo.h - What a package says of its model -----------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_IMPORT_MODELINFO_H
#define TILEWRIGHT_LIBRARY_MODEL_IMPORT_MODELINFO_H

#include "mlir/IR/BuiltinOps.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// A frontend's information on a model besides its graph. In the IR it is the
/// module's attribute `graph.model`.
struct ModelInfo {
  std::string name;
  /// Of the frontend, for the package's record.
  std::map<std::string, std::string> metadata;
  /// The frontend's nodes, or the ops of a module.
  int64_t nodeCount = 0;
  /// Matches of the user's patterns that were not replaced, and why.
  std::vector<std::string> notReplaced;

  void writeTo(mlir::ModuleOp module) const;
  /// None where it was not written.
  static std::optional<ModelInfo> of(mlir::ModuleOp module);
};

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_IMPORT_MODELINFO_H
