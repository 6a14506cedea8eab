//===- LayoutBuilder.cpp - Columns of a layout, one after the other -------===//
#include "codegen/layout/Layout.h"
#include "support/Format.h"

#include <numeric>

namespace tilewright::layout {

void LayoutBuilder::add(HardwareDim hardwareDim, unsigned dim, unsigned log2) {
  assert(int64_t(log2) < cellBits[dim]);
  unsigned first = log2;
  for (unsigned inner = dim + 1; inner < cellBits.rank(); ++inner)
    first += cellBits[inner];
  addColumn(hardwareDim, Bits(1) << first);
}

void LayoutBuilder::addRange(HardwareDim hardwareDim, unsigned dim,
                             unsigned first, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    add(hardwareDim, dim, first + i);
}

void LayoutBuilder::addFree(HardwareDim hardwareDim, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    addColumn(hardwareDim, 0);
}

StatusOr<Layout> LayoutBuilder::tryBuild() const {
  HardwareIndex bits;
  unsigned all = 0;
  for (HardwareDim hardwareDim : allHardwareDims)
    all += bits[hardwareDim] = columns[size_t(hardwareDim)].inBits();
  int64_t outs = std::accumulate(cellBits.begin(), cellBits.end(), int64_t(0));
  if (all > 64 || outs > 62)
    return Status::invalidInput(
        format("layout: {} hardware bits and {} bits of the cell's index; at "
               "most 64 and 62 are allowed",
               {all, outs}));
  LinearMap map(0, outs);
  for (const LinearMap &part : columns)
    for (Bits column : part.allColumns())
      map.append(column);
  return Layout::create(kind, cellBits, bits, map, repeats);
}

Layout LayoutBuilder::build() const {
  StatusOr<Layout> layout = tryBuild();
  assert(layout.ok() && "a family built a wrong layout");
  return *layout;
}

} // namespace tilewright::layout
