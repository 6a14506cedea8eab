//===- GpuTarget.h - Facts about a GPU that code is made for ----*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_GPUTARGET_H
#define TILEWRIGHT_CODEGEN_GPUTARGET_H

#include "tilewright/support/Export.h"
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tilewright::target {

/// A GPU: what its blocks may use, and what its multiprocessors have. Code asks
/// here; it compares no compute capability.
struct GpuTarget {
  /// "sm_90a", as in PTX's .target.
  std::string_view name;
  /// The compute capability.
  unsigned major = 0, minor = 0;
  /// The first PTX version that knows the target, times 10.
  unsigned ptxVersion = 0;
  /// Bytes of shared memory of a multiprocessor.
  int64_t multiprocessorShared = 0;
  /// How many warps and blocks a multiprocessor holds at once.
  unsigned multiprocessorWarps = 0, multiprocessorBlocks = 0;
  /// Whether cvt knows f8E4M3FN and f8E5M2, in that PTX version.
  bool convertsFloat8 = false;
  /// Products of f16 that mma.sync multiplies in a cycle of a multiprocessor;
  /// 0: there is neither that nor ldmatrix.
  unsigned matrixProducts = 0;
  /// Multiprocessors of the largest GPU of its kind; 0: not known.
  unsigned multiprocessors = 0;

  // The same on all of them so far.
  static constexpr unsigned warpSize = 32;
  static constexpr unsigned blockThreads = 1024;
  /// 32-bit registers of a multiprocessor, and of a thread.
  static constexpr int64_t multiprocessorRegisters = 65536;
  static constexpr unsigned threadRegisters = 255;
  /// Registers are given to a warp in units of this many.
  static constexpr int64_t warpRegisterUnit = 256;
  /// Bytes of shared memory that the system takes of each block.
  static constexpr int64_t reservedShared = 1024;
  /// Shared memory is given to a block in units of this many bytes.
  static constexpr int64_t sharedUnit = 128;
  /// What a block may use without asking the driver for more.
  static constexpr int64_t defaultShared = 48 * 1024;

  /// The most shared memory that a block may use, in bytes.
  [[nodiscard]] constexpr int64_t blockShared() const {
    return multiprocessorShared - reservedShared;
  }

  /// The bits of the widest access of a thread to global memory. (PTX ISA 8.8,
  /// "ld": 256 bits from sm_100 on)
  [[nodiscard]] constexpr int64_t widestAccess() const {
    return major >= 10 ? 256 : 128;
  }
  /// The first PTX version that has accesses of more than 128 bits, times 10.
  static constexpr unsigned wideAccessPtxVersion = 88;

  /// Whether threads copy from global to shared memory asynchronously.
  /// (PTX ISA 9.7.9.25.3, "cp.async")
  [[nodiscard]] constexpr bool hasAsyncCopies() const { return major >= 8; }
  /// Whether blocks form clusters, and accesses have the scope .cluster.
  /// (PTX ISA 8.5, "Scope")
  [[nodiscard]] constexpr bool hasClusters() const { return major >= 9; }
  /// Whether memory adds bf16 atomically. (PTX ISA 9.7.13.6)
  [[nodiscard]] constexpr bool hasAtomicAddBf16() const { return major >= 9; }
  /// Whether it adds up to 4 neighbouring f32 at once, and the first version of
  /// PTX that says so. (PTX ISA 9.7.13.7)
  [[nodiscard]] constexpr bool hasAtomicAddVector() const { return major >= 9; }
  static constexpr unsigned atomicAddVectorPtxVersion = 81;
};

/// All of them, in ascending order.
[[nodiscard]] TILEWRIGHT_API std::span<const GpuTarget> gpuTargets();

/// The target of that name, or null.
[[nodiscard]] TILEWRIGHT_API const GpuTarget *
findGpuTarget(std::string_view name);

/// "sm_80, sm_86, ...", for messages.
[[nodiscard]] TILEWRIGHT_API std::string gpuTargetNames();

/// What one block of a kernel uses.
struct BlockResources {
  int64_t threads = 1;
  /// Bytes.
  int64_t shared = 0;
  /// 32-bit registers of each thread.
  int64_t registers = 1;
};

/// How many blocks a multiprocessor holds at once, and what keeps it from
/// holding more.
struct Occupancy {
  enum class Limit { blocks, warps, shared, registers };
  int64_t blocks = 0;
  Limit limit = Limit::blocks;
  /// Share of the multiprocessor's warps that are in use, 0 to 1.
  double warps = 0;
};

/// By the CUDA C++ Best Practices Guide, "Calculating Occupancy".
[[nodiscard]] TILEWRIGHT_API Occupancy occupancy(const BlockResources &block,
                                                 const GpuTarget &target);

/// "blocks", "warps", "shared memory" or "registers".
[[nodiscard]] TILEWRIGHT_API std::string_view limitName(Occupancy::Limit limit);

} // namespace tilewright::target

#endif // TILEWRIGHT_CODEGEN_GPUTARGET_H
