// Imports ONNX models as graph-level IR.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tilewright/mlir/Frontend.h"
#include "tilewright/support/Status.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace tilewright::onnx {

using frontend::Replacement;

/// The value of a model's input that is known at import.
struct InputValue {
  /// TensorProto::DataType.
  int32_t dataType = 0;
  std::vector<int64_t> shape;
  /// Row-major, little endian, packed as TensorProto::raw_data.
  std::string bytes;
};

/// How to import a model.
struct ImportOptions {
  /// Shapes of inputs by name, instead of the model's; -1 keeps the model's
  /// dimension. An input without a shape in the model needs one. Those of an
  /// input `x` that is a sequence are called "x[0]", "x[1]", ..; "x[]" is the
  /// number of its elements.
  std::map<std::string, std::vector<int64_t>> inputShapes;
  /// Inputs and elements of sequences that are there, as shapes of them say
  /// too. An optional input of which nothing is said is absent.
  std::set<std::string> givenInputs;
  /// Inputs taken to be constants. They stay arguments of `main`, marked with
  /// `graph.fixed`, the only value that the result is valid for.
  std::map<std::string, InputValue> inputValues;
  /// Each match becomes a `graph.composite`; earlier patterns match first. A
  /// pattern (docs/onnx.md) without a match is an error.
  std::vector<Replacement> replacements;
};

/// A model as one function `main` (docs/onnx.md describes its body).
struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Name of the model's graph.
  std::string name;
  /// The model's metadata_props.
  std::map<std::string, std::string> metadata;
  /// Nodes imported, those of inlined functions and branches included.
  int64_t nodeCount = 0;
  /// Matches of patterns that were not replaced, and why; a line each.
  std::vector<std::string> notReplaced;
  /// Whether elements of weights are in other files.
  bool hasExternalData = false;
  /// The mapped file: weights in the module refer to it. The context's blobs
  /// share it, so it need not be kept; keep it to know that it is there.
  std::shared_ptr<void> storage;
};

/// Loads the dialects that imported modules use.
void registerDialects(mlir::DialectRegistry &registry);

/// Imports the model in a file. Fails with one message: the file, the node and
/// its operator, what was expected and what was found.
///
/// If a value (a shape, axes, ...) must be known at import and is not,
/// `unknownInputs` receives the inputs of the model that it is computed from:
/// importing again with them in ImportOptions::inputValues helps. If another
/// import fails, it receives those that sizes are computed from, which are
/// static then. It is empty otherwise.
StatusOr<ImportedModel>
importModel(mlir::MLIRContext &context, llvm::StringRef path,
            const ImportOptions &options = {},
            std::vector<std::string> *unknownInputs = nullptr);

/// Imports a serialized ModelProto; `name` is the file in messages.
StatusOr<ImportedModel>
importModelFromBytes(mlir::MLIRContext &context, llvm::StringRef bytes,
                     llvm::StringRef name, const ImportOptions &options = {},
                     std::vector<std::string> *unknownInputs = nullptr);

/// A supported operator.
struct SupportedOp {
  std::string domain, name;
  /// The operator set version that introduced it.
  int64_t since;
  /// What is not supported; empty if all is.
  std::string limits;
};

/// All operators, sorted by domain and name.
std::vector<SupportedOp> supportedOps();

} // namespace tilewright::onnx
