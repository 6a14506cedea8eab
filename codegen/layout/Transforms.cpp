//===- Transforms.cpp - Layouts of transposes, slices, joins --------------===//
#include "codegen/layout/Transforms.h"
#include "codegen/layout/TransformSupport.h"
#include "support/Format.h"

#include <numeric>

namespace tilewright::layout {

Dims itemCoordinates(const Layout &layout, int64_t item) {
  HardwareIndex index;
  index[layout.itemDim()] = item;
  return layout.apply(index);
}

ItemIndex::ItemIndex(const Layout &layout) : shape(layout.shape()) {
  items.reserve(layout.items());
  for (int64_t item = 0; item < layout.items(); ++item)
    items.try_emplace(linearIndex(itemCoordinates(layout, item), shape),
                      int32_t(item));
}

int32_t ItemIndex::find(const Dims &coordinates) const {
  for (unsigned dim = 0; dim < shape.rank(); ++dim)
    if (coordinates[dim] >= shape[dim])
      return -1;
  auto found = items.find(linearIndex(coordinates, shape));
  return found == items.end() ? -1 : found->second;
}

StatusOr<Transformed>
withSources(const Layout &result, const Layout &operand,
            const std::function<Dims(const Dims &)> &toOperand) {
  ItemIndex index(operand);
  Transformed transformed{result, {}, {}};
  transformed.source.reserve(result.items());
  for (int64_t item = 0; item < result.items(); ++item) {
    int32_t from = index.find(toOperand(itemCoordinates(result, item)));
    if (operand.kind() == Kind::memory && from != item)
      return Status::unsupported(format("offset {} would have to become offset "
                                        "{}: memory cannot be renumbered",
                                        {item, from}));
    transformed.source.push_back(from);
  }
  return transformed;
}

StatusOr<Transformed> ofEachPart(
    const char *name, const Layout &layout,
    const std::function<StatusOr<Transformed>(const Layout &)> &transform) {
  const Repeats &repeats = layout.repeats();
  if (repeats.isPlain())
    return transform(layout);
  if (!repeats.isLocal())
    return Status::unsupported(std::string(name) +
                               ": the layout's repeats are dealt to warps");
  StatusOr<Transformed> made = transform(layout.withRepeats(repeats.ofPart()));
  if (made)
    made->layout = made->layout.withRepeats(
        made->layout.repeats().copiedTo(repeats.parts()));
  return made;
}

int pureItemBit(const Layout &layout, unsigned dim, unsigned log2) {
  Bits wanted = Bits(1) << (layout.firstCellBit(dim) + log2);
  int found = -1;
  for (unsigned bit = 0; bit < layout.map().inBits(); ++bit) {
    Bits column = layout.map().column(bit);
    if (column == wanted && bit < layout.bits(layout.itemDim()) && found < 0)
      found = bit;
    else if (column & wanted)
      return -1;
  }
  return found;
}

Layout permute(const Layout &layout, const Dims &order) {
  assert(isPermutation(order, layout.rank()));
  auto permuted = [&](const Dims &dims) {
    Dims result = dims;
    for (unsigned dim = 0; dim < order.rank(); ++dim)
      result[dim] = dims[order[dim]];
    return result;
  };
  Dims newIndex(order.rank(), 0);
  for (unsigned dim = 0; dim < order.rank(); ++dim)
    newIndex[order[dim]] = dim;
  return mapCoordinates(layout, permuted(layout.cellBits()),
                        layout.repeats().renamed(newIndex, order.rank()),
                        permuted)
      .build();
}

/// The repeats after dimension `dim`, without repeats, came or went.
static Repeats shiftedRepeats(const Layout &layout, unsigned dim, bool comes) {
  Dims newDims;
  for (unsigned each = 0; each < layout.rank(); ++each)
    newDims.append(each < dim ? each : comes ? each + 1 : int64_t(each) - 1);
  return layout.repeats().renamed(newDims, layout.rank() + (comes ? 1 : -1));
}

StatusOr<Layout> expandDims(const Layout &layout, unsigned dim) {
  if (dim > layout.rank() || layout.rank() == maxRank)
    return Status::invalidInput(
        format("expand dims: expected a dimension of at most {}, found {}",
               {std::min(layout.rank(), maxRank - 1), dim}));
  Dims cellBits = layout.cellBits();
  cellBits.insert(dim, 0);
  return mapCoordinates(layout, cellBits, shiftedRepeats(layout, dim, true),
                        [&](Dims at) {
                          at.insert(dim, 0);
                          return at;
                        })
      .build();
}

static Status noDimension(const char *what, const Layout &layout,
                          unsigned dim) {
  return Status::invalidInput(
      format("{}: expected a dimension below {}, found {}",
             {what, layout.rank(), dim}));
}

/// The layout of collapse(layout, dim).
static StatusOr<Layout> collapsedLayout(const Layout &layout, unsigned dim) {
  if (dim >= layout.rank())
    return noDimension("collapse", layout, dim);
  if (layout.kind() != Kind::registers)
    return Status::unsupported("collapse: memory has no copies to leave out");
  Dims cellBits = layout.cellBits();
  Repeats repeats = layout.repeats().collapsed(dim);
  cellBits[dim] = 0;
  Layout withCopies = mapCoordinates(layout, cellBits, repeats, [&](Dims at) {
                        at[dim] = 0;
                        return at;
                      }).build();
  Bits copies = withCopies.map(HardwareDim::reg).dependentBits();
  LayoutBuilder builder(Kind::registers, cellBits, repeats);
  for (unsigned bit = 0; bit < withCopies.map().inBits(); ++bit) {
    HardwareDim hardwareDim = HardwareDim::reg;
    while (bit >=
           withCopies.firstBit(hardwareDim) + withCopies.bits(hardwareDim))
      hardwareDim = HardwareDim(size_t(hardwareDim) + 1);
    if (hardwareDim != HardwareDim::reg || !(copies >> bit & 1))
      builder.addColumn(hardwareDim, withCopies.map().column(bit));
  }
  return builder.build();
}

StatusOr<Transformed> collapse(const Layout &layout, unsigned dim) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Layout result, collapsedLayout(layout, dim));
  Transformed transformed{result, {}, {}};
  std::vector<int32_t> holder = collapsedRegister(layout, dim);
  transformed.source.assign(result.items(), -1);
  for (size_t reg = holder.size(); reg-- > 0;)
    transformed.source[holder[reg]] = int32_t(reg);
  return transformed;
}

