//===- ModelKind.h - What is known of a model before it is read -*- C++ -*-===//
#ifndef TILEWRIGHT_COMPILER_MODELKIND_H
#define TILEWRIGHT_COMPILER_MODELKIND_H

#include "tilewright/compiler/ModelSource.h"
#include "tilewright/compiler/Plugins.h"
#include "tilewright/support/Export.h"

namespace tilewright {

/// Properties of a model, from its frontend.
struct ModelKind {
  /// The name of such models in messages: "an ONNX model".
  std::string name;
  /// Whether it is a handwritten tile kernel and not a graph.
  bool isKernel = false;
  /// Whether CompileModelOptions::inputShapes and
  /// CompileModelOptions::replacements may be set.
  bool takesShapes = false, takesPatterns = false;
  /// Whether its frontend can import some models only with given shapes.
  bool needsShapes = false;
};

/// The kind of a model, from the frontends of `plugins` (which may be null) and
/// of Tilewright. Errors: no frontend; the known extensions are listed.
TILEWRIGHT_API StatusOr<ModelKind> kindOf(const ModelSource &source,
                                          const Plugins *plugins);

/// The kinds that accept patterns: "an ONNX model or a graph in X".
TILEWRIGHT_API std::string kindsWithPatterns(const Plugins *plugins);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_MODELKIND_H
