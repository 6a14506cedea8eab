//===- JoinExtract.cpp - Layouts of joins, splits, concats, slices --------===//
#include "codegen/layout/TransformSupport.h"
#include "codegen/layout/Transforms.h"
#include "support/Format.h"

namespace tilewright::layout {

StatusOr<Transformed> join(const Layout &layout, int64_t count) {
  unsigned last = layout.rank();
  StatusOr<Layout> expanded = expandDims(layout, last);
  if (!expanded)
    return expanded.status().prefixed("join");
  StatusOr<Transformed> joined = broadcast(*expanded, last, count);
  if (!joined)
    return joined.status().prefixed("join");
  for (int64_t reg = 0; reg < joined->layout.items(); ++reg)
    joined->operand.push_back(itemCoordinates(joined->layout, reg)[last]);
  return joined;
}

StatusOr<Transformed> split(const Layout &layout, int64_t index) {
  if (layout.rank() == 0)
    return Status::invalidInput("split: expected a tile of rank 1 at least");
  unsigned last = layout.rank() - 1;
  Dims offsets(layout.rank(), 0), sizes = layout.shape();
  Dims steps(layout.rank(), 1);
  if (index < 0 || index >= sizes[last])
    return Status::invalidInput(format(
        "split: expected an index below {}, found {}", {sizes[last], index}));
  offsets[last] = index;
  sizes[last] = 1;
  StatusOr<Transformed> part = extract(layout, offsets, sizes, steps);
  if (!part)
    return part.status().prefixed("split");
  if (part->layout.cellBits()[last] != 0)
    return Status::unsupported(
        "split: the last dimension is not held by registers alone");
  Dims kept = part->layout.shape();
  kept.erase(last);
  StatusOr<Transformed> dropped =
      reshape(part->layout, part->layout.shape(), kept);
  if (!dropped)
    return dropped.status().prefixed("split");
  for (int32_t &source : dropped->source)
    source = source < 0 ? -1 : part->source[source];
  return dropped;
}

StatusOr<Transformed> concat(std::span<const Layout> parts, unsigned dim) {
  if (parts.empty() || dim >= parts[0].rank())
    return Status::invalidInput(
        format("concat: expected layouts of a rank above {}", {dim}));
  const Layout &first = parts[0];
  Dims repeats = first.repeats().counts();
  if (!first.repeats().isLocal())
    return Status::unsupported(
        "concat: the layout's repeats are dealt to warps");
  int64_t copies = first.repeats().parts();
  for (const Layout &part : parts.subspan(1)) {
    Dims same = part.repeats().counts();
    if (part.rank() == first.rank())
      same[dim] = first.repeats()[dim];
    if (part.kind() != first.kind() || !(part.cellBits() == first.cellBits()) ||
        !(part.allBits() == first.allBits()) || !(part.map() == first.map()) ||
        !(same == first.repeats().counts()) ||
        part.repeats().parts() != copies || !part.repeats().isLocal())
      return Status::invalidInput(format(
          "concat: the layouts differ in more than the repeats of dimension {}",
          {dim}));
    repeats[dim] += part.repeats()[dim];
  }
  if (first.kind() != Kind::registers)
    return Status::unsupported("concat: memory cannot be renumbered");
  TILEWRIGHT_ASSIGN_OR_RETURN(
      Layout whole,
      Layout::create(Kind::registers, first.cellBits(), first.allBits(),
                     first.map(),
                     first.repeats().ofPart().withCounts(repeats)));
  Transformed result{
      whole.withRepeats(whole.repeats().copiedTo(copies)), {}, {}};
  for (int64_t reg = 0; reg < whole.items(); ++reg) {
    Dims repeat = whole.repeats().at(reg >> whole.bits(HardwareDim::reg));
    size_t operand = 0;
    while (repeat[dim] >= parts[operand].repeats()[dim])
      repeat[dim] -= parts[operand++].repeats()[dim];
    int64_t own = reg & int64_t(lowBits(whole.bits(HardwareDim::reg)));
    result.operand.push_back(int32_t(operand));
    result.source.push_back(int32_t(
        own |
        whole.itemOfRound(parts[operand].repeats().ofPart().index(repeat))));
  }
  return result;
}

namespace {
/// The range of one dimension's coordinate bits that extract keeps: [first,
/// end).
struct KeptBits {
  unsigned first, end;
};
} // namespace

/// The bits of dimension `dim` that the result's cell keeps: from the step up
/// to the largest power of two that divides the offset. Bits that the size does
/// not need are dropped where possible; else they are padding.
static KeptBits keptBits(const Layout &layout, unsigned dim, int64_t offset,
                         int64_t size, int64_t step) {
  unsigned first = log2Floor(step);
  unsigned end = std::max<unsigned>(first, layout.cellBits()[dim]);
  int64_t high = offset >> first;
  if (high)
    end = std::min<unsigned>(end, first + std::countr_zero(uint64_t(high)));
  unsigned needed = first + log2Ceil(size);
  while (end > needed && pureItemBit(layout, dim, end - 1) >= 0)
    --end;
  return {first, end};
}

static std::string wrongExtract(const Layout &layout, const Dims &offsets,
                                const Dims &sizes, const Dims &steps) {
  unsigned rank = layout.rank();
  if (offsets.rank() != rank || sizes.rank() != rank || steps.rank() != rank)
    return format("expected offsets, sizes and steps of rank {}", {rank});
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t end = offsets[dim] + (sizes[dim] - 1) * steps[dim];
    if (offsets[dim] < 0 || sizes[dim] < 1 || !isPowerOfTwo(steps[dim]) ||
        end >= layout.shape()[dim])
      return format(
          "expected steps of powers of two and elements within {}, found "
          "offset {}, size {}, step {} in dimension {}",
          {layout.shape().text(), offsets[dim], sizes[dim], steps[dim], dim});
  }
  return {};
}

