// What a host must know to run a compiled model, as plain data.
#ifndef TILEWRIGHT_MANIFEST_PACKAGEMANIFEST_H
#define TILEWRIGHT_MANIFEST_PACKAGEMANIFEST_H

#include "tilewright/manifest/DType.h"
#include "tilewright/manifest/Expression.h"
#include "tilewright/manifest/KernelManifest.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

/// The version of the package format that this library reads and writes.
inline constexpr int64_t packageFormatVersion = 1;

/// An input or output of the model.
struct InterfaceTensor {
  std::string name;
  DType dtype = DType::F32;
  /// Over the model's symbols. An input dimension that is a bare symbol binds
  /// it; each other one is checked.
  std::vector<Expression> shape;
  /// The buffer that holds it: an index into PackageManifest::buffers.
  size_t buffer = 0;
  /// For an input whose elements the package was compiled for: their bytes in
  /// hexadecimal, in memory's order. Empty if it takes any.
  std::string value = {};

  friend bool operator==(const InterfaceTensor &,
                         const InterfaceTensor &) = default;
};

/// "f32[N, 3, 48, W]".
[[nodiscard]] TILEWRIGHT_API std::string
printTensorType(DType dtype, const std::vector<Expression> &shape);

/// A region of memory that steps read and write.
struct BufferManifest {
  enum class Kind { input, output, weight, transient };
  Kind kind = Kind::transient;
  DType dtype = DType::F32;
  /// Size in bytes, over the model's symbols.
  Expression bytes;
  /// The tensor in weights.safetensors, for a weight that is not an alias.
  std::string weight;
  /// The buffer whose storage this one shares, from its first byte.
  std::optional<size_t> alias;
  /// The input whose elements it has before the first step, for an output that
  /// steps change in place. Both have the same size.
  std::optional<size_t> initial = {};

  friend bool operator==(const BufferManifest &,
                         const BufferManifest &) = default;
};

/// "input", "output", "weight" or "transient".
[[nodiscard]] TILEWRIGHT_API std::string_view
bufferKindName(BufferManifest::Kind kind);

/// What a step passes for one argument of its kernel.
struct StepArgument {
  /// The buffer of a view, or none for a scalar.
  std::optional<size_t> buffer;
  /// All dimensions of the view, static ones too.
  std::vector<Expression> dims;
  /// All strides of the view in elements; empty for a row-major one.
  std::vector<Expression> strides;
  /// The value of an integer scalar.
  Expression scalar;
  /// Or the input of rank 0, an index into PackageManifest::inputs, whose
  /// element is the scalar.
  std::optional<size_t> input = {};

  static StepArgument view(size_t buffer, std::vector<Expression> dims,
                           std::vector<Expression> strides = {}) {
    return {buffer, std::move(dims), std::move(strides), {}};
  }
  static StepArgument value(Expression scalar) {
    return {std::nullopt, {}, {}, std::move(scalar)};
  }
  static StepArgument element(size_t input) {
    return {std::nullopt, {}, {}, {}, input};
  }
  friend bool operator==(const StepArgument &, const StepArgument &) = default;
};

/// One launch.
struct StepManifest {
  /// The name of the kernel; which target's is the device's choice.
  std::string kernel;
  std::vector<StepArgument> arguments;
  /// What it computes, for people: "Conv_3 + Relu_4".
  std::string label;

  friend bool operator==(const StepManifest &, const StepManifest &) = default;
};

/// A condition on the symbols, checked before a run.
struct CheckManifest {
  Expression that;
  Expression equals;
  /// Says in the model's words what is wrong when they differ.
  std::string message;

  friend bool operator==(const CheckManifest &,
                         const CheckManifest &) = default;
};

/// What a file of the package must look like.
struct FileManifest {
  int64_t bytes = 0;
  /// "xxh64:" and 16 hexadecimal digits.
  std::string hash;

  friend bool operator==(const FileManifest &, const FileManifest &) = default;
};

/// A compiled model. Everything that a runtime needs, besides the files
/// that it names.
struct PackageManifest {
  std::string producer;
  std::string name;
  std::map<std::string, std::string> metadata;
  /// The sizes that are known when the inputs are.
  std::vector<std::string> symbols;
  std::vector<InterfaceTensor> inputs;
  std::vector<InterfaceTensor> outputs;
  std::vector<BufferManifest> buffers;
  std::vector<KernelManifest> kernels;
  std::vector<StepManifest> steps;
  std::vector<CheckManifest> checks;
  /// By path relative to the package; filled in by the package writer.
  std::map<std::string, FileManifest> files;

  friend bool operator==(const PackageManifest &,
                         const PackageManifest &) = default;
};

/// Reads a package manifest from JSON text and checks it. Errors name the
/// JSON path, what was expected and what was found.
TILEWRIGHT_API StatusOr<PackageManifest>
parsePackageManifest(std::string_view json);

/// Checks that the manifest is consistent: indices and names exist, kinds
/// agree, each symbol is bound by an input, steps fit their kernels.
TILEWRIGHT_API Status validate(const PackageManifest &manifest);

/// The JSON text: keys in a fixed order, indented, ends with a newline.
[[nodiscard]] TILEWRIGHT_API std::string
printPackageManifest(const PackageManifest &manifest);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_MANIFEST_PACKAGEMANIFEST_H
