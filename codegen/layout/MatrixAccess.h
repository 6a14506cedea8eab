//===- MatrixAccess.h - ldmatrix and stmatrix -------------------*- C++ -*-===//
//
// ldmatrix (sm_75) and stmatrix (sm_90) with .m8n8.b16 move 8x8 matrices of
// 16-bit elements between shared memory and the registers of a warp. Lane 8 j +
// r has the address of row r of matrix j, 16 aligned, contiguous bytes;
// register j of lane l gets bytes 4 (l % 4) .. of row l / 4, or, with .trans,
// elements l / 4 of rows 2 (l % 4) and 2 (l % 4) + 1. (PTX 9.7.14.5.15) Without
// .trans the elements may have any width that divides 32 bits.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_MATRIXACCESS_H
#define TILEWRIGHT_CODEGEN_LAYOUT_MATRIXACCESS_H

#include "codegen/layout/Access.h"

namespace tilewright::layout {

/// How a warp moves a tile between shared memory and registers of a matrix
/// instruction. Instruction i moves registers
///   registers[i * perInstruction ..],
/// of which each `perInstruction / count` fill one 32-bit register, low bits
/// first, or one wider one. Lane l of a warp has the address (offset in
/// elements)
///   (threadOffset(thread) ^ xorOffset) + addOffset
/// of a row or, if `byLdmatrix` is not set, of what it loads itself; `thread`
/// packs the bits of lane, warp and block. With .x1 and .x2 the addresses of
/// the lanes beyond 8 and 16 are not used.
struct MatrixAccess {
  bool byLdmatrix = true;
  /// .trans.
  bool transposed = false;
  /// 1, 2 or 4 matrices: .x1, .x2, .x4. Else the words that a thread loads.
  unsigned count = 1;
  unsigned perInstruction = 2;
  LinearMap threadOffset;
  std::vector<SharedInstruction> instructions;
  std::vector<int32_t> registers;
  /// Of one warp: each matrix takes one for each conflicting row.
  int64_t wavefronts = 0;
};

/// The access by the largest count, if `registers` can be filled by ldmatrix
/// from (or stored by stmatrix to) `memory`. Rejected with what does not fit.
StatusOr<MatrixAccess> matrixAccess(const Layout &registers,
                                    const Layout &memory, unsigned elementBits);

/// By ldmatrix if `registers` can be filled so, else by loads of at least 32
/// bits. Rejected where neither fits.
StatusOr<MatrixAccess> fragmentAccess(const Layout &registers,
                                      const Layout &memory,
                                      unsigned elementBits);

/// Shared memory for a tile on its way from the registers of threads to those
/// of a matrix instruction.
struct MatrixMemory {
  Layout memory;
  /// Whether the threads that have the tile store it there as it is, in no
  /// pieces below 32 bits; else it must get the layout of the fragments before.
  bool takesStored = false;
  /// Of one warp that stores it, if it does.
  int64_t storeWavefronts = 0;
};

/// Of all swizzles, with either of the last two dimensions contiguous, the one
/// in which storing `stored` and loading `fragments` take the fewest
/// wavefronts; among equals the widest swizzle. It covers all that `fragments`
/// does, padding included; dimensions are padded to powers of two where only
/// that takes `stored` as it is. Rejected where fragmentAccess() fits none.
StatusOr<MatrixMemory> matrixMemory(const Layout &stored,
                                    const Layout &fragments,
                                    unsigned elementBits);

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_MATRIXACCESS_H
