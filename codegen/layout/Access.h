//===- Access.h - Vectorized loads and stores of a thread -------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_ACCESS_H
#define TILEWRIGHT_CODEGEN_LAYOUT_ACCESS_H

#include "codegen/layout/Layout.h"

#include <vector>

namespace tilewright::layout {

/// For each register, the register that it is a copy of, possibly itself: a
/// load fills the latter and copies it.
[[nodiscard]] std::vector<int32_t> registerCopies(const Layout &registers);

/// Whether threads and registers choose different bits of each coordinate in
/// the cell.
[[nodiscard]] bool hasSeparableCell(const Layout &registers);
/// The same of repeats too: coordinates are sums of what threads and what
/// registers choose.
[[nodiscard]] bool isSeparable(const Layout &registers);

/// The elements that an access of `bits` bits moves, log2; 0 where one is
/// wider.
[[nodiscard]] unsigned widestLog2(unsigned bits, unsigned elementBits);

/// Accesses of one thread to global memory.
struct VectorAccess {
  /// Neighbours that one access moves, a power of two.
  unsigned elements = 1;
  /// `elements` registers for each access, in the order of their addresses.
  /// Registers that hold copies of others are left out.
  std::vector<int32_t> registers;
};

/// The widest accesses when dimension order[0] is contiguous in memory.
/// `alignmentBytes`, a power of two, divides the address of each element whose
/// coordinate along order[0] is 0; `vectorBits` is the widest access there is.
/// An access may reach beyond the tile's edge unless `elements` divides the
/// extent of the tile (and of the memory behind it) along order[0].
[[nodiscard]] VectorAccess vectorAccess(const Layout &registers,
                                        const Dims &order, unsigned elementBits,
                                        unsigned alignmentBytes,
                                        unsigned vectorBits = 128);

/// One instruction of each thread: `xorOffset` and `addOffset` are in elements.
struct SharedInstruction {
  int64_t xorOffset = 0, addOffset = 0;
};

/// Accesses of all threads to memory. Instruction i of a thread moves
///   registers[i * elements ..]  <->  offsets o, o + 1, .. with
///   o = (threadOffset(thread) ^ xorOffset) + addOffset,
/// where `thread` packs the bits of lane, warp and block.
struct SharedAccess {
  unsigned elements = 1;
  LinearMap threadOffset;
  std::vector<SharedInstruction> instructions;
  /// -1: nothing, the position is padding.
  std::vector<int32_t> registers;
  /// Of one warp, all instructions together, and of one instruction.
  int64_t wavefronts = 0;
  unsigned wavefrontsEach = 0;
};

/// How threads that hold a tile as `registers` load or store it in shared
/// memory of layout `memory`, as wide as both allow and at most `vectorBits`.
/// `elementBits` is 8, 16, 32 or 64. Rejected where the tile's elements are in
/// another block's memory, where offsets are no XOR of bits (the repeats of
/// memory do not fit the cell of the registers), and where a register is within
/// the memory's shape in some threads only. Registers that hold copies of
/// others are left out.
StatusOr<SharedAccess> sharedAccess(const Layout &registers,
                                    const Layout &memory, unsigned elementBits,
                                    unsigned vectorBits = 128);

//===--- Shared with the planning of conversions --------------------------===//

/// The instructions for one repeat of a frame, in virtual registers.
struct LinearAccess {
  unsigned elements = 1;
  LinearMap threadOffset;
  std::vector<Bits> xorOffsets;
  std::vector<Bits> registers;
  /// Masks: registers r ^ m and r of a thread hold the same element.
  std::vector<Bits> copies;
  unsigned wavefrontsEach = 0;
};

/// `offsets` maps packed (item, lane, warp, block) bits to memory offsets.
[[nodiscard]] LinearAccess linearAccess(const LinearMap &offsets,
                                        unsigned itemBits, unsigned laneBits,
                                        unsigned elementBits,
                                        unsigned vectorBits);

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_ACCESS_H
