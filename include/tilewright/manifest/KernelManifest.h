// Everything that a host needs to launch a compiled kernel, as plain data.
#ifndef TILEWRIGHT_MANIFEST_KERNELMANIFEST_H
#define TILEWRIGHT_MANIFEST_KERNELMANIFEST_H

#include "tilewright/manifest/DType.h"
#include "tilewright/manifest/Expression.h"
#include "tilewright/manifest/Precision.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

/// The C entry point of a kernel for the cpu device. It runs the programs
/// with linear ids [first, last); the id of program (x, y, z) is
/// (z * grid[1] + y) * grid[0] + x, and `grid` always has three entries.
/// `scratch` is 64-byte aligned, private to the calling thread, and has the
/// manifest's `scratch` bytes. `args` are the words described by `arguments`.
using CpuKernelEntry = void (*)(const uint64_t *args, const int64_t *grid,
                                int64_t first, int64_t last, void *scratch);

/// One argument of a kernel: a view of memory, or a scalar.
///
/// A view passes its pointer, then the dimensions listed in `dims`, then the
/// strides (in elements) listed in `strides`, one 64-bit word each. A scalar
/// passes one word: integers sign-extended (unsigned ones zero-extended), a
/// float as its bit pattern.
struct KernelArgument {
  enum class Kind { view, scalar };
  Kind kind = Kind::scalar;
  /// Element type of a view, or type of a scalar; none for a scalar of type
  /// index (a 64-bit signed integer).
  std::optional<DType> dtype;
  /// Dimensions of a view.
  unsigned rank = 0;
  /// The dimensions of a view that are passed, in ascending order.
  std::vector<unsigned> dims;
  /// The strides of a view that are passed, in ascending order.
  std::vector<unsigned> strides;
  /// The name for callers; empty if it has none.
  std::string name = {};

  /// A view of `rank` dimensions that passes `dims` and `strides`.
  static KernelArgument view(DType dtype, unsigned rank,
                             std::vector<unsigned> dims,
                             std::vector<unsigned> strides = {}) {
    return {Kind::view, dtype, rank, std::move(dims), std::move(strides)};
  }
  /// A scalar of `dtype`; without one, an index.
  static KernelArgument scalar(std::optional<DType> dtype = std::nullopt) {
    return {Kind::scalar, dtype, 0, {}, {}};
  }
  [[nodiscard]] bool isView() const { return kind == Kind::view; }
  /// The number of 64-bit words it passes.
  [[nodiscard]] size_t words() const {
    return isView() ? 1 + dims.size() + strides.size() : 1;
  }
  friend bool operator==(const KernelArgument &,
                         const KernelArgument &) = default;
};

/// Memory that the runtime provides for the launches of a kernel.
struct KernelWorkspace {
  /// When it is set to zero: `once` is before the first launch that uses the
  /// memory, which then holds what the last launch left.
  enum class Zeroed { never, once, launch };
  /// Its size, an expression as in `grid`. Its address is a multiple of 64.
  Expression bytes;
  Zeroed zeroed = Zeroed::never;

  friend bool operator==(const KernelWorkspace &,
                         const KernelWorkspace &) = default;
};

