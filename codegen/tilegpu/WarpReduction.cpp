//===- WarpReduction.cpp - Layouts of a reduction within warps ------------===//
#include "codegen/tilegpu/WarpReduction.h"

#include "codegen/layout/Access.h"

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
  const std::vector<Move> &operator[](HardwareDim axis) const {
    return moves[size_t(axis)];
  }

private:
  std::array<std::vector<Move>, numHardwareDims> moves;
};
} // namespace

StatusOr<Moves> Moves::of(const Layout &layout) {
  Moves result;
  for (HardwareDim axis : allHardwareDims)
    for (Bits column : layout.columns(axis)) {
      if (std::popcount(column) > 1)
        return Status::unsupported(
            "expected each " + std::string(hardwareDimName(axis)) +
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
  for (const Move &move : moves[HardwareDim::warp])
    if (!move.copies && move.dim == dim)
      bits.push_back(move.log2);
  std::ranges::sort(bits);
  bits.erase(std::ranges::unique(bits).begin(), bits.end());
  return bits;
}

/// Adds the moves of `axis` that are not along `dim`; others become copies, or
/// are left out of registers.
static void addOthers(LayoutBuilder &builder, const Moves &moves,
                      HardwareDim axis, unsigned dim) {
  for (const Move &move : moves[axis])
    if (!move.copies && move.dim != dim)
      builder.add(axis, move.dim, move.log2);
    else if (axis != HardwareDim::reg)
      builder.addFree(axis);
}

/// Parts are in ascending order of their first coordinates: those that begin
/// within `size` elements. Warps of a cell choose `bits` of it, and repeats of
/// `cell` elements are dealt to `dealt` groups of them.
static int64_t partsWithin(const std::vector<unsigned> &bits, int64_t cell,
                           int64_t dealt, int64_t size) {
  int64_t count = 0;
  for (int64_t group = 0; group < dealt; ++group)
    for (int64_t part = 0; part < int64_t(1) << bits.size(); ++part) {
      int64_t first = cell * group;
      for (size_t i = 0; i < bits.size(); ++i)
        first += (part >> i & 1) << bits[i];
      count += first < size;
    }
  return count;
}

StatusOr<WarpReduction> warpReduction(const Layout &layout, unsigned dim,
                                      int64_t size) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Moves moves, Moves::of(layout));
  if (!layout.repeats().isSeparable())
    return Status::unsupported("expected repeats of which warps and registers "
                               "choose separate parts; convert the layout "
                               "first");
  std::vector<unsigned> parts = warpBits(moves, dim);
  Dims cell = layout.cellBits(), repeats = layout.repeats().counts();
  cell[dim] = int64_t(parts.size());
  repeats[dim] = layout.repeats().partsAlong(dim);
  LayoutBuilder builder(Kind::registers, cell,
                        layout.repeats().withCounts(repeats));
  addOthers(builder, moves, HardwareDim::reg, dim);
  addOthers(builder, moves, HardwareDim::lane, dim);
  for (const Move &move : moves[HardwareDim::warp])
    if (move.copies)
      builder.addFree(HardwareDim::warp);
    else if (move.dim != dim)
      builder.add(HardwareDim::warp, move.dim, move.log2);
    else
      builder.add(
          HardwareDim::warp, dim,
          unsigned(std::ranges::find(parts, move.log2) - parts.begin()));
  addOthers(builder, moves, HardwareDim::block, dim);
  TILEWRIGHT_ASSIGN_OR_RETURN(Layout reduced, builder.tryBuild());
  WarpReduction result{reduced,
                       partsWithin(parts, layout.cell(dim), repeats[dim], size),
                       {},
                       {}};
  std::vector<int32_t> copies = registerCopies(layout);
  for (int64_t reg = 0; reg < layout.items(); ++reg) {
    if (copies[reg] != reg) {
      result.target.push_back(-1);
      continue;
    }
    Dims at = layout.apply(inRegister(reg, 0));
    at[dim] = 0;
    result.target.push_back(int32_t(reduced.invert(at)[HardwareDim::reg]));
  }
  const std::vector<Move> &lanes = moves[HardwareDim::lane];
  for (unsigned bit = 0; bit < lanes.size(); ++bit)
    if (!lanes[bit].copies && lanes[bit].dim == dim)
      result.laneMasks.push_back(1u << bit);
  return result;
}

/// Bits that count all parts along `dim`, those that are dealt too.
static unsigned bitsOfParts(const Layout &layout, unsigned dim) {
  return log2Ceil(layout.shape()[dim]);
}

/// A layout with all of `dim` in the cell; warps that repeats along it were
/// dealt to hold copies.
static LayoutBuilder gathering(const Layout &layout, unsigned dim) {
  Dims cell = layout.cellBits();
  cell[dim] = bitsOfParts(layout, dim);
  return {Kind::registers, cell, layout.repeats().copiedAlong(dim)};
}

StatusOr<Layout> gatherWarpsInLanes(const Layout &layout, unsigned dim) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Moves moves, Moves::of(layout));
  constexpr unsigned fewest = 2;
  const unsigned bits = bitsOfParts(layout, dim);
  const std::vector<Move> &lanes = moves[HardwareDim::lane];
  const unsigned free =
      unsigned(std::ranges::count_if(lanes, [](Move m) { return m.copies; }));
  if (bits < fewest || free < fewest)
    return gatherWarps(layout, dim);
  LayoutBuilder builder = gathering(layout, dim);
  const unsigned inLanes = std::min(bits, free);
  for (unsigned bit = inLanes; bit < bits; ++bit)
    builder.add(HardwareDim::reg, dim, bit);
  addOthers(builder, moves, HardwareDim::reg, dim);
  unsigned next = 0;
  for (const Move &move : lanes)
    if (!move.copies)
      builder.add(HardwareDim::lane, move.dim, move.log2);
    else if (next < inLanes)
      builder.add(HardwareDim::lane, dim, next++);
    else
      builder.addFree(HardwareDim::lane);
  addOthers(builder, moves, HardwareDim::warp, dim);
  addOthers(builder, moves, HardwareDim::block, dim);
  return builder.tryBuild();
}

StatusOr<Layout> gatherWarps(const Layout &layout, unsigned dim) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Moves moves, Moves::of(layout));
  LayoutBuilder builder = gathering(layout, dim);
  for (unsigned bit = 0; bit < bitsOfParts(layout, dim); ++bit)
    builder.add(HardwareDim::reg, dim, bit);
  for (HardwareDim axis : {HardwareDim::reg, HardwareDim::lane,
                           HardwareDim::warp, HardwareDim::block})
    addOthers(builder, moves, axis, dim);
  return builder.tryBuild();
}

} // namespace tilewright::tilegpu
