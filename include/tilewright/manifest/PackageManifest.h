// Everything that a host needs to run a compiled model, as plain data.
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

/// The newest version of the package format that this library reads. It reads
/// all versions from 1, and writes a package with the lowest that can hold it.
inline constexpr int64_t packageFormatVersion = 2;

/// An input, output or state of the model.
struct InterfaceTensor {
  std::string name;
  DType dtype = DType::F32;
  /// Expressions of the model's symbols. An input dimension that is a bare
  /// symbol binds it; every other one is checked.
  std::vector<Expression> shape;
  /// Its buffer: an index into PackageManifest::buffers.
  size_t buffer = 0;
  /// For an input with elements that are fixed at compile time: their bytes in
  /// hexadecimal, in memory order. Otherwise empty.
  std::string value = {};

  friend bool operator==(const InterfaceTensor &,
                         const InterfaceTensor &) = default;
};

/// "f32[N, 3, 48, W]".
[[nodiscard]] TILEWRIGHT_API std::string
printTensorType(DType dtype, const std::vector<Expression> &shape);

/// A region of memory that steps read and write.
struct BufferManifest {
  /// A state lives in a session: it has a content between runs, and steps
  /// write it in place.
  enum class Kind { input, output, weight, transient, state };
  Kind kind = Kind::transient;
  DType dtype = DType::F32;
  /// Size in bytes, an expression of the model's symbols.
  Expression bytes;
  /// The tensor in weights.safetensors, for a weight that is not an alias.
  std::string weight;
  /// The buffer whose storage this one shares, from its first byte.
  std::optional<size_t> alias;
  /// For an output that steps update in place: the input with its initial
  /// elements. For a state: the weight with them; none: zeros. Both buffers
  /// have the same size.
  std::optional<size_t> initial = {};

  friend bool operator==(const BufferManifest &,
                         const BufferManifest &) = default;
};

/// "input", "output", "weight", "transient" or "state".
[[nodiscard]] TILEWRIGHT_API std::string_view
bufferKindName(BufferManifest::Kind kind);

/// The value that a step passes for one argument of its kernel.
struct StepArgument {
  /// The buffer of a view; none for a scalar.
  std::optional<size_t> buffer;
  /// All dimensions of the view, including static ones.
  std::vector<Expression> dims;
  /// All strides of the view in elements; empty for a row-major one.
  std::vector<Expression> strides;
  /// The value of an integer scalar.
  Expression scalar;
  /// Or an index into PackageManifest::inputs: the scalar is the element of
  /// this input of rank 0.
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

/// A copy of all bytes of one buffer into another of the same size.
struct CopyManifest {
  /// Indices into PackageManifest::buffers.
  size_t from = 0;
  size_t to = 0;

  friend bool operator==(const CopyManifest &, const CopyManifest &) = default;
};

/// One launch of a kernel, or a copy.
struct StepManifest {
  /// The name of the kernel; the device selects the variant for its target.
  /// Empty for a copy.
  std::string kernel;
  std::vector<StepArgument> arguments;
  /// The computation, as text: "Conv_3 + Relu_4".
  std::string label;
  /// The copy that this step is; none for a launch.
  std::optional<CopyManifest> copy = {};

  friend bool operator==(const StepManifest &, const StepManifest &) = default;
};

/// A condition on the symbols, checked before a run.
struct CheckManifest {
  Expression that;
  Expression equals;
  /// The error message if they differ, in the model's terms.
  std::string message;

  friend bool operator==(const CheckManifest &,
                         const CheckManifest &) = default;
};

/// The expected size and hash of a file in the package.
struct FileManifest {
  int64_t bytes = 0;
  /// "xxh64:" and 16 hexadecimal digits.
  std::string hash;

  friend bool operator==(const FileManifest &, const FileManifest &) = default;
};

/// A compiled model: everything that a runtime needs besides the files listed
/// here.
struct PackageManifest {
  std::string producer;
  std::string name;
  std::map<std::string, std::string> metadata;
  /// Sizes that are determined by the inputs.
  std::vector<std::string> symbols;
  std::vector<InterfaceTensor> inputs;
  std::vector<InterfaceTensor> outputs;
  std::vector<BufferManifest> buffers;
  /// Up to three of one name, target and features are variants that take the
  /// same arguments, best first: a launch takes the first whose guards hold.
  std::vector<KernelManifest> kernels;
  std::vector<StepManifest> steps;
  std::vector<CheckManifest> checks;
  /// By path relative to the package; filled in by the package writer.
  std::map<std::string, FileManifest> files;
  /// The tensors that a session keeps from run to run, of constant shapes.
  std::vector<InterfaceTensor> states = {};

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

/// The version of the package format that `manifest` is written in.
[[nodiscard]] TILEWRIGHT_API int64_t
formatVersionOf(const PackageManifest &manifest);

/// The JSON text: indented, with keys in a fixed order and a final newline.
[[nodiscard]] TILEWRIGHT_API std::string
printPackageManifest(const PackageManifest &manifest);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_MANIFEST_PACKAGEMANIFEST_H
