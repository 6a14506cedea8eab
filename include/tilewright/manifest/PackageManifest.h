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

/// A condition on the symbols, checked before a run, or where a step is it.
struct CheckManifest {
  Expression that;
  Expression equals;
  /// The error message if they differ, in the model's terms.
  std::string message;

  friend bool operator==(const CheckManifest &,
                         const CheckManifest &) = default;
};

/// A size that is known when a step has run, or while it runs: a symbol that
/// is seen from there on, in the list of the step and in the lists inside. Its
/// name differs from those of all other symbols.
struct StepSymbol {
  std::string name;
  /// Of a branch: the value behind the first side, and behind the other. Of a
  /// loop: the value in the first iteration, and in the one that follows, of
  /// what is known at the end of an iteration. A reading has neither.
  Expression first = 0, second = 0;
  /// The least and the greatest value, of what is known before the step; no
  /// greatest one: any. A run fails with another value.
  Expression least = 0;
  std::optional<Expression> greatest = {};

  friend bool operator==(const StepSymbol &, const StepSymbol &) = default;
};

/// The only element of a buffer, of type i32 or i64, becomes a symbol.
struct ReadManifest {
  size_t buffer = 0;
  StepSymbol symbol;

  friend bool operator==(const ReadManifest &, const ReadManifest &) = default;
};

struct StepManifest;

/// One of two lists of steps.
struct BranchManifest {
  /// Where a tensor is whose value depends on the side. The memory in which a
  /// side leaves it is copied there, if it is not there already.
  struct Result {
    size_t buffer = 0;
    size_t first = 0, second = 0;

    friend bool operator==(const Result &, const Result &) = default;
  };
  /// The buffer with a boolean: the first side runs where it is not 0.
  size_t condition = 0;
  std::vector<StepManifest> first, second;
  std::vector<StepSymbol> symbols;
  std::vector<Result> results;

  friend bool operator==(const BranchManifest &, const BranchManifest &);
};

/// A list of steps that repeats. It ends after `count` iterations, and where
/// the boolean in `condition` is 0 before an iteration.
struct LoopManifest {
  /// A tensor that each iteration finds and leaves changed.
  struct Carried {
    /// Where iterations find it, and where it is in the end.
    size_t buffer = 0;
    /// Its value before the first iteration, which is copied; `buffer` itself
    /// where it is there already.
    size_t start = 0;
    /// Where an iteration leaves it; `buffer` itself where it is updated in
    /// place.
    size_t next = 0;
    /// `next` is copied to `buffer`; or both change places, if nothing else
    /// needs the memory of `next`.
    bool swaps = false;

    friend bool operator==(const Carried &, const Carried &) = default;
  };
  /// At least one of the two.
  std::optional<Expression> count;
  std::optional<size_t> condition;
  std::vector<StepManifest> steps;
  std::vector<StepSymbol> symbols;
  std::vector<Carried> carried;

  friend bool operator==(const LoopManifest &, const LoopManifest &);
};

/// One launch of a kernel, or what the last members are.
struct StepManifest {
  /// The name of the kernel; the device selects the variant for its target.
  /// Empty where this is no launch.
  std::string kernel;
  std::vector<StepArgument> arguments;
  /// The computation, as text: "Conv_3 + Relu_4".
  std::string label;
  /// At most one of these.
  std::optional<CopyManifest> copy = {};
  std::optional<CheckManifest> check = {};
  std::optional<ReadManifest> read = {};
  std::optional<BranchManifest> branch = {};
  std::optional<LoopManifest> loop = {};

  [[nodiscard]] bool isLaunch() const {
    return !copy && !check && !read && !branch && !loop;
  }
  friend bool operator==(const StepManifest &, const StepManifest &) = default;
};

/// Lists of steps are nested at most this deep.
inline constexpr size_t maximumStepNesting = 24;

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
  /// Sizes that are determined by the inputs. Steps may bind more.
  std::vector<std::string> symbols;
  std::vector<InterfaceTensor> inputs;
  std::vector<InterfaceTensor> outputs;
  std::vector<BufferManifest> buffers;
  /// Up to three of one name, target and features are variants that take the
  /// same arguments, best first: a launch takes the first whose guards hold.
  std::vector<KernelManifest> kernels;
  /// In the order in which they run; the lists of branches and loops make it a
  /// tree.
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

/// The launches and copies of all lists.
[[nodiscard]] TILEWRIGHT_API size_t
stepCount(const std::vector<StepManifest> &steps);

/// Whether a step decides at run time what runs, or how large something is.
[[nodiscard]] TILEWRIGHT_API bool
hasDecisions(const std::vector<StepManifest> &steps);

/// The JSON text: indented, with keys in a fixed order and a final newline.
[[nodiscard]] TILEWRIGHT_API std::string
printPackageManifest(const PackageManifest &manifest);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_MANIFEST_PACKAGEMANIFEST_H
