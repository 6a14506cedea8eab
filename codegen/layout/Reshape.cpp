//===- Reshape.cpp - Layouts of reshapes and of other cells ---------------===//
//
// A row-major reshape keeps the row-major index of each element. In the cell
// that index is the layout's own, and beyond the cell it counts repeats. So the
// columns stay, and only the dimensions are split differently, if in each group
// of dimensions that maps to another group the cell is counted by the index's
// low bits in both shapes. A cell that is too large for that is shrunk first.
//
//===----------------------------------------------------------------------===//
#include "codegen/layout/TransformSupport.h"
#include "codegen/layout/Transforms.h"
#include "support/Format.h"

namespace tilewright::layout {

/// Of a layout whose repeats registers alone count.
static Transformed normalized(const Layout &layout) {
  Dims cellBits = layout.cellBits(), repeats = layout.repeats().counts();
  Dims more(layout.rank(), 0);
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    more[dim] = std::countr_zero(uint64_t(repeats[dim]));
    cellBits[dim] += more[dim];
    repeats[dim] >>= more[dim];
  }
  LayoutBuilder builder =
      mapCoordinates(layout, cellBits, layout.repeats().withCounts(repeats),
                     [](const Dims &at) { return at; });
  Dims order = layout.repeats().order();
  for (unsigned i = order.rank(); i-- > 0;)
    builder.addRange(layout.itemDim(), order[i], layout.cellBits()[order[i]],
                     more[order[i]]);
  // Offsets that would be renumbered stay as they are.
  StatusOr<Transformed> result =
      withSources(builder.build(), layout, [](const Dims &at) { return at; });
  if (!result)
    result = withSources(layout, layout, [](const Dims &at) { return at; });
  return *result;
}

Transformed normalize(const Layout &layout) {
  StatusOr<Transformed> result = ofEachPart("normalize", layout, normalized);
  if (result)
    return *result;
  Transformed same{layout, {}, {}};
  for (int64_t item = 0; item < layout.items(); ++item)
    same.source.push_back(int32_t(item));
  return same;
}

/// The layout over a smaller cell, its items not yet matched.
static StatusOr<Layout> shrunk(const Layout &layout, const Dims &cellBits) {
  Dims repeats = layout.repeats().counts();
  Bits leaving = 0; // Of the packed hardware index.
  for (unsigned dim = 0; dim < layout.rank(); ++dim)
    for (int64_t bit = cellBits[dim]; bit < layout.cellBits()[dim]; ++bit) {
      int holder = pureItemBit(layout, dim, bit);
      if (holder < 0)
        return Status::unsupported(format(
            "coordinate bit {} of dimension {} is not held by registers alone",
            {bit, dim}));
      leaving |= Bits(1) << holder;
      repeats[dim] *= 2;
    }
  LayoutBuilder builder(layout.kind(), cellBits,
                        layout.repeats().withCounts(repeats));
  unsigned bit = 0;
  for (HardwareDim hardwareDim : allHardwareDims)
    for (Bits column : layout.columns(hardwareDim)) {
      if (leaving >> bit++ & 1)
        continue;
      builder.addColumn(hardwareDim,
                        cellIndexOf(layout.cellCoordinates(column), cellBits));
    }
  return builder.tryBuild();
}

StatusOr<Transformed> shrinkCell(const Layout &layout, const Dims &cellBits) {
  for (unsigned dim = 0; dim < layout.rank(); ++dim)
    if (cellBits.rank() != layout.rank() || cellBits[dim] < 0 ||
        cellBits[dim] > layout.cellBits()[dim])
      return Status::invalidInput(
          "shrink cell: expected bits within those of the cell " +
          layout.cellShape().text());
  return ofEachPart(
      "shrink cell", layout, [&](const Layout &part) -> StatusOr<Transformed> {
        StatusOr<Layout> result = shrunk(part, cellBits);
        if (!result)
          return result.status().prefixed("shrink cell");
        return withSources(*result, part, [](const Dims &at) { return at; });
      });
}

namespace {
/// Dimensions [first, first + count) of a shape, one side of a group.
struct Range {
  unsigned first = 0, count = 0;
  unsigned end() const { return first + count; }
};
struct Group {
  Range from, to;
};
} // namespace

