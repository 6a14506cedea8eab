// Sparse operands: A of mma.sp and wgmma.mma_async.sp, and its metadata.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_SPARSE_H
#define TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_SPARSE_H

#include "runtime/emulator/tensor/Rule.h"
#include "support/HostIsa.h"

namespace tilewright::emulator {

/// Half of A's elements are stored (PTX ISA 9.7.14.6.1): of each chunk of
/// neighbours in a row one of 2 (32-bit types), two of 4, or two pairs of 8
/// (4-bit types).
[[nodiscard]] int sparseChunk(ElementType type);

/// Four bits of the metadata say which elements of a chunk are stored: two
/// indices of 2 bits, the first in the low bits. They count elements; pairs of
/// 4-bit ones; and halves of 32-bit ones, so that 0b0100 is the first and
/// 0b1110 the second.
struct MetadataIndex {
  /// Lane and lowest bit of its metadata operand.
  int lane;
  int bit;
};

/// How many values the sparsity selector may have, from 0 on: 4, 2 or 1.
[[nodiscard]] int sparsitySelectors(ElementType type, int depth);

/// The position of the metadata of a chunk of A (16 x depth), from the figures
/// of PTX ISA 9.7.14.6.2 and 9.7.15.6.2. Lanes 4 * g to 4 * g + 3 hold rows g
/// and g + 8. For types of 16 bits and more a lane has 16 bits of each row, the
/// lower row's in the low half; for smaller types all 32 bits are of one row,
/// row g + 8 in the odd lanes. The selector says which of the four lanes are
/// first.
[[nodiscard]] MetadataIndex metadataIndex(ElementType type, int depth,
                                          int selector, int row, int chunk);

/// Most elements of A that are stored: 16 x 64.
constexpr int mostStoredElements = 1024;

/// The column in A of each stored element, by columns: element (row, k) of the
/// 16 x depth / 2 stored ones is columns[16 * k + row]. `ordered` for
/// ::ordered_metadata. Fails with the lane's name if PTX leaves the selector or
/// a part of the metadata undefined.
Status storedColumns(ElementType type, int depth, bool ordered,
                     std::uint32_t selector, const std::uint32_t metadata[32],
                     std::uint8_t *columns);

/// multiplyAccumulate for a rule of a sparse operation, with 16 rows: `a` is
/// the stored part of A, 16 x depth / 2, and `storedColumns` has the columns of
/// its elements. An infinity or NaN in B that meets no stored element has no
/// effect.
Status multiplyAccumulateSparse(const Rule &rule, int columns, const void *a,
                                const std::uint8_t *storedColumns,
                                const void *b, const void *c, void *d,
                                HostIsa isa = hostIsa());

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_SPARSE_H
