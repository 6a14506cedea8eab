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
  /// as the model has it. An element of an input `x` that is a sequence is
  /// called "x[0]", and "x[]" is their number. Empty unless
  /// Frontend::takesShapes().
  std::map<std::string, std::vector<int64_t>> inputShapes;
  /// Elements that inputs will have, by name. If the shapes of the graph depend
  /// on some of them, the frontend marks those inputs with `graph.fixed`: the
  /// package then works for these values only. It ignores the others, but for
  /// their names: those say which optional inputs and elements of sequences
  /// there are.
  std::map<std::string, runtime::HostTensor> inputValues;
  /// Each match becomes a graph.composite; earlier patterns match first. A
  /// pattern without a match is an error. Empty unless
  /// Frontend::takesPatterns().
  std::vector<Replacement> replacements;
};

/// A model as IR: `module`, `kernels`, or both.
struct ImportedModel {
  /// A verified module in the context of the import. At the graph level it has
  /// one function, whose arguments and results have names (graph.name) and
  /// names of dynamic sizes (graph.dims); docs/mlir.md says which ops its body
  /// may have. At the tile level it has tile.kernel ops.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Tile kernels as text: of a template, whose numbers are open, or of a
  /// reader without MLIR. With a module, the text that it was parsed from.
  std::optional<TileModule> kernels;
  /// The model's name; empty: that of its file.
  std::string name;
  /// For the package's record.
  std::map<std::string, std::string> metadata;
  /// How many nodes of the format were imported. Without a number, the ops of
  /// the module are counted.
  std::optional<int64_t> nodeCount;
  /// What a pattern matched but was not replaced, and why; one line for each.
  std::vector<std::string> notReplaced;
  /// Whether the pipeline "module-to-graph" must still run: the module may have
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
  /// Whether these look like the bytes of such a model. Called if several
  /// frontends have the extension of a file, or none has. Must not take long.
  [[nodiscard]] virtual bool recognizes(std::string_view bytes) const = 0;
  /// Whether its models are always tile kernels. If false, import() decides
  /// whether a file holds a graph or kernels.
  [[nodiscard]] virtual bool isForKernels() const { return false; }
  /// Whether import() fixes the shapes of inputs itself, from
  /// ImportOptions::inputShapes. If not, the pass specialize-shapes does.
  [[nodiscard]] virtual bool takesShapes() const { return false; }
  /// Whether it supports ImportOptions::replacements. If not, a model with
  /// replacements is rejected before import() is called.
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

/// The tile kernels of a model from `source` as text, which tuning databases
/// know them by: the frontend's, or that of the module. Nothing for a graph.
TILEWRIGHT_API std::optional<TileModule> kernelsOf(const ImportedModel &model,
                                                   const ModelSource &source);

/// The frontend for a model. If one frontend has the extension of the file, it
/// is that one. If several have it, or none has, it is the first that
/// recognizes the bytes. If several have it and none recognizes the bytes, it
/// is the last one that has it, which can say what is wrong. Error: no
/// frontend; the message lists the extensions.
TILEWRIGHT_API StatusOr<const Frontend *>
choose(std::span<const Frontend *const> all, const ModelSource &source);

} // namespace tilewright::frontend

#endif // TILEWRIGHT_MLIR_FRONTEND_H
