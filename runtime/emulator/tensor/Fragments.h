// How the lanes of a warp hold matrices in their registers.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_FRAGMENTS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_FRAGMENTS_H

#include "runtime/emulator/numeric/Isa.h"
#include "runtime/emulator/tensor/ElementType.h"

namespace tilewright::emulator {

/// An index in a matrix.
struct MatrixIndex {
  int row;
  int column;
  bool operator==(const MatrixIndex &) const = default;
};

/// The operands of D = A * B + C: A has M rows and K columns, B has K rows and
/// N columns.
enum class MatrixRole : std::uint8_t { a, b, accumulator };

/// The registers of one matrix: those of all lanes together hold each element
/// once (`copies` times).
///
/// PTX ISA 9.7.14.5.1 to .13 (mma), 9.7.14.6.2 (mma.sp: A as it is stored, of
/// half the depth), 9.7.15.5.1.1 (wgmma) all follow one pattern. A lane is
/// g = lane / 4 and t = lane % 4. Its elements come in runs of `run` neighbours
/// along K (A, B) or along N (C, D). Over all lanes, run number u makes a tile
/// of 8 x 4 * run, whose line g and columns t * run.. are the lane's. The tiles
/// of A, C and D fill the rows first, those of B fill K first.
///
/// Warp w of a warpgroup holds rows 16 * w to 16 * w + 15 of wgmma's A and D,
/// each warp as if they were a matrix of 16 rows.
///
/// PTX does not define wmma's layout (9.7.14.4.1). Ours is the same pattern, so
/// that elementwise operations on fragments work.
struct Fragment {
  ElementType type;
  MatrixRole role;
  int rows;
  int columns;
  /// Neighbouring elements in a lane.
  int run;
  /// More than 1 where wmma needs more registers than the matrix fills.
  int copies;

  /// Elements that a lane holds, with all copies, in the order of the
  /// registers and from their low bits up.
  [[nodiscard]] int elements() const;
  /// Elements in one register: 1, or the number that fits 32 bits.
  [[nodiscard]] int elementsPerRegister() const;
  /// Registers of a lane, each of registerBits().
  [[nodiscard]] int registers() const;
  /// 32, or 64 for f64.
  [[nodiscard]] int registerBits() const;
  /// Where element `element` of a lane belongs.
  [[nodiscard]] MatrixIndex index(int lane, int element) const;
};

/// A fragment of A, B, or C and D. B's have rows = K, columns = N.
/// rows (B: columns) is a multiple of 8; K fills whole registers.
[[nodiscard]] Fragment makeFragment(MatrixRole role, ElementType type, int rows,
                                    int columns, int copies = 1);

/// Copies a matrix from a warp's registers to a plain array, stored by columns
/// as for multiplyAccumulate. `registers` has fragment.registers() registers,
/// each the 32 values of the lanes, of 32 or 64 bits.
///
/// e2m1 of .kind::f8f6f4 is in the middle of its byte, e3m2 and e2m3 in the low
/// bits (PTX ISA 9.7.14.5.14); other bits are dropped.
void collectFragment(const Fragment &fragment, const void *const *registers,
                     void *matrix);

/// The opposite: writes a warp's registers, all copies. Not for e2m1,
/// e3m2 and e2m3, which are operands alone.
void distributeFragment(const Fragment &fragment, const void *matrix,
                        void *const *registers);

inline namespace TILEWRIGHT_ISA {

/// wmma.load and wmma.store (PTX ISA 9.7.14.4.3, .4): where an element is in
/// memory, counted in elements from the matrix's start. `stride` is the
/// distance of rows (.row) or columns (.col). Of types of less than 8 bits, A
/// is .row and B is .col, so that the elements of a register are neighbours.
[[nodiscard]] constexpr std::int64_t
elementOffset(MatrixIndex index, bool byColumns, std::int64_t stride) {
  return byColumns ? index.column * stride + index.row
                   : index.row * stride + index.column;
}

/// ldmatrix and stmatrix: the lane with the address of a row of matrix 0 to 3
/// (PTX ISA 9.7.14.5.15).
[[nodiscard]] constexpr int rowAddressLane(int matrix, int row) {
  return 8 * matrix + row;
}

} // namespace TILEWRIGHT_ISA

//===--- ldmatrix, stmatrix, movmatrix ------------------------------------===//

/// The index of the low (half = 0) or high (1) 16 bits of a lane's register in
/// an 8 x 8 matrix; `transposed` for .trans (PTX ISA 9.7.14.5.15 and .16).
[[nodiscard]] MatrixIndex matrixIndex(int lane, int half, bool transposed);

/// ldmatrix .m8n8 .b16: from 8 rows of 16 bytes to one register.
void rowsToLanes(const void *const rows[8], bool transposed,
                 std::uint32_t lanes[32]);

/// stmatrix .m8n8 .b16: from one register to 8 rows of 16 bytes.
void lanesToRows(const std::uint32_t lanes[32], bool transposed,
                 void *const rows[8]);

/// movmatrix .m8n8.trans.b16 (PTX ISA 9.7.14.5.17); `to` may be `from`.
void transposeLanes(const std::uint32_t from[32], std::uint32_t to[32]);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_FRAGMENTS_H
