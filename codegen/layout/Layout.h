//===- Layout.h - Who holds which element of a tile -------------*- C++ -*-===//
//
// A layout maps hardware indices to coordinates of a tile. It is an F2-linear
// map from the bits of the hardware index to the bits of coordinates in a
// *cell*, whose extents are powers of two, and a number of *repeats* of that
// cell for each dimension:
//
//   coordinate[d] = cellCoordinate[d] + cellExtent[d] * repeat[d]
//
// In registers, the hardware index is (register, lane, warp, block). In memory
// it is (offset in elements, block). The register (or offset) also counts the
// repeats:
//
//   register = cellRegister + registersOfCell * repeatIndex
//
// where the repeat index is row-major over the repeats: the last dimension is
// the fastest, unless the layout has its own repeat order (a transposed one
// has). The repeats may also be dealt over warps (see Repeats.h), as many as
// there are, a power of two or not:
//
//   warp        = cellWarp + warpsOfCell * part
//   repeatIndex = part + parts * repeat of the register
//
// A layout may cover more than the tile it is used for: the surplus is padding.
// It may map several hardware indices to one coordinate: these are copies.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_LAYOUT_H
#define TILEWRIGHT_CODEGEN_LAYOUT_LAYOUT_H

#include "codegen/layout/Dims.h"
#include "codegen/layout/LinearMap.h"
#include "codegen/layout/Repeats.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"

#include <string_view>

namespace tilewright::layout {

/// The parts of a hardware index. The bits of a packed index are in this order,
/// those of the register or offset lowest.
enum class HardwareDim : uint8_t { reg, offset, lane, warp, block };
inline constexpr unsigned numHardwareDims = 5;
inline constexpr std::array<HardwareDim, numHardwareDims> allHardwareDims = {
    HardwareDim::reg, HardwareDim::offset, HardwareDim::lane, HardwareDim::warp,
    HardwareDim::block};

/// "register", "offset", "lane", "warp" or "block".
[[nodiscard]] std::string_view hardwareDimName(HardwareDim hardwareDim);

/// Where a tile is: in the registers of threads, or in memory.
enum class Kind : uint8_t { registers, memory };

/// One integer an axis: an index, or numbers of bits, or masks.
struct HardwareIndex {
  std::array<int64_t, numHardwareDims> values{};

  int64_t &operator[](HardwareDim hardwareDim) {
    return values[size_t(hardwareDim)];
  }
  int64_t operator[](HardwareDim hardwareDim) const {
    return values[size_t(hardwareDim)];
  }
  friend bool operator==(const HardwareIndex &,
                         const HardwareIndex &) = default;
};

/// Shorthands for indices.
[[nodiscard]] HardwareIndex inRegister(int64_t reg, int64_t lane,
                                       int64_t warp = 0, int64_t block = 0);
[[nodiscard]] HardwareIndex inMemory(int64_t offset, int64_t block = 0);

/// Whether a register is within a tile, over all threads.
enum class Coverage : uint8_t { always, sometimes, never };

class Layout {
public:
  /// A scalar in one register of one thread.
  Layout() = default;

  /// The cell has 2^cellBits[d] elements in dimension d. `bits` has the number
  /// of bits of each axis; the map's argument is their packed index and its
  /// image the row-major index in the cell. Rejected where sizes disagree, or
  /// where a coordinate has no hardware index.
  static StatusOr<Layout> create(Kind kind, const Dims &cellBits,
                                 const HardwareIndex &bits,
                                 const LinearMap &map, const Repeats &repeats);

  [[nodiscard]] Kind kind() const { return theKind; }
  [[nodiscard]] unsigned rank() const { return cellLog2.rank(); }
  /// Extents of the cell, powers of two, and their logarithms.
  [[nodiscard]] int64_t cell(unsigned dim) const {
    return int64_t(1) << cellLog2[dim];
  }
  [[nodiscard]] const Dims &cellBits() const { return cellLog2; }
  [[nodiscard]] Dims cellShape() const;
  [[nodiscard]] const Repeats &repeats() const { return theRepeats; }
  /// What the layout covers: cell times repeats.
  [[nodiscard]] Dims shape() const;
  [[nodiscard]] bool covers(const Dims &tile) const;

  /// The layout with other repeats of its cell. Asserts what create() rejects.
  [[nodiscard]] Layout withRepeats(const Repeats &repeats) const;

  /// The axis that also counts repeats: register or offset. Where repeats are
  /// dealt, the warps of all parts have numbers, those of a cell lowest.
  [[nodiscard]] HardwareDim itemDim() const {
    return theKind == Kind::registers ? HardwareDim::reg : HardwareDim::offset;
  }
  /// The item of the cell's item 0 in a round.
  [[nodiscard]] int64_t itemOfRound(int64_t round) const {
    return round << bits(itemDim());
  }
  /// Bits of an axis in the cell, and their position in a packed index.
  [[nodiscard]] unsigned bits(HardwareDim hardwareDim) const {
    return hardwareDimBits[hardwareDim];
  }
  [[nodiscard]] unsigned firstBit(HardwareDim hardwareDim) const;
  [[nodiscard]] const HardwareIndex &allBits() const { return hardwareDimBits; }
  /// How many values an axis has, repeats included: registers per thread,
  /// offsets per block, lanes, warps, blocks.
  [[nodiscard]] int64_t size(HardwareDim hardwareDim) const;
  /// Registers per thread, or elements per block's memory.
  [[nodiscard]] int64_t items() const { return size(itemDim()); }