/// Of a layout whose repeats registers alone count.
static StatusOr<Transformed> extracted(const Layout &layout,
                                       const Dims &offsets, const Dims &sizes,
                                       const Dims &steps) {
  std::string wrong = wrongExtract(layout, offsets, sizes, steps);
  if (!wrong.empty())
    return Status::invalidInput("extract: " + wrong);
  unsigned rank = layout.rank();
  Dims cellBits(rank, 0), repeats(rank, 1);
  std::vector<KeptBits> kept;
  Bits leaving = 0, stays = 0; // Of the packed index; of the cell's index.
  for (unsigned dim = 0; dim < rank; ++dim) {
    kept.push_back(keptBits(layout, dim, offsets[dim], sizes[dim], steps[dim]));
    auto [first, end] = kept.back();
    cellBits[dim] = end - first;
    repeats[dim] = ((sizes[dim] - 1) >> cellBits[dim]) + 1;
    for (unsigned bit = 0; bit < layout.cellBits()[dim]; ++bit) {
      if (bit >= first && bit < end) {
        stays |= Bits(1) << (layout.firstCellBit(dim) + bit);
        continue;
      }
      int holder = pureItemBit(layout, dim, bit);
      if (holder < 0)
        return Status::unsupported(
            format("extract: coordinate bit {} of dimension {} is not held by "
                   "registers alone",
                   {bit, dim}));
      leaving |= Bits(1) << holder;
    }
  }
  LayoutBuilder builder(layout.kind(), cellBits,
                        layout.repeats().withCounts(repeats));
  unsigned index = 0;
  for (HardwareDim hardwareDim : allHardwareDims)
    for (Bits column : layout.columns(hardwareDim))
      if (!(leaving >> index++ & 1))
        builder.addColumn(hardwareDim, gatherBits(column, stays));
  StatusOr<Layout> part = builder.tryBuild();
  if (!part)
    return part.status().prefixed("extract");
  return withSources(*part, layout, [&](Dims at) {
    for (unsigned dim = 0; dim < rank; ++dim)
      at[dim] = offsets[dim] + at[dim] * steps[dim];
    return at;
  });
}

/// A part of each cell, where dimensions with repeats keep all elements: in
/// each round of dealt repeats alike.
static StatusOr<Transformed> extractedInCell(const Layout &layout,
                                             const Dims &offsets,
                                             const Dims &sizes,
                                             const Dims &steps) {
  const Repeats &repeats = layout.repeats();
  Dims ofCell = sizes;
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    if (repeats[dim] == 1)
      continue;
    if (offsets[dim] || steps[dim] != 1)
      return Status::unsupported(
          "extract: the layout's repeats are dealt to warps");
    ofCell[dim] = layout.cell(dim);
  }
  StatusOr<Transformed> part = extracted(
      layout.withRepeats(Dims(layout.rank(), 1)), offsets, ofCell, steps);
  if (!part)
    return part;
  if (part->layout.repeats().total() != 1)
    return Status::unsupported(
        "extract: the layout's repeats are dealt to warps, beside repeats of "
        "the part");
  part->layout = part->layout.withRepeats(repeats);
  const std::vector<int32_t> inCell = std::move(part->source);
  part->source.clear();
  for (int64_t round = 0; round < repeats.rounds(); ++round)
    for (int32_t source : inCell)
      part->source.push_back(
          source < 0 ? -1 : int32_t(layout.itemOfRound(round) | source));
  return part;
}

StatusOr<Transformed> extract(const Layout &layout, const Dims &offsets,
                              const Dims &sizes, const Dims &steps) {
  if (!layout.repeats().isLocal()) {
    std::string wrong = wrongExtract(layout, offsets, sizes, steps);
    return wrong.empty() ? extractedInCell(layout, offsets, sizes, steps)
                         : Status::invalidInput("extract: " + wrong);
  }
  return ofEachPart("extract", layout, [&](const Layout &part) {
    return extracted(part, offsets, sizes, steps);
  });
}

} // namespace tilewright::layout
