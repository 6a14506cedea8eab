//===- RegisterBlock.h - What of a product is in registers ------*- C++ -*-===//
//
// The rule that splits a product of matrices into blocks whose accumulators
// stay in registers. Uses no MLIR: code generation and the tuner's model share
// it.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_CPU_REGISTERBLOCK_H
#define TILEWRIGHT_CODEGEN_CPU_REGISTERBLOCK_H

#include "tilewright/codegen/CpuSchedule.h"
#include "tilewright/codegen/CpuTarget.h"
#include <optional>
#include <vector>

namespace tilewright::cpu {

/// What of a contraction is held in registers: `rows` times `vectors`
/// accumulators.
struct RegisterBlock {
  int64_t rows = 0, vectors = 0;
  /// Elements of a vector.
  int64_t lanes = 1;
  /// Steps of the depth in one iteration of the innermost loop.
  int64_t unroll = 1;
  /// Whether the blocks of one column follow each other, not those of a row.
  bool columnsOutside = false;

  /// Vector registers that it takes: accumulators, a row of the right side, and
  /// one element of the left.
  [[nodiscard]] int64_t registers() const {
    return rows * vectors + vectors + 1;
  }
  [[nodiscard]] int64_t columns() const { return vectors * lanes; }
};

/// A vector of `width` lanes, of which the last `missing` hold no element.
struct VectorPart {
  int64_t width = 1, missing = 0;
  [[nodiscard]] int64_t elements() const { return width - missing; }
};

/// The vectors that hold fewer elements than one has lanes: a shorter one if
/// that is filled, else one with missing lanes, or ever shorter ones where
/// these cannot be left out of memory accesses.
[[nodiscard]] std::vector<VectorPart> partsOfRest(int64_t elements,
                                                  const CpuTarget &target);

/// The vectors that hold a row of `columns` elements: whole ones, and those of
/// what remains; and how many there are.
[[nodiscard]] std::vector<VectorPart> partsOf(int64_t columns, int64_t lanes,
                                              const CpuTarget &target);
[[nodiscard]] int64_t vectorsOf(int64_t columns, int64_t lanes,
                                const CpuTarget &target);

/// The block of a product with `rows` x `columns` results of `bits` bits.
/// Parameters that `schedule` leaves open are chosen for the cheapest step of
/// the depth, within the matrix. A block that `schedule` sets may need more
/// registers than `target` has: see registers().
[[nodiscard]] RegisterBlock
chooseRegisterBlock(int64_t rows, int64_t columns, int64_t bits,
                    const schedule::CpuSchedule &schedule,
                    const CpuTarget &target);

/// The block of a product of bytes with `rows` x `columns` results of 32 bits:
/// four vectors, whose columns are interleaved in registers, or several times
/// four, if registers are left beside few rows: then more of a row of the right
/// side is read at a time. Nothing where there are fewer columns.
[[nodiscard]] std::optional<RegisterBlock>
byteBlock(int64_t rows, int64_t columns, const CpuTarget &target);

/// Whether rows that are `bytes` apart share sets of a cache and so evict each
/// other.
[[nodiscard]] bool rowsCollide(int64_t bytes);

/// Whether a left side that could be read in place, with rows `rowBytes` apart,
/// is copied into panels first: its rows collide, and there are enough
/// `columns` to pay for the copy.
[[nodiscard]] bool paysToPackLeft(const RegisterBlock &block, int64_t columns,
                                  int64_t rowBytes);

/// Whether a right side that could be read in place is copied into panels
/// first: each of many rows reads it again, and a panel is a few pages, while
/// in place a step of the depth may be a page of its own.
[[nodiscard]] bool paysToPackRight(int64_t rows, int64_t depth,
                                   int64_t columns);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_REGISTERBLOCK_H
