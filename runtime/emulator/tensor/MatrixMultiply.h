// Whole matrix instructions: from registers and shared memory to registers.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_MATRIXMULTIPLY_H
#define TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_MATRIXMULTIPLY_H

#include "runtime/emulator/tensor/Rule.h"
#include "runtime/emulator/tensor/SharedMatrix.h"
#include "support/HostIsa.h"

namespace tilewright::emulator {

/// One mma, wmma.mma or wgmma.mma_async, as far as it can be prepared when it
/// is decoded. Plain data; any number of threads may use one.
struct MatrixMultiply {
  Rule rule;
  /// What one warp computes: all rows of mma and wmma, 16 of wgmma.
  int rows;
  int columns;
  /// The registers of a warp; `a` as it is stored, if it is sparse, and also
  /// if wgmma may read it from shared memory instead.
  Fragment a, b, c, d;
  bool orderedMetadata;
};

/// Prepares an instruction of shape m x n x operation.depth. A shape that PTX
/// does not have for these types, or an operation without a known rule, is an
/// error with its name. m is 64 for wgmma.
[[nodiscard]] StatusOr<MatrixMultiply>
prepareMultiply(TensorArchitecture architecture,
                const MatrixOperation &operation, int m, int n,
                bool orderedMetadata = false);

/// The registers of wmma.load and wmma.store: of a matrix of an instruction of
/// shape m x n x k. `type` is that of the matrix. An unknown shape is an error.
[[nodiscard]] StatusOr<Fragment>
findWmmaFragment(MatrixRole role, ElementType type, int m, int n, int k);

/// The registers of one warp, in the number of the fragments: each the 32
/// values of the lanes, of 32 or 64 bits. `c` and `d` may be the same
/// registers.
struct WarpRegisters {
  const void *const *a;
  const void *const *b;
  /// Null: zeros.
  const void *const *c;
  void *const *d;
  /// Of sparse operations: the 32 lanes' metadata operand, and the selector.
  const std::uint32_t *metadata = nullptr;
  std::uint32_t selector = 0;
};

/// mma.sync, mma.sp.sync and wmma.mma.sync, for all lanes of a warp. Fails if
/// sparsity metadata is not as it must be.
Status runMultiply(const MatrixMultiply &multiply,
                   const WarpRegisters &registers, HostIsa isa = hostIsa());

/// An operand of wgmma in shared memory.
struct SharedOperand {
  std::uint64_t descriptor;
  MajorDimension major;
};

/// One warp's part of a wgmma.mma_async (PTX ISA 9.7.15.5.2).
struct WarpgroupOperands {
  /// The warp's number in its warpgroup, 0 to 3.
  int warp;
  /// A in registers of this warp; null: in shared memory.
  const void *const *aRegisters;
  SharedOperand a;
  SharedOperand b;
  /// The block's shared memory.
  const std::byte *shared;
  std::uint32_t sharedBytes;
  /// Null where scale-d is false: D = A * B.
  const void *const *c;
  void *const *d;
  bool negateA;
  bool negateB;
  const std::uint32_t *metadata = nullptr;
  std::uint32_t selector = 0;
};

/// wgmma.mma_async and wgmma.mma_async.sp, for one warp: reads its rows of A
/// and all of B, writes its registers of D. Fails, with D unchanged, if an
/// operand is not inside shared memory (naming the address), if sparsity
/// metadata is not as it must be, or if a sparse operation's B is K-major in a
/// swizzle of 32 bytes.
Status runWarpgroupMultiply(const MatrixMultiply &multiply,
                            const WarpgroupOperands &operands,
                            HostIsa isa = hostIsa());

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_MATRIXMULTIPLY_H
