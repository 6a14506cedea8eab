//===- MemoryFamilies.cpp - Dense and swizzled shared memory --------------===//
#include "codegen/layout/Algebra.h"
#include "codegen/layout/Families.h"
#include "support/Format.h"

namespace tilewright::layout {

/// Like dense(), of a shape that was checked. The cell ends at the first
/// dimension that is no power of two: the slower ones are repeats.
static StatusOr<Layout> denseOf(const Dims &shape, const Dims &order) {
  unsigned rank = shape.rank();
  Dims cellBits(rank, 0), repeats = shape, slowestFirst(rank, 0);
  bool inCell = true;
  for (unsigned i = 0; i < rank; ++i) {
    unsigned dim = order[i];
    slowestFirst[rank - 1 - i] = dim;
    if (inCell)
      cellBits[dim] = std::countr_zero(uint64_t(shape[dim]));
    repeats[dim] >>= cellBits[dim];
    inCell &= repeats[dim] == 1;
  }
  LayoutBuilder builder(Kind::memory, cellBits, {repeats, slowestFirst});
  for (int64_t dim : order)
    builder.addRange(HardwareDim::offset, dim, 0, cellBits[dim]);
  return builder.tryBuild();
}

StatusOr<Layout> dense(const Dims &shape, const Dims &order) {
  if (std::string wrong = wrongTileShape(shape); !wrong.empty())
    return Status::invalidInput("dense: " + wrong);
  if (order.rank() && !isPermutation(order, shape.rank()))
    return Status::invalidInput(format(
        "dense: expected an order of the {} dimensions", {shape.rank()}));
  return denseOf(shape, order.rank() ? order : rowMajorOrder(shape.rank()));
}

/// A layout of shape [.., spans, span] as one of [.., spans * span].
static StatusOr<Layout> mergeSpans(const Layout &split) {
  unsigned rank = split.rank() - 1;
  Dims cellBits = split.cellBits(), repeats = split.repeats().counts();
  cellBits[rank - 1] += cellBits[rank];
  cellBits.erase(rank);
  repeats.erase(rank); // The span itself has no repeats.
  Dims slowestFirst;
  for (int64_t dim : split.repeats().order())
    if (dim != rank)
      slowestFirst.append(dim);
  LayoutBuilder builder(Kind::memory, cellBits, {repeats, slowestFirst});
  // Row-major indices of both cells are equal: the span is the fastest.
  for (Bits column : split.map().allColumns())
    builder.addColumn(HardwareDim::offset, column);
  return builder.tryBuild();
}

StatusOr<Layout> swizzled(const Dims &shape, unsigned elementBits,
                          Swizzle swizzle) {
  if (std::string wrong = wrongTileShape(shape); !wrong.empty())
    return Status::invalidInput("swizzle: " + wrong);
  if (!isPowerOfTwo(elementBits) || elementBits < 8 || elementBits > 64)
    return Status::invalidInput(
        format("swizzle: expected elements of 8, 16, 32 or 64 bits, found {}",
               {elementBits}));
  if (swizzle == Swizzle::none)
    return dense(shape);
  unsigned rank = shape.rank();
  int64_t span = int64_t(swizzle) * 8 / elementBits;
  if (rank < 1 || shape[rank - 1] % span)
    return Status::invalidInput(
        format("swizzle: expected a last dimension of whole spans of {} "
               "elements, found shape {}",
               {span, shape.text()}));
  if (rank + 1 > maxRank)
    return Status::invalidInput(
        format("swizzle: expected a rank below {}", {maxRank}));
  Dims split = shape, order = {rank};
  split[rank - 1] /= span;
  split.append(span);
  for (unsigned dim = rank - 1; dim-- > 0;)
    order.append(dim);
  order.append(rank - 1);
  TILEWRIGHT_ASSIGN_OR_RETURN(Layout spans, denseOf(split, order));
  TILEWRIGHT_ASSIGN_OR_RETURN(Layout plain, mergeSpans(spans));

  unsigned elementLog2 = log2Floor(elementBits / 8);
  unsigned count = log2Floor(int64_t(swizzle) / 16); // 1, 2 or 3 bits.
  unsigned offsetBits = plain.bits(HardwareDim::offset);
  LinearMap exchange = LinearMap::identity(offsetBits);
  for (unsigned i = 0; i < count; ++i) {
    unsigned from = 7 + i - elementLog2, to = 4 + i - elementLog2;
    if (from < offsetBits)
      exchange.setColumn(from, Bits(1) << from | Bits(1) << to);
    else if (plain.repeats().total() > 1)
      return Status::invalidInput(
          format("swizzle: the pattern of {} bytes does not divide the rows: "
                 "expected a multiple of 8 rows, found shape {}",
                 {1 << (7 + count), shape.text()}));
  }
  return compose(plain, HardwareDim::offset, exchange);
}

StatusOr<Layout> tmaBox(const Dims &box, unsigned elementBits,
                        Swizzle swizzle) {
  unsigned rank = box.rank();
  if (rank < 1 || rank > 5)
    return Status::invalidInput("tma: expected a box of rank 1 to 5, found " +
                                box.text());
  for (int64_t extent : box)
    if (extent < 1 || extent > 256)
      return Status::invalidInput("tma: expected extents of 1 to 256, found " +
                                  box.text());
  if (!isPowerOfTwo(elementBits) || elementBits < 8 || elementBits > 64)
    return Status::invalidInput(
        format("tma: expected elements of 8, 16, 32 or 64 bits, found {}",
               {elementBits}));
  int64_t inner = box[rank - 1] * elementBits / 8;
  if (inner % 16)
    return Status::invalidInput(format(
        "tma: expected an innermost extent of a multiple of 16 bytes, found {}",
        {inner}));
  if (swizzle != Swizzle::none && inner != int64_t(swizzle))
    return Status::invalidInput(format(
        "tma: expected an innermost extent of the swizzle's {} bytes, found {}",
        {int64_t(swizzle), inner}));
  return swizzled(box, elementBits, swizzle);
}

} // namespace tilewright::layout