/// One compiled kernel for one target.
///
/// Expressions in `grid`, `workspace` and `guards` may use `argI.dimJ` and
/// `argI.strideJ` (strides in elements) of a view and `argI` of an integer
/// scalar; those in `grid` also `device.multiprocessors`, which is the number
/// of threads on a CPU.
///
/// Launch convention for a GPU (a target sm_NN):
/// - `image` is PTX if the file is called NAME.ptx, otherwise a cubin; `entry`
/// is
///   a kernel (.entry) in it;
/// - each word described by `arguments` is one 64-bit kernel parameter, in the
///   same order; the address of the workspace, if there is one, is the last;
/// - program (x, y, z) is the block with %ctaid (x, y, z): the grid of programs
///   is the grid of blocks, and a multiple of `cluster` in each dimension;
/// - a block has `block` threads, all in x; if `cluster` has more than one
///   block, they form a cluster;
/// - `shared` is the size of the dynamic shared memory (.extern .shared), in
///   addition to what the code declares.
///
/// For the target interpreter, `image` is a module as text or MLIR bytecode,
/// and `entry` a tile.kernel in it, at the tile level or the scheduled level,
/// or a function with a tile.signature.
struct KernelManifest {
  std::string name;
  /// "cpu", "sm_90a", "interpreter", ...
  std::string target;
  /// Requirements of the code. For cpu: an architecture and its features,
  /// separated by commas or blanks: "x86_64,avx2,fma". Unused for other
  /// targets.
  std::string features;
  /// The fast-math flags that ops of the kernel have, with commas; only
  /// information.
  std::string fastMath;
  /// The least exact way in which products of f32 in the kernel may be
  /// computed; only information.
  Precision precision = Precision::ieee;
  /// The file of the code, relative to the package.
  std::string image;
  /// The symbol to call.
  std::string entry;
  std::vector<KernelArgument> arguments;
  /// Programs in each of 1 to 3 grid dimensions.
  std::vector<Expression> grid;
  /// What the kernel takes as one more word.
  std::optional<KernelWorkspace> workspace;
  /// Bytes of scratch memory for each thread (cpu).
  int64_t scratch = 0;
  /// Programs that a thread takes at a time, and the maximum number of threads
  /// of one launch (cpu); 0: decided by the device.
  int64_t chunk = 0, threads = 0;
  /// Threads in a block (GPU).
  int64_t block = 1;
  /// Blocks in a cluster (GPU).
  std::array<int64_t, 3> cluster = {1, 1, 1};
  /// Bytes of dynamic shared memory for each block (GPU).
  int64_t shared = 0;
  /// Conditions that a launch must satisfy: "arg0.dim1 == 64",
  /// "mod(arg0.stride0, 8) == 0", "aligned(arg0, 16)", "disjoint(arg0, arg1)".
  /// See Guard.
  std::vector<std::string> guards;

  /// The number of 64-bit words that a launch passes.
  [[nodiscard]] size_t words() const {
    size_t count = workspace ? 1 : 0;
    for (const KernelArgument &argument : arguments)
      count += argument.words();
    return count;
  }

  friend bool operator==(const KernelManifest &,
                         const KernelManifest &) = default;
};

/// A parsed guard: `aligned(argI, bytes)`; `disjoint(argI, argJ)`, of two views
/// that share no byte between their first and last elements; or a comparison of
/// two expressions with ==, !=, <, <=, > or >=.
struct TILEWRIGHT_API Guard {
  enum class Kind {
    aligned,
    disjoint,
    equal,
    notEqual,
    less,
    lessEqual,
    greater,
    greaterEqual
  };
  Kind kind = Kind::equal;
  /// For `aligned`: the argument with the pointer. For `disjoint`: both views.
  unsigned argument = 0;
  unsigned other = 0;
  /// For `aligned`, `rhs` is the alignment in bytes.
  Expression lhs;
  Expression rhs;

  /// Parses the textual form.
  static StatusOr<Guard> parse(std::string_view text);
  /// Whether the guard is satisfied by the values of its two sides. For
  /// `aligned`, `a` is the address. For `disjoint`, `a` is the distance of the
  /// views' addresses, and `b` the bytes of the view at the lower one.
  [[nodiscard]] bool holds(int64_t a, int64_t b) const;
};

/// The name of the multiprocessors' number in grids.
inline constexpr std::string_view multiprocessorsName =
    "device.multiprocessors";

/// The guards of `manifest`, in its order.
[[nodiscard]] TILEWRIGHT_API StatusOr<std::vector<Guard>>
parseGuards(const KernelManifest &manifest);

/// Reads a kernel manifest from JSON text and checks it. Errors name the JSON
/// path, what was expected and what was found.
TILEWRIGHT_API StatusOr<KernelManifest>
parseKernelManifest(std::string_view json);

/// The checks of parseKernelManifest: names in expressions exist, the grid has
/// 1 to 3 dimensions, paths stay inside the package.
TILEWRIGHT_API Status validate(const KernelManifest &manifest);

/// The JSON text: indented, with keys in a fixed order and a final newline.
[[nodiscard]] TILEWRIGHT_API std::string
printKernelManifest(const KernelManifest &manifest);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_MANIFEST_KERNELMANIFEST_H