/// Splits both shapes into the smallest groups of equal products.
static std::vector<Group> groupsOf(const Dims &from, const Dims &to) {
  std::vector<Group> groups;
  unsigned i = 0, j = 0;
  while (i < from.rank() || j < to.rank()) {
    Group group{{i, 0}, {j, 0}};
    int64_t a = 1, b = 1;
    do {
      bool takeFrom = j == to.rank() || (i < from.rank() && a <= b);
      (takeFrom ? a : b) *= takeFrom ? from[i++] : to[j++];
    } while (a != b);
    group.from.count = i - group.from.first;
    group.to.count = j - group.to.first;
    groups.push_back(group);
  }
  return groups;
}

/// How many low bits of a group's row-major index the dimensions can count as
/// cells: whole ones as far as they are powers of two, then a part of one.
/// `cellLimit` has the most bits of each dimension.
static int64_t indexBits(const Dims &shape, Range range,
                         const Dims &cellLimit) {
  int64_t bits = 0;
  for (unsigned dim = range.end(); dim-- > range.first;) {
    bits += cellLimit[dim];
    if (shape[dim] != int64_t(1) << cellLimit[dim])
      break;
  }
  return bits;
}

/// Distributes `bits` low bits of the index over the dimensions, the last
/// first.
static void dealBits(Dims &cellBits, const Dims &limit, Range range,
                     int64_t bits) {
  for (unsigned dim = range.end(); dim-- > range.first;) {
    cellBits[dim] = std::min(bits, limit[dim]);
    bits -= cellBits[dim];
  }
}

/// Coordinates of a group from one shape to the other; the first dimension of
/// a group may run beyond its extent, into padding.
static void regroup(const Dims &at, const Dims &shape, Range range, Dims &to,
                    const Dims &toShape, Range toRange) {
  int64_t index = 0;
  for (unsigned dim = range.first; dim < range.end(); ++dim)
    index = index * shape[dim] + at[dim];
  for (unsigned dim = toRange.end(); dim-- > toRange.first;) {
    bool isFirst = dim == toRange.first;
    to[dim] = isFirst ? index : index % toShape[dim];
    index /= isFirst ? 1 : toShape[dim];
  }
}

/// The cell of the operand and that of the result for one group.
static std::string planGroup(const Layout &layout, const Dims &shape,
                             const Dims &newShape, const Group &group,
                             Dims &fromBits, Dims &toBits) {
  Dims extents = layout.shape();
  unsigned first = group.from.first;
  while (first < group.from.end() && extents[first] == 1)
    ++first;
  for (unsigned dim = first + 1; dim < group.from.end(); ++dim)
    if (extents[dim] != shape[dim])
      return format("dimension {} of extent {} is padded to {}",
                    {dim, shape[dim], extents[dim]});
  // The first dimension's padding is the end of the index, so its cell may
  // exceed the extent.
  Dims fromLimit = layout.cellBits(), toLimit = newShape;
  for (unsigned dim = group.to.first; dim < group.to.end(); ++dim)
    toLimit[dim] =
        dim == group.to.first ? 62 : std::countr_zero(uint64_t(newShape[dim]));
  int64_t bits = std::min(indexBits(extents, group.from, fromLimit),
                          indexBits(newShape, group.to, toLimit));
  dealBits(fromBits, fromLimit, group.from, bits);
  dealBits(toBits, toLimit, group.to, bits);
  return {};
}

/// The index of a group's only dimension that is not 1, or -1.
static int onlyDimension(const Dims &shape, Range range) {
  int found = -1;
  for (unsigned dim = range.first; dim < range.end(); ++dim)
    if (shape[dim] != 1) {
      if (found >= 0)
        return -1;
      found = dim;
    }
  return found;
}

