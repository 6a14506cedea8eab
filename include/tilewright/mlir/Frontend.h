//===- Frontend.h - What reads models of one format -------------*- C++ -*-===//
//
// docs/add-a-frontend.md goes through one from a plug-in.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_MLIR_FRONTEND_H
#define TILEWRIGHT_MLIR_FRONTEND_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tilewright/compiler/ModelSource.h"
#include "tilewright/compiler/TileModule.h"
#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Export.h"
#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace tilewright::frontend {

/// A part of a model that a kernel of the user computes.
struct Replacement {
  /// What the part looks like, in the frontend's terms.
  std::string pattern;
  /// The kernel's name and the types of its arguments: views of the pattern's
  /// inputs, then of its outputs.
  std::string kernel;
  std::vector<mlir::Type> arguments;
};

struct ImportOptions {
  /// Shapes of inputs by name, in place of the model's; -1 leaves a dimension
  /// as the model has it. Empty unless Frontend::takesShapes().
  std::map<std::string, std::vector<int64_t>> inputShapes;
  /// Elements that inputs will have, by name. A frontend that must know some
  /// for the shapes of a graph marks those inputs with `graph.fixed`: the
  /// package is good for these values alone. Others it leaves alone.
  std::map<std::string, runtime::HostTensor> inputValues;
  /// Each match becomes a graph.composite; earlier patterns match first. A
  /// pattern without a match is an error. Empty unless
  /// Frontend::takesPatterns().
  std::vector<Replacement> replacements;
};

/// A model as IR: either `module` or `kernels`.
struct ImportedModel {
  /// At the graph level, in the context of the import: one function, whose
  /// arguments and results have names (graph.name) and names of dynamic sizes
  /// (graph.dims); docs/mlir.md says which ops its body may have.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// At the tile level.
  std::optional<TileModule> kernels;
  /// Of the model; empty for its file's.
  std::string name;
  /// For the package's record.
  std::map<std::string, std::string> metadata;
  /// How many of the format's nodes were imported; none counts the ops.
  std::optional<int64_t> nodeCount;
  /// What a pattern matched and yet was not replaced, and why; a line each.
  std::vector<std::string> notReplaced;
  /// Whether the module needs the pipeline "module-to-graph" yet: it may have
  /// named linalg ops, several functions, control flow.
  bool isForeign = false;
  /// Whether elements of weights lie in other files.
  bool hasExternalData = false;
};

/// Reads models of one format. Immutable; used from many threads.
class TILEWRIGHT_API Frontend {
public:
  virtual ~Frontend();

  /// What messages call a model of this format: "an ONNX model".
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// How its files' names end: ".onnx".
  [[nodiscard]] virtual std::vector<std::string> extensions() const = 0;
  /// Whether these look like the bytes of such a model; asked where several
  /// frontends have the extension of a file, or none has. Must not take long.
  [[nodiscard]] virtual bool recognizes(std::string_view bytes) const = 0;
  /// Whether its models are tile kernels, not graphs. (A graph's file may prove
  /// to hold kernels only when it has been read.)
  [[nodiscard]] virtual bool isForKernels() const { return false; }
  /// Whether the import needs ImportOptions::inputShapes and fixes the shapes
  /// of inputs itself; else the pass specialize-shapes does, on the module.
  [[nodiscard]] virtual bool takesShapes() const { return false; }
  /// Whether it makes something of ImportOptions::replacements; they are
  /// rejected before the import else.
  [[nodiscard]] virtual bool takesPatterns() const { return false; }
  /// The dialects of its modules that are not those of docs/mlir.md.
  virtual void registerDialects(mlir::DialectRegistry &registry) const;

  /// Errors name the model and the location, what was expected and what was
  /// found; errors in the context, at their locations, take the place of the
  /// status.
  virtual StatusOr<ImportedModel>
  import(mlir::MLIRContext &context, const ModelSource &source,
         const ImportOptions &options) const = 0;
};

/// The frontend for a model, of the first ones first: the one that has the
/// extension of its file; of several, or where none has it, the one that
/// recognizes the bytes. Where several have the extension and none recognizes
/// the bytes it is the last, which can say what is wrong. Errors: there is
/// none; the extensions are listed.
TILEWRIGHT_API StatusOr<const Frontend *>
choose(std::span<const Frontend *const> all, const ModelSource &source);

} // namespace tilewright::frontend

#endif // TILEWRIGHT_MLIR_FRONTEND_H
