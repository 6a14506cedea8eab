//===- Algebra.cpp - Products, quotients and relations of layouts ---------===//
#include "codegen/layout/Algebra.h"
#include "support/Format.h"

namespace tilewright::layout {

/// Coordinates of one cell as an index of another: each shifted left (or, by
/// a negative amount, right) within its dimension.
static Bits moveIndex(const Layout &from, Bits index, const Dims &shifts,
                      const Dims &toBits) {
  Dims at = from.cellCoordinates(index);
  for (unsigned dim = 0; dim < at.rank(); ++dim)
    at[dim] =
        shifts[dim] >= 0 ? at[dim] << shifts[dim] : at[dim] >> -shifts[dim];
  return cellIndexOf(at, toBits);
}

StatusOr<Layout> product(const Layout &inner, const Layout &outer) {
  if (inner.kind() != outer.kind() || inner.rank() != outer.rank())
    return Status::invalidInput("product: the layouts differ in kind or rank");
  if (inner.repeats().total() != 1)
    return Status::unsupported(
        "product: expected an inner layout without repeats, found " +
        inner.repeats().counts().text());
  Dims cellBits = inner.cellBits();
  for (unsigned dim = 0; dim < outer.rank(); ++dim)
    cellBits[dim] += outer.cellBits()[dim];
  Dims none(inner.rank(), 0);
  LayoutBuilder builder(inner.kind(), cellBits, outer.repeats());
  for (HardwareDim hardwareDim : allHardwareDims) {
    for (Bits column : inner.columns(hardwareDim))
      builder.addColumn(hardwareDim, moveIndex(inner, column, none, cellBits));
    for (Bits column : outer.columns(hardwareDim))
      builder.addColumn(hardwareDim,
                        moveIndex(outer, column, inner.cellBits(), cellBits));
  }
  return builder.tryBuild();
}

StatusOr<Layout> divide(const Layout &layout, const Layout &inner) {
  if (inner.kind() != layout.kind() || inner.rank() != layout.rank())
    return Status::invalidInput("divide: the layouts differ in kind or rank");
  Dims cellBits = layout.cellBits(), down = inner.cellBits();
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    cellBits[dim] -= inner.cellBits()[dim];
    down[dim] = -down[dim];
    if (cellBits[dim] < 0)
      return Status::unsupported(
          format("divide: the cell {} is no multiple of the tile {}",
                 {layout.cellShape().text(), inner.shape().text()}));
  }
  LayoutBuilder builder(layout.kind(), cellBits, layout.repeats());
  for (HardwareDim hardwareDim : allHardwareDims)
    for (unsigned bit = inner.bits(hardwareDim); bit < layout.bits(hardwareDim);
         ++bit)
      builder.addColumn(hardwareDim,
                        moveIndex(layout, layout.map(hardwareDim).column(bit),
                                  down, cellBits));
  // Bits that were shifted out, or that are in the low bits, show in the
  // product.
  StatusOr<Layout> outer = builder.tryBuild();
  if (outer) {
    StatusOr<Layout> again = product(inner, *outer);
    if (again && *again == layout)
      return outer;
    for (HardwareDim hardwareDim : allHardwareDims)
      if (again && !(again->map(hardwareDim) == layout.map(hardwareDim)))
        return Status::unsupported(format(
            "divide: the {} bits of the layout are not those of the tile",
            {hardwareDimName(hardwareDim)}));
  }
  return Status::unsupported(
      "divide: the layout does not consist of whole tiles of " +
      inner.shape().text());
}

StatusOr<Layout> quotient(const Layout &layout, HardwareDim hardwareDim) {
  if ((hardwareDim == layout.itemDim() && layout.repeats().total() != 1) ||
      (hardwareDim == HardwareDim::warp && layout.repeats().parts() != 1))
    return Status::unsupported("quotient: repeats belong to the axis");
  Bits removed = 0, others = 0;
  bool apart = true;
  for (HardwareDim each : allHardwareDims)
    for (Bits column : layout.columns(each)) {
      (each == hardwareDim ? removed : others) |= column;
      apart &= each != hardwareDim || std::popcount(column) <= 1;
    }
  if (!apart || (removed & others))
    return Status::unsupported(format("quotient: the coordinates that the {} "
                                      "chooses depend on other axes too",
                                      {hardwareDimName(hardwareDim)}));
  Bits kept = lowBits(layout.map().outBits()) & ~removed;
  Dims cellBits = layout.cellBits();
  unsigned first = layout.map().outBits();
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    first -= layout.cellBits()[dim];
    cellBits[dim] -=
        std::popcount(removed >> first & lowBits(layout.cellBits()[dim]));
  }
  LayoutBuilder builder(layout.kind(), cellBits, layout.repeats());
  for (HardwareDim each : allHardwareDims)
    for (Bits column : layout.columns(each))
      if (each != hardwareDim)
        builder.addColumn(each, gatherBits(column, kept));
  return builder.tryBuild();
}

StatusOr<Layout> compose(const Layout &layout, HardwareDim hardwareDim,
                         const LinearMap &map) {
  if (map.outBits() > layout.bits(hardwareDim))
    return Status::invalidInput(
        format("compose: expected a map to {} {} bits, found {}",
               {layout.bits(hardwareDim), hardwareDimName(hardwareDim),
                map.outBits()}));
  LayoutBuilder builder(layout.kind(), layout.cellBits(), layout.repeats());
  for (HardwareDim each : allHardwareDims) {
    LinearMap part = layout.map(each);
    if (each == hardwareDim)
      part = part.compose(map);
    for (Bits column : part.allColumns())
      builder.addColumn(each, column);
  }
  return builder.tryBuild();
}

StatusOr<LinearMap> relate(const Layout &from, const Layout &to) {
  if (!(from.cellBits() == to.cellBits()))
    return Status::invalidInput(
        format("relate: expected equal cells, found {} and {}",
               {from.cellShape().text(), to.cellShape().text()}));
  // A layout is surjective, so it has a right inverse.
  return to.map().rightInverse()->compose(from.map());
}

} // namespace tilewright::layout