/// Where only dimensions of extent 1 come and go.
static StatusOr<Transformed>
withoutUnits(const Layout &layout, const Dims &shape, const Dims &newShape) {
  Dims newDims(shape.rank(), -1), cellBits(newShape.rank(), 0);
  for (unsigned dim = 0, to = 0; dim < shape.rank(); ++dim) {
    // An extent of 1 may be padded, and then it stays if it finds a place.
    if (shape[dim] == 1 && layout.shape()[dim] == 1)
      continue;
    while (to < newShape.rank() && newShape[to] == 1 && shape[dim] != 1)
      ++to;
    if (to == newShape.rank() || newShape[to] != shape[dim])
      return Status::unsupported(
          format("reshape: {} to {}: the layout's repeats are dealt to warps",
                 {shape.text(), newShape.text()}));
    cellBits[to] = layout.cellBits()[dim];
    newDims[dim] = to++;
  }
  LayoutBuilder builder = mapCoordinates(
      layout, cellBits, layout.repeats().renamed(newDims, newShape.rank()),
      [&](const Dims &at) {
        Dims moved(newShape.rank(), 0);
        for (unsigned dim = 0; dim < at.rank(); ++dim)
          if (newDims[dim] >= 0)
            moved[newDims[dim]] = at[dim];
        return moved;
      });
  StatusOr<Layout> result = builder.tryBuild();
  if (!result)
    return result.status().prefixed("reshape");
  Transformed transformed{*result, {}, {}};
  for (int64_t reg = 0; reg < result->items(); ++reg)
    transformed.source.push_back(int32_t(reg));
  return transformed;
}

/// Of a layout whose repeats registers alone count.
static StatusOr<Transformed> reshaped(const Layout &layout, const Dims &shape,
                                      const Dims &newShape) {
  auto reject = [&](const std::string &why) {
    return Status::unsupported(
        format("reshape: {} to {} is not expressible with this layout: {}",
               {shape.text(), newShape.text(), why}));
  };
  if (shape.product() != newShape.product() || shape.product() < 1 ||
      !layout.covers(shape))
    return reject("expected equal numbers of elements, and a layout that "
                  "covers the shape");
  std::vector<Group> groups = groupsOf(shape, newShape);
  Dims fromBits = layout.cellBits(), toBits(newShape.rank(), 0);
  Dims toRepeats(newShape.rank(), 1), extents = layout.shape();
  for (const Group &group : groups) {
    int same = onlyDimension(shape, group.from);
    int becomes = onlyDimension(newShape, group.to);
    if (same >= 0 && becomes >= 0) { // Groups begin and end at such.
      toBits[becomes] = layout.cellBits()[same];
      toRepeats[becomes] = layout.repeats()[same];
      continue;
    }
    std::string wrong =
        planGroup(layout, shape, newShape, group, fromBits, toBits);
    if (!wrong.empty())
      return reject(wrong);
    int64_t repeats = 1;
    for (unsigned dim = group.from.first; dim < group.from.end(); ++dim)
      repeats *= extents[dim] >> fromBits[dim];
    for (unsigned dim = group.to.end(); dim-- > group.to.first;) {
      toRepeats[dim] =
          dim == group.to.first ? repeats : newShape[dim] >> toBits[dim];
      repeats = (repeats - 1) / toRepeats[dim] + 1;
    }
  }
  StatusOr<Layout> operand = shrunk(layout, fromBits);
  if (!operand)
    return reject(operand.status().message());
  LayoutBuilder builder(layout.kind(), toBits, toRepeats);
  for (HardwareDim hardwareDim : allHardwareDims)
    for (Bits column : operand->columns(hardwareDim))
      builder.addColumn(hardwareDim, column);
  StatusOr<Layout> result = builder.tryBuild();
  if (!result)
    return reject(result.status().message());
  StatusOr<Transformed> transformed =
      withSources(*result, layout, [&](const Dims &at) {
        Dims to(shape.rank(), 0);
        for (const Group &group : groups)
          regroup(at, newShape, group.to, to, shape, group.from);
        return to;
      });
  if (!transformed)
    return reject(transformed.status().message());
  return transformed;
}

StatusOr<Transformed> reshape(const Layout &layout, const Dims &shape,
                              const Dims &newShape) {
  if (!layout.repeats().isLocal())
    return withoutUnits(layout, shape, newShape);
  return ofEachPart("reshape", layout, [&](const Layout &part) {
    return reshaped(part, shape, newShape);
  });
}

} // namespace tilewright::layout