std::vector<int32_t> collapsedRegister(const Layout &layout, unsigned dim) {
  // Registers of the result count the independent bits of the cell's register,
  // and the rounds of the repeats that are left.
  const Repeats &repeats = layout.repeats();
  LinearMap registers = layout.map(HardwareDim::reg);
  Bits ofDim = lowBits(layout.cellBits()[dim]) << layout.firstCellBit(dim);
  for (unsigned bit = 0; bit < registers.inBits(); ++bit)
    registers.setColumn(bit, registers.column(bit) & ~ofDim);
  Solver solver(registers);
  Bits kept = lowBits(registers.inBits()) & ~solver.dependentBits();
  std::vector<int32_t> holder(layout.size(HardwareDim::reg));
  for (size_t reg = 0; reg < holder.size(); ++reg) {
    Bits own = reg & lowBits(registers.inBits());
    Bits independent = *solver.solve(registers.apply(own));
    Bits index = gatherBits(independent, kept);
    int64_t round = int64_t(reg) >> registers.inBits();
    int64_t after = repeats.collapsedIndex(dim, round * repeats.parts());
    holder[reg] =
        int32_t(index | Bits(after / repeats.parts()) << std::popcount(kept));
  }
  return holder;
}

/// Removes a dimension of extent 1.
static Layout dropDim(const Layout &layout, unsigned dim) {
  Dims cellBits = layout.cellBits();
  cellBits.erase(dim);
  return mapCoordinates(layout, cellBits, shiftedRepeats(layout, dim, false),
                        [&](Dims at) {
                          at.erase(dim);
                          return at;
                        })
      .build();
}

StatusOr<Transformed> slice(const Layout &layout, unsigned dim) {
  StatusOr<Transformed> collapsed = collapse(layout, dim);
  if (!collapsed)
    return collapsed.status().prefixed("slice");
  collapsed->layout = dropDim(collapsed->layout, dim);
  return collapsed;
}

StatusOr<Layout> slicedLayout(const Layout &layout, unsigned dim) {
  StatusOr<Layout> collapsed = collapsedLayout(layout, dim);
  if (!collapsed)
    return collapsed.status().prefixed("slice");
  return dropDim(*collapsed, dim);
}

/// Of a layout whose repeats registers alone count, or to an extent that gets
/// no repeats.
static StatusOr<Transformed> broadcasted(const Layout &layout, unsigned dim,
                                         int64_t extent) {
  Dims cellBits = layout.cellBits(), counts = layout.repeats().counts();
  unsigned bits = std::countr_zero(uint64_t(extent));
  cellBits[dim] = bits;
  counts[dim] = extent >> bits;
  LayoutBuilder builder =
      mapCoordinates(layout, cellBits, layout.repeats().withCounts(counts),
                     [](const Dims &at) { return at; });
  builder.addRange(layout.itemDim(), dim, 0, bits);
  Transformed result{builder.build(), {}, {}};
  // The new bits are the highest of the cell's register, and new repeats find
  // their rounds by those of the others.
  int64_t items = int64_t(1) << layout.bits(HardwareDim::reg);
  const Repeats &made = result.layout.repeats();
  for (int64_t reg = 0; reg < result.layout.items(); ++reg) {
    int64_t round = reg >> result.layout.bits(HardwareDim::reg);
    if (counts[dim] > 1) {
      Dims repeat = made.at(round);
      repeat[dim] = 0;
      round = layout.repeats().index(repeat);
    }
    result.source.push_back(
        int32_t(layout.itemOfRound(round) | (reg & (items - 1))));
  }
  return result;
}

StatusOr<Transformed> broadcast(const Layout &layout, unsigned dim,
                                int64_t extent) {
  if (dim >= layout.rank())
    return noDimension("broadcast", layout, dim);
  if (layout.shape()[dim] != 1 || extent < 1)
    return Status::invalidInput(
        format("broadcast: expected a layout of extent 1 in dimension {} and a "
               "positive extent, found {} and {}",
               {dim, layout.shape().text(), extent}));
  if (layout.kind() == Kind::memory)
    return Status::unsupported("broadcast: memory does not hold copies");
  if (isPowerOfTwo(extent))
    return broadcasted(layout, dim, extent);
  return ofEachPart("broadcast", layout, [&](const Layout &part) {
    return broadcasted(part, dim, extent);
  });
}

} // namespace tilewright::layout