  /// From the packed index of the cell to its row-major index.
  [[nodiscard]] const LinearMap &map() const { return linear; }
  /// The map of one axis alone.
  [[nodiscard]] LinearMap map(HardwareDim hardwareDim) const {
    return linear.restrict(firstBit(hardwareDim), bits(hardwareDim));
  }

  /// What each bit of an axis moves by, as row-major indices of the cell.
  [[nodiscard]] std::span<const Bits> columns(HardwareDim hardwareDim) const & {
    return linear.allColumns().subspan(firstBit(hardwareDim),
                                       bits(hardwareDim));
  }
  std::span<const Bits> columns(HardwareDim hardwareDim) && = delete;

  /// The coordinates of an index.
  [[nodiscard]] Dims apply(const HardwareIndex &index) const;
  /// The owner of `coordinates`, which must be covered: of all their indices,
  /// the one whose redundant bits are zero.
  [[nodiscard]] HardwareIndex invert(const Dims &coordinates) const;

  /// The index within the cell, packed, and the repeat, of an index.
  [[nodiscard]] Bits pack(const HardwareIndex &index) const;
  [[nodiscard]] Dims repeatOf(const HardwareIndex &index) const;
  [[nodiscard]] HardwareIndex unpack(Bits packed, const Dims &repeat) const;
  /// The repeat's index (see Repeats) of a hardware index.
  [[nodiscard]] int64_t repeatIndexOf(const HardwareIndex &index) const;

  /// Coordinates in the cell from its row-major index; cellIndexOf is the
  /// inverse.
  [[nodiscard]] Dims cellCoordinates(Bits index) const;
  /// The position of dimension `dim` in the bits of the row-major index.
  [[nodiscard]] unsigned firstCellBit(unsigned dim) const;

  /// The bits of each axis that do not choose an element of the cell by
  /// themselves: an index with a nonzero redundant bit is a copy of another
  /// index. So exactly one index owns each coordinate: the one with (index &
  /// redundantBits) == 0 on each axis, and no copy of a repeat.
  [[nodiscard]] HardwareIndex redundantBits() const;
  [[nodiscard]] bool isOwner(const HardwareIndex &index) const;
  /// How many indices hold each coordinate; where a round is partly empty, some
  /// may be held by more.
  [[nodiscard]] int64_t copies() const;

  /// Whether the index is in the tile, and not padding.
  [[nodiscard]] bool inRange(const HardwareIndex &index,
                             const Dims &tile) const;
  /// inRange of an item (register or offset) over all threads: `always` and
  /// `never` need no predicate.
  [[nodiscard]] Coverage coverage(int64_t item, const Dims &tile) const;

  /// Equal layouts put equal coordinates at equal indices.
  friend TILEWRIGHT_PRIVATE_API bool operator==(const Layout &, const Layout &);
  [[nodiscard]] size_t hash() const;

private:
  Kind theKind = Kind::registers;
  Dims cellLog2;
  Repeats theRepeats;
  HardwareIndex hardwareDimBits;
  LinearMap linear;
};

/// The row-major index of coordinates in a cell of 2^cellBits[d] elements.
[[nodiscard]] Bits cellIndexOf(const Dims &coordinates, const Dims &cellBits);

/// Builds a layout whose shape is known to be right from its columns: the
/// families use it.
class LayoutBuilder {
public:
  LayoutBuilder(Kind kind, const Dims &cellBits, const Repeats &repeats)
      : kind(kind), cellBits(cellBits), repeats(repeats) {}

  /// The next bit of `axis` moves 2^log2 elements along `dim`.
  void add(HardwareDim hardwareDim, unsigned dim, unsigned log2);
  /// `count` next bits move 2^first, 2^(first + 1), .. elements.
  void addRange(HardwareDim hardwareDim, unsigned dim, unsigned first,
                unsigned count);
  /// The next bit of `axis` is redundant.
  void addFree(HardwareDim hardwareDim, unsigned count = 1);
  /// The next bit of `axis` has this column.
  void addColumn(HardwareDim hardwareDim, Bits column) {
    columns[size_t(hardwareDim)].append(column);
  }

  /// Asserts what Layout::create rejects.
  [[nodiscard]] Layout build() const;
  [[nodiscard]] StatusOr<Layout> tryBuild() const;

private:
  Kind kind;
  Dims cellBits;
  Repeats repeats;
  std::array<LinearMap, numHardwareDims> columns = {
      LinearMap(0, 64), LinearMap(0, 64), LinearMap(0, 64), LinearMap(0, 64),
      LinearMap(0, 64)};
};

} // namespace tilewright::layout

template <> struct std::hash<tilewright::layout::Layout> {
  size_t operator()(const tilewright::layout::Layout &layout) const {
    return layout.hash();
  }
};

#endif // TILEWRIGHT_CODEGEN_LAYOUT_LAYOUT_H
