//===- WarpReduction.cpp - Layouts of a reduction within warps ------------===//
#include "codegen/gpu/WarpReduction.h"

using namespace tilewright::layout;

namespace tilewright::tilegpu {

namespace {
/// Where one hardware bit moves: along no dimension (copies), or by 2^log2
/// elements along one.
struct Move {
  bool copies = true;
  unsigned dim = 0, log2 = 0;
};

/// The bits of each axis as moves.
class Moves {
public:
  static StatusOr<Moves> of(const Layout &layout);
  const std::vector<Move> &operator[](Axis axis) const {
    return moves[size_t(axis)];
  }

private:
  std::array<std::vector<Move>, numAxes> moves;
};
} // namespace

StatusOr<Moves> Moves::of(const Layout &layout) {
  Moves result;
  for (Axis axis : allAxes)
    for (Bits column : layout.columns(axis)) {
      if (std::popcount(column) > 1)
        return Status::unsupported(
            "expected each " + std::string(axisName(axis)) +
            " bit to move along one bit of a coordinate; convert "
            "the layout first");
      Move move;
      if (column) {
        Dims coordinates = layout.cellCoordinates(column);
        for (unsigned dim = 0; dim < layout.rank(); ++dim)
          if (coordinates[dim])
            move = {false, dim, log2Floor(coordinates[dim])};
      }
      result.moves[size_t(axis)].push_back(move);
    }
  return result;
}

/// The bits of the coordinate along `dim` that warps choose, ascending.
static std::vector<unsigned> warpBits(const Moves &moves, unsigned dim) {
  std::vector<unsigned> bits;
  for (const Move &move : moves[Axis::warp])
    if (!move.copies && move.dim == dim)
      bits.push_back(move.log2);
  std::ranges::sort(bits);
  bits.erase(std::ranges::unique(bits).begin(), bits.end());
  return bits;
}

/// Adds the moves of `axis` that are not along `dim`; others become copies, or
/// are left out of registers.
static void addOthers(LayoutBuilder &builder, const Moves &moves, Axis axis,
                      unsigned dim) {
  for (const Move &move : moves[axis])
    if (!move.copies && move.dim != dim)
      builder.add(axis, move.dim, move.log2);
    else if (axis != Axis::reg)
      builder.addFree(axis);
}

/// Parts are in ascending order of their first coordinates: those that begin
/// within `size` elements.
static int64_t partsWithin(const std::vector<unsigned> &bits, int64_t size) {
  int64_t count = 0;
  for (int64_t part = 0; part < int64_t(1) << bits.size(); ++part) {
    int64_t first = 0;
    for (size_t i = 0; i < bits.size(); ++i)
      first |= (part >> i & 1) << bits[i];
    count += first < size;
  }
  return count;
}

StatusOr<WarpReduction> warpReduction(const Layout &layout, unsigned dim,
                                      int64_t size) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Moves moves, Moves::of(layout));
  std::vector<unsigned> parts = warpBits(moves, dim);
  Dims cell = layout.cellBits(), repeats = layout.repeats();
  cell[dim] = int64_t(parts.size());
  repeats[dim] = 1;
  LayoutBuilder builder(Kind::registers, cell, repeats);
  builder.setRepeatOrder(fullRepeatOrder(layout));
  addOthers(builder, moves, Axis::reg, dim);
  addOthers(builder, moves, Axis::lane, dim);
  for (const Move &move : moves[Axis::warp])
    if (move.copies)
      builder.addFree(Axis::warp);
    else if (move.dim != dim)
      builder.add(Axis::warp, move.dim, move.log2);
    else
      builder.add(
          Axis::warp, dim,
          unsigned(std::ranges::find(parts, move.log2) - parts.begin()));
  addOthers(builder, moves, Axis::block, dim);
  TILEWRIGHT_ASSIGN_OR_RETURN(Layout reduced, builder.tryBuild());
  WarpReduction result{reduced, partsWithin(parts, size), {}, {}};
  int64_t copies = layout.redundantBits()[Axis::reg];
  for (int64_t reg = 0; reg < layout.items(); ++reg) {
    if (reg & copies) {
      result.target.push_back(-1);
      continue;
    }
    Dims at = layout.apply(inRegister(reg, 0));
    at[dim] = 0;
    result.target.push_back(int32_t(reduced.invert(at)[Axis::reg]));
  }
  const std::vector<Move> &lanes = moves[Axis::lane];
  for (unsigned bit = 0; bit < lanes.size(); ++bit)
    if (!lanes[bit].copies && lanes[bit].dim == dim)
      result.laneMasks.push_back(1u << bit);
  return result;
}

StatusOr<Layout> gatherWarps(const Layout &layout, unsigned dim) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Moves moves, Moves::of(layout));
  LayoutBuilder builder(Kind::registers, layout.cellBits(), layout.repeats());
  builder.setRepeatOrder(fullRepeatOrder(layout));
  for (unsigned bit = 0; bit < layout.cellBits()[dim]; ++bit)
    builder.add(Axis::reg, dim, bit);
  for (Axis axis : {Axis::reg, Axis::lane, Axis::warp, Axis::block})
    addOthers(builder, moves, axis, dim);
  return builder.tryBuild();
}

} // namespace tilewright::tilegpu
