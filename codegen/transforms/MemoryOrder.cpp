//===- MemoryOrder.cpp - How a tile of a view lies in memory --------------===//
#include "codegen/transforms/MemoryOrder.h"

#include "codegen/layout/Access.h"
#include "tileir/analysis/Divisibility.h"
#include <set>

using namespace mlir;

namespace tilewright::gpu {

/// The dimensions, those of known smaller stride first; others keep the
/// row-major order.
static layout::Dims dimensionOrder(tile::ViewType view) {
  // Stride, then position.
  SmallVector<std::pair<int64_t, int64_t>> dims;
  for (int64_t dim : layout::rowMajorOrder(view.getRank())) {
    int64_t known = view.getKnownStride(dim);
    dims.push_back({ShapedType::isDynamic(known)
                        ? std::numeric_limits<int64_t>::max()
                        : std::abs(known),
                    -dim});
  }
  llvm::sort(dims);
  layout::Dims order;
  for (auto [stride, position] : dims)
    order.append(-position);
  return order;
}

MemoryOrder memoryOrder(TypedValue<tile::ViewType> view, RankedTensorType tile,
                        ValueRange offsets, bool byElement,
                        ArrayRef<int64_t> steps) {
  MemoryOrder result;
  result.order = dimensionOrder(view.getType());
  if (tile.getRank() == 0)
    return result;
  unsigned fast = result.order[0];
  auto step = [&](unsigned dim) { return steps.empty() ? 1 : steps[dim]; };
  result.limit = "neighbours of the tile are not known to be neighbours in "
                 "memory";
  if (view.getType().getKnownStride(fast) != 1 || step(fast) != 1)
    return result;
  int64_t bytes =
      std::max<int64_t>(tile::getStorageBits(tile.getElementType()) / 8, 1);
  int64_t divisor = std::max<int64_t>(tile::alignmentOf(view) / bytes, 1);
  result.limit = "the view's alignment";
  auto limitBy = [&](int64_t known, const char *what) {
    if (known < divisor)
      result.limit = what;
    divisor = std::min(divisor, known);
  };
  for (unsigned dim = 0; dim < tile.getRank(); ++dim) {
    int64_t first = tile::divisorOf(offsets[dim]);
    if (!byElement)
      first *= tile.getDimSize(dim) & -tile.getDimSize(dim);
    if (dim != fast) {
      limitBy(tile::divisorOfStride(view, dim), "what divides rows' strides");
      continue;
    }
    limitBy(first, "what divides the offset along rows");
    limitBy(tile::divisorOfDim(view, dim), "what divides the view's rows");
    limitBy(tile.getDimSize(dim) & -tile.getDimSize(dim),
            "what divides the tile's rows");
  }
  result.contiguous = divisor;
  return result;
}

double sectorsPerRegister(const layout::Layout &layout,
                          const MemoryOrder &memory, int64_t bytes) {
  constexpr int64_t sectorBytes = 32;
  layout::VectorAccess access =
      layout::vectorAccess(layout, memory.order, unsigned(bytes * 8),
                           unsigned(bytes * memory.contiguous));
  std::set<SmallVector<int64_t>> sectors;
  for (int64_t lane = 0; lane < layout.size(layout::Axis::lane); ++lane)
    for (unsigned i = 0; i < access.elements; ++i) {
      layout::Dims at =
          layout.apply(layout::inRegister(access.registers[i], lane));
      if (at.rank())
        at[memory.order[0]] = at[memory.order[0]] * bytes / sectorBytes;
      sectors.insert(SmallVector<int64_t>(at.begin(), at.end()));
    }
  return double(sectors.size()) / access.elements;
}

} // namespace tilewright::gpu
