//===- ModelKind.h - What is known of a model before it is read -*- C++ -*-===//
#ifndef TILEWRIGHT_COMPILER_MODELKIND_H
#define TILEWRIGHT_COMPILER_MODELKIND_H

#include "tilewright/compiler/ModelSource.h"
#include "tilewright/compiler/Plugins.h"
#include "tilewright/support/Export.h"

namespace tilewright {

/// What a model's frontend says of it.
struct ModelKind {
  /// What messages call such a model: "an ONNX model".
  std::string name;
  /// Whether it is a tile kernel written by hand, not a graph.
  bool isKernel = false;
  /// Whether CompileModelOptions::inputShapes and
  /// CompileModelOptions::replacements can be given.
  bool takesShapes = false, takesPatterns = false;
  /// Whether its frontend may import more for given shapes than for all.
  bool needsShapes = false;
};

/// The kind of a model for which there is a frontend, of `plugins` (which may
/// be null) or Tilewright's own. Errors: there is none; the names that files
/// may have are listed.
TILEWRIGHT_API StatusOr<ModelKind> kindOf(const ModelSource &source,
                                          const Plugins *plugins);

/// "an ONNX model or a graph in X": those whose patterns can be given.
TILEWRIGHT_API std::string kindsWithPatterns(const Plugins *plugins);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_MODELKIND_H
