//===- Fragments.cpp - Layouts of matrix instructions ---------------------===//
#include "codegen/layout/Algebra.h"
#include "codegen/layout/Families.h"
#include "support/Format.h"

#include <vector>

namespace tilewright::layout {

/// PTX 9.7.14.5; bits 32 are tf32, 8 are s8, u8, e4m3 and e5m2, 4 are s4, u4.
static constexpr MmaShape shapes[] = {
    {16, 8, 16, 16}, {16, 8, 8, 16}, {16, 8, 8, 32}, {16, 8, 4, 32},
    {16, 8, 32, 8},  {16, 8, 16, 8}, {16, 8, 64, 4}, {8, 8, 4, 64},
};

std::span<const MmaShape> mmaShapes() { return shapes; }

static std::string shapeName(int64_t m, int64_t n, int64_t k, unsigned bits) {
  return format("m{}n{}k{} with elements of {} bits", {m, n, k, bits});
}

/// Writes the pattern that all fragments of A and B share. Along K: the
/// elements of one 32-bit register, 4 lanes, then further registers. Along the
/// other dimension: 8 lanes; A then has rows 8 .. 15 in the next registers.
static Layout operandFragment(int64_t rows, int64_t k, unsigned bits, bool isA,
                              unsigned warpRowBits) {
  unsigned kDim = isA ? 1 : 0, otherDim = isA ? 0 : 1;
  unsigned packed = bits < 32 ? log2Floor(32 / bits) : 0;
  unsigned kBits = log2Floor(k), rowBits = log2Floor(rows);
  Dims cellBits = isA ? Dims{rowBits, kBits} : Dims{kBits, rowBits};
  LayoutBuilder builder(Kind::registers, cellBits, {1, 1});
  builder.addRange(HardwareDim::reg, kDim, 0, packed);
  builder.addRange(HardwareDim::lane, kDim, packed, 2);
  builder.addRange(HardwareDim::lane, otherDim, 0, 3);
  if (rowBits > 3)
    builder.add(HardwareDim::reg, otherDim, 3);
  builder.addRange(HardwareDim::reg, kDim, packed + 2, kBits - packed - 2);
  builder.addRange(HardwareDim::warp, otherDim, 4, warpRowBits);
  return builder.build();
}

/// C and D: pairs of columns in registers, 4 lanes along a row, 8 rows of
/// lanes, 8 more rows in registers, then columns 8, 16, ..
static Layout accumulatorFragment(int64_t rows, int64_t columns,
                                  unsigned warpRowBits) {
  unsigned columnBits = 3 + std::countr_zero(uint64_t(columns / 8));
  unsigned rowBits = log2Floor(rows);
  LayoutBuilder builder(Kind::registers, {rowBits, columnBits},
                        {1, columns >> columnBits});
  builder.add(HardwareDim::reg, 1, 0);
  builder.addRange(HardwareDim::lane, 1, 1, 2);
  builder.addRange(HardwareDim::lane, 0, 0, 3);
  if (rowBits > 3)
    builder.add(HardwareDim::reg, 0, 3);
  builder.addRange(HardwareDim::reg, 1, 3, columnBits - 3);
  builder.addRange(HardwareDim::warp, 0, 4, warpRowBits);
  return builder.build();
}

StatusOr<Layout> mmaFragment(const MmaShape &shape, Operand operand) {
  bool known = false;
  for (const MmaShape &each : shapes)
    known |= each.m == shape.m && each.n == shape.n && each.k == shape.k &&
             each.bits == shape.bits;
  if (!known)
    return Status::unsupported(
        "mma: there is no " + shapeName(shape.m, shape.n, shape.k, shape.bits));
  if (operand == Operand::c)
    return accumulatorFragment(shape.m, shape.n, 0);
  bool isA = operand == Operand::a;
  return operandFragment(isA ? shape.m : shape.n, shape.k, shape.bits, isA, 0);
}

StatusOr<Layout> wgmmaFragment(int64_t n, int64_t k, unsigned bits,
                               Operand operand) {
  bool bitsFit = bits == 8 || bits == 16 || bits == 32;
  if (!bitsFit || k * bits != 256 || n < 8 || n > 256 || n % 8)
    return Status::unsupported(format(
        "wgmma: there is no {}; expected n of 8, 16, .. 256 and k of 256 bits",
        {shapeName(64, n, k, bits)}));
  if (operand == Operand::b)
    return Status::unsupported(
        "wgmma: B lies in shared memory, not in registers");
  return operand == Operand::a ? operandFragment(64, k, bits, true, 2)
                               : accumulatorFragment(64, n, 2);
}

StatusOr<Layout> ldmatrixFragment(int64_t count, bool transposed) {
  if (count != 1 && count != 2 && count != 4)
    return Status::unsupported(
        format("ldmatrix: expected x1, x2 or x4, found x{}", {count}));
  unsigned pair = transposed ? 0 : 1; // Which dimension a register's two span.
  unsigned matrixBits = log2Floor(count);
  LayoutBuilder builder(Kind::registers, {3 + matrixBits, 3}, {1, 1});
  builder.add(HardwareDim::reg, pair, 0);
  builder.addRange(HardwareDim::lane, pair, 1, 2);
  builder.addRange(HardwareDim::lane, 1 - pair, 0, 3);
  builder.addRange(HardwareDim::reg, 0, 3, matrixBits);
  return builder.build();
}

StatusOr<Layout> tileFragment(const Layout &fragment, Operand operand,
                              const Dims &shape, const Dims &warps,
                              const Dims &order) {
  Dims ordered = order.rank() ? order : Dims{0, 1};
  if (shape.rank() != 2 || warps.rank() != 2 || !isPermutation(ordered, 2))
    return Status::invalidInput(
        "fragment: expected shape, warps and order of rank 2");
  // The dimension of the operand that runs along m, and along n.
  int dims[2] = {operand == Operand::b ? Step::copies : 0,
                 operand == Operand::a ? Step::copies : 1};
  std::vector<Step> steps;
  int64_t parts[2] = {1, 1}; // Repeats are dealt to, along m and n.
  for (int64_t along : ordered) {
    if (warps[along] < 1 || warps[along] > 32)
      return Status::invalidInput(
          "fragment: expected 1 to 32 warps, found warps=" + warps.text());
    unsigned bits = std::countr_zero(uint64_t(warps[along]));
    steps.push_back({HardwareDim::warp, dims[along], bits});
    parts[along] = warps[along] >> bits;
  }
  if (std::string wrong = wrongTileShape(shape); !wrong.empty())
    return Status::invalidInput("fragment: " + wrong);
  Dims rest = shape, extents = fragment.shape();
  for (unsigned dim = 0; dim < 2; ++dim)
    rest[dim] = (shape[dim] - 1) / extents[dim] + 1;
  TILEWRIGHT_ASSIGN_OR_RETURN(Layout outer, distribute(rest, steps, {1, 0}));
  if (parts[0] > 1 && parts[1] > 1)
    return Status::unsupported("fragment: expected a power of two of warps "
                               "along m or n, found warps=" +
                               warps.text());
  for (unsigned along = 0; along < 2; ++along)
    if (parts[along] > 1) {
      TILEWRIGHT_ASSIGN_OR_RETURN(
          outer,
          tryWithRepeats(outer, dims[along] == Step::copies
                                    ? outer.repeats().copiedTo(parts[along])
                                    : outer.repeats().dealtAlong(
                                          dims[along], parts[along])));
    }
  return product(fragment, outer);
}

} // namespace tilewright::layout
