//===- Families.h - The layouts that kernels use ----------------*- C++ -*-===//
//
// Each function builds one family. Wrong parameters are rejected with what was
// expected and what was found.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_FAMILIES_H
#define TILEWRIGHT_CODEGEN_LAYOUT_FAMILIES_H

#include "codegen/layout/Layout.h"

#include <string>

namespace tilewright::layout {

//===--- Registers: distributed over threads ------------------------------===//

/// `bits` bits of `axis` run along dimension `dim`; along none, they hold
/// copies.
struct Step {
  static constexpr int copies = -1;
  HardwareDim hardwareDim;
  int dim;
  unsigned bits;
};

/// Warps beyond those of the steps, in groups that are parts of all warps: each
/// gets a part of the repeats, or a copy of the tile.
struct WarpParts {
  int64_t count = 1;
  bool areDealt = false;
};

/// Covers `shape` by the steps, each running on where the last one along its
/// dimension ended, and what remains by registers, the dimensions of `order`
/// fastest first. Bits that run beyond the shape hold copies. An extent that
/// the steps do not divide is padded; what is left of it is a power of two in
/// the cell, times odd repeats. Dealt repeats stay as many as the steps leave;
/// where there are none, parts hold copies. Rejected where a thread would have
/// more than 2^30 registers.
StatusOr<Layout> distribute(const Dims &shape, std::span<const Step> steps,
                            const Dims &order, WarpParts parts = {});

/// As Layout::withRepeats, of repeats that may be more than a layout can have.
StatusOr<Layout> tryWithRepeats(const Layout &layout, const Repeats &repeats);

/// Threads in a grid: each holds `perThread` neighbours, `lanes` and `warps`
/// (and `blocks`, if not empty) are the grid's extents, all powers of two but
/// for one of the warps'.
/// `order` lists dimensions, fastest first.
struct BlockedParameters {
  Dims shape, perThread, lanes, warps, order;
  Dims blocks = {};
};
StatusOr<Layout> blocked(const BlockedParameters &parameters);

/// Which repeats a layout may deal to warps.
enum class Dealing : uint8_t {
  /// None: warps that are no power of two hold copies.
  none,
  /// Those along one dimension, so that they are separable.
  separable,
  any,
};

/// Requests a blocked layout of any static shape.
struct CoalescedParameters {
  Dims shape;
  unsigned elementBits = 32;
  int64_t warps = 4;
  /// The dimensions in memory, fastest first; empty means row-major.
  Dims order = {};
  /// The widest access, in bits: less where alignment forbids more.
  unsigned vectorBits = 128;
  Dealing dealing = Dealing::any;
  /// Issue slots of what a thread does for each register: to move it from and
  /// to memory, and to compute.
  int64_t slotsOfRegister = 4;
  /// The dimensions in the order in which warps share them; empty: `order`. A
  /// dimension that comes last stays within a warp if it fits.
  Dims warpOrder = {};
  /// Whether registers beyond a vector hold neighbours along the second fastest
  /// dimension: a tile that is transposed then has vectors along both.
  bool hasBlocks = false;
};
/// The cheapest cell and repeats, by registers, accesses and the sectors that
/// they touch, with accesses as wide and threads as contiguous along `order` as
/// the cell allows.
StatusOr<Layout> coalesced(const CoalescedParameters &parameters);

/// The accumulators of a product of matrices, [m, n] or [batch, m, n], over
/// threads that multiply and add: each has a block of rows and columns, such
/// that the operands' elements that it reads from shared memory are few and
/// read in vectors. What is odd of the warps holds copies. Costs are those of
/// f32 on any GPU since sm_80: an SM has 128 multipliers and reads 128 bytes of
/// shared memory in a cycle.
StatusOr<Layout> accumulator(const Dims &shape, int64_t warps);

//===--- Registers: fragments of matrix instructions ----------------------===//

enum class Operand : uint8_t { a, b, c };

/// A shape of mma.sync and its fragments, by m, n, k and the bits of an
/// element of A and B. (PTX 9.7.14.5)
struct MmaShape {
  int64_t m, n, k;
  unsigned bits;
};
/// All shapes that have fragments here.
[[nodiscard]] std::span<const MmaShape> mmaShapes();

/// One fragment in one warp, as (row, column): A is m x k, B is k x n, C is
/// m x n. Registers count elements in PTX's order of a fragment.
StatusOr<Layout> mmaFragment(const MmaShape &shape, Operand operand);

/// A fragment of wgmma in one warpgroup: D (Operand::c) is 64 x n, A is 64 x k
/// with k of 256 bits. B is in shared memory. (PTX 9.7.15.5)
StatusOr<Layout> wgmmaFragment(int64_t n, int64_t k, unsigned bits,
                               Operand operand);

/// The registers that ldmatrix with .x1, .x2 or .x4 of 8x8 matrices of 16-bit
/// elements fills (and stmatrix stores), as (row, column): lanes 0, 1, ..
/// address the rows, 8 for each matrix. With `transposed`, columns and rows of
/// each matrix are exchanged on the way.
StatusOr<Layout> ldmatrixFragment(int64_t count, bool transposed);

/// Covers `shape` by warps and registers that hold whole fragments. `warps` are
/// the extents of the grid of warps over C (m x n), with `order` fastest first
/// (empty: m, then n). Warps that differ only along a dimension that the
/// operand does not have (n for A, m for B) hold copies.
StatusOr<Layout> tileFragment(const Layout &fragment, Operand operand,
                              const Dims &shape, const Dims &warps,
                              const Dims &order = {});

//===--- Memory
//------------------------------------------------------------===//

/// A dense tile, the dimensions of `order` fastest first (empty: row-major).
StatusOr<Layout> dense(const Dims &shape, const Dims &order = {});

/// Registers of a thread as blocks of 4 along `rows` by 4, 8 or 16 along
/// `columns`, lanes as 4 by 8 of them: elements of 8 bits that are contiguous
/// along columns can then be stored as words along rows. Warps for which there
/// is no block hold copies. Rejected where the tile is too small for one warp.
StatusOr<Layout> transposingBlocks(const Dims &shape, unsigned rows,
                                   unsigned columns, int64_t warps);

/// The bytes of a swizzle's span: rows of this many bytes, in which the 16-byte
/// chunks are exchanged. `none` leaves memory dense.
enum class Swizzle : uint8_t { none = 0, b32 = 32, b64 = 64, b128 = 128 };

/// Shared memory as TMA and wgmma address it: the last dimension is split into
/// spans of `swizzle` bytes, which follow each other; the rows of one span are
/// dense; and the byte address's bits 4.. are XORed with bits 7.. (1, 2 or 3
/// bits). The base must be aligned to 256, 512 or 1024 bytes. `elementBits`
/// is 8, 16, 32 or 64. (PTX 5.5.7)
StatusOr<Layout> swizzled(const Dims &shape, unsigned elementBits,
                          Swizzle swizzle);

/// The box that one TMA copy writes to shared memory, its innermost dimension
/// last. Rejected where cuTensorMapEncodeTiled would reject it, and where a
/// swizzled box is not exactly as wide as the span.
StatusOr<Layout> tmaBox(const Dims &box, unsigned elementBits, Swizzle swizzle);

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_FAMILIES_H
