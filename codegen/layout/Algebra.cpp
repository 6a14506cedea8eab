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
  if (inner.repeats().product() != 1)
    return Status::unsupported(
        "product: expected an inner layout without repeats, found " +
        inner.repeats().text());
  Dims cellBits = inner.cellBits();
  for (unsigned dim = 0; dim < outer.rank(); ++dim)
    cellBits[dim] += outer.cellBits()[dim];
  Dims none(inner.rank(), 0);
  LayoutBuilder builder(inner.kind(), cellBits, outer.repeats());
  builder.setRepeatOrder(fullRepeatOrder(outer));
  for (Axis axis : allAxes) {
    for (Bits column : inner.columns(axis))
      builder.addColumn(axis, moveIndex(inner, column, none, cellBits));
    for (Bits column : outer.columns(axis))
      builder.addColumn(axis,
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
  builder.setRepeatOrder(fullRepeatOrder(layout));
  for (Axis axis : allAxes)
    for (unsigned bit = inner.bits(axis); bit < layout.bits(axis); ++bit)
      builder.addColumn(axis, moveIndex(layout, layout.map(axis).column(bit),
                                        down, cellBits));
  // What was shifted out, or stands in the low bits, shows in the product.
  StatusOr<Layout> outer = builder.tryBuild();
  if (outer) {
    StatusOr<Layout> again = product(inner, *outer);
    if (again && *again == layout)
      return outer;
    for (Axis axis : allAxes)
      if (again && !(again->map(axis) == layout.map(axis)))
        return Status::unsupported(format(
            "divide: the {} bits of the layout are not those of the tile",
            {axisName(axis)}));
  }
  return Status::unsupported(
      "divide: the layout does not consist of whole tiles of " +
      inner.shape().text());
}

StatusOr<Layout> quotient(const Layout &layout, Axis axis) {
  if (axis == layout.itemAxis() && layout.repeats().product() != 1)
    return Status::unsupported("quotient: repeats belong to the axis");
  Bits removed = 0, others = 0;
  bool apart = true;
  for (Axis each : allAxes)
    for (Bits column : layout.columns(each)) {
      (each == axis ? removed : others) |= column;
      apart &= each != axis || std::popcount(column) <= 1;
    }
  if (!apart || (removed & others))
    return Status::unsupported(format("quotient: the coordinates that the {} "
                                      "chooses depend on other axes too",
                                      {axisName(axis)}));
  Bits kept = lowBits(layout.map().outBits()) & ~removed;
  Dims cellBits = layout.cellBits();
  unsigned first = layout.map().outBits();
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    first -= layout.cellBits()[dim];
    cellBits[dim] -=
        std::popcount(removed >> first & lowBits(layout.cellBits()[dim]));
  }
  LayoutBuilder builder(layout.kind(), cellBits, layout.repeats());
  builder.setRepeatOrder(fullRepeatOrder(layout));
  for (Axis each : allAxes)
    for (Bits column : layout.columns(each))
      if (each != axis)
        builder.addColumn(each, gatherBits(column, kept));
  return builder.tryBuild();
}

StatusOr<Layout> compose(const Layout &layout, Axis axis,
                         const LinearMap &map) {
  if (map.outBits() > layout.bits(axis))
    return Status::invalidInput(
        format("compose: expected a map to {} {} bits, found {}",
               {layout.bits(axis), axisName(axis), map.outBits()}));
  LayoutBuilder builder(layout.kind(), layout.cellBits(), layout.repeats());
  builder.setRepeatOrder(fullRepeatOrder(layout));
  for (Axis each : allAxes) {
    LinearMap part = layout.map(each);
    if (each == axis)
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
