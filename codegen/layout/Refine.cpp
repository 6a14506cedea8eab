//===- Refine.cpp - A layout seen over a larger cell ----------------------===//
#include "codegen/layout/Refine.h"

namespace tilewright::layout {

Frame commonFrame(const Layout &a, const Layout &b) {
  Frame frame{a.cellBits(), a.repeats().counts()};
  Dims shapeA = a.shape(), shapeB = b.shape();
  for (unsigned dim = 0; dim < a.rank(); ++dim) {
    int64_t bits = std::max(a.cellBits()[dim], b.cellBits()[dim]);
    int64_t extent = std::max(shapeA[dim], shapeB[dim]);
    frame.cellBits[dim] = bits;
    frame.repeats[dim] = ((extent - 1) >> bits) + 1;
  }
  return frame;
}

LinearMap refinedMap(const Layout &layout, const Dims &cellBits) {
  int64_t all = 0;
  for (int64_t bits : cellBits)
    all += bits;
  Dims first(cellBits.rank(), 0); // Of each dimension in the frame's index.
  for (unsigned dim = cellBits.rank(), at = 0; dim-- > 0;) {
    first[dim] = at;
    at += cellBits[dim];
  }
  LinearMap map(0, all);
  auto append = [&](Bits column) {
    Dims at = layout.cellCoordinates(column);
    Bits moved = 0;
    for (unsigned dim = 0; dim < at.rank(); ++dim)
      moved |= Bits(at[dim]) << first[dim];
    map.append(moved);
  };
  unsigned own = layout.bits(layout.itemDim());
  for (Bits column : layout.map().allColumns().first(own))
    append(column);
  for (unsigned dim = layout.rank(); dim-- > 0;)
    for (int64_t bit = layout.cellBits()[dim]; bit < cellBits[dim]; ++bit)
      map.append(Bits(1) << (first[dim] + bit));
  for (Bits column : layout.map().allColumns().subspan(own))
    append(column);
  return map;
}

Refined refine(const Layout &layout, const Frame &frame) {
  assert(layout.repeats().isPlain());
  Refined refined;
  unsigned own = layout.bits(layout.itemDim()), rank = layout.rank();
  Dims below(rank, 0); // Repeats of the layout in the frame's cell, log2.
  refined.itemBits = own;
  for (unsigned dim = 0; dim < rank; ++dim) {
    below[dim] = frame.cellBits[dim] - layout.cellBits()[dim];
    refined.itemBits += below[dim];
  }
  refined.map = refinedMap(layout, frame.cellBits);
  refined.items.reserve(size_t(frame.repeatCount()) << refined.itemBits);
  forEachCoordinate(frame.repeats, [&](const Dims &repeat) {
    for (Bits high = 0; high < Bits(1) << (refined.itemBits - own); ++high) {
      Dims at(rank, 0);
      bool exists = true;
      Bits rest = high;
      for (unsigned dim = rank; dim-- > 0; rest >>= below[dim]) {
        at[dim] = repeat[dim] << below[dim] | (rest & lowBits(below[dim]));
        exists &= at[dim] < layout.repeats()[dim];
      }
      int64_t item = exists ? layout.repeats().index(at) << own : -1;
      for (Bits low = 0; low < Bits(1) << own; ++low)
        refined.items.push_back(exists ? int32_t(item + low) : -1);
    }
  });
  return refined;
}

} // namespace tilewright::layout
