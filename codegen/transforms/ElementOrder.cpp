//===- ElementOrder.cpp - How a tile of a view lies in memory
//--------------===//
#include "codegen/transforms/ElementOrder.h"

#include "codegen/transforms/Contiguity.h"
#include "tileir/analysis/Divisibility.h"

using namespace mlir;

namespace tilewright::tilegpu {

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

/// The text of an assumption that `dims` of the view are multiples of
/// `elements`.
static std::string assumptionOf(TypedValue<tile::ViewType> view, unsigned dim,
                                int64_t elements, bool ofStrides) {
  int64_t rank = view.getType().getRank();
  std::string list;
  for (int64_t d = 0; d < rank; ++d)
    list += (d ? ", " : "") + std::to_string(d == dim ? elements : 1);
  if (ofStrides)
    return "if it always holds, assume tile.stride_divisible = array<i64: " +
           list + ">";
  return "if it always holds, assume tile.dim_divisible = array<i64: " + list +
         ">, in C++ assumeDivisible({" + list + "})";
}

ElementOrder elementOrder(tile::ViewAccessOpInterface op) {
  TypedValue<tile::ViewType> view = op.getView();
  RankedTensorType tile = op.getTile().getType();
  ValueRange offsets = op.getOffsets();
  bool byElement = op.getByElement();
  ArrayRef<int64_t> steps = op.getSteps();
  ElementOrder result;
  result.order = dimensionOrder(view.getType());
  if (tile.getRank() == 0)
    return result;
  unsigned fast = result.order[0];
  auto step = [&](unsigned dim) { return steps.empty() ? 1 : steps[dim]; };
  result.limit = "neighbours of the tile are not known to be neighbours in "
                 "memory";
  result.remedy = "a view with an innermost stride of 1 and a tile without "
                  "steps along it";
  if (view.getType().getKnownStride(fast) != 1 || step(fast) != 1)
    return result;
  int64_t bytes =
      std::max<int64_t>(tile::getStorageBits(tile.getElementType()) / 8, 1);
  int64_t divisor = std::max<int64_t>(tile::alignmentOf(view) / bytes, 1);
  int64_t wanted = std::max<int64_t>(kWidestAccess / bytes, 1);
  result.limit = "the view's alignment";
  result.remedy = "if it always holds, assume tile.align = " +
                  std::to_string(kWidestAccess) + ", in C++ assumeAligned(" +
                  std::to_string(kWidestAccess) + ")";
  auto limitBy = [&](int64_t known, const char *what, std::string remedy) {
    if (known < divisor) {
      result.limit = what;
      result.remedy = std::move(remedy);
    }
    divisor = std::min(divisor, known);
  };
  std::string multiple = "a multiple of " + std::to_string(wanted);
  for (unsigned dim = 0; dim < tile.getRank(); ++dim) {
    int64_t first = tile::divisorOf(offsets[dim]);
    if (!byElement)
      first *= tile.getDimSize(dim) & -tile.getDimSize(dim);
    if (dim != fast) {
      bool explicitStrides = view.getType().hasExplicitStrides();
      limitBy(tile::divisorOfStride(view, dim), "what divides rows' strides",
              assumptionOf(view, explicitStrides ? dim : fast, wanted,
                           explicitStrides));
      continue;
    }
    limitBy(first, "what divides the offset along rows",
            "an offset that is " + multiple + ", or a tile.assume of one");
    limitBy(tile.getDimSize(dim) & -tile.getDimSize(dim),
            "what divides the tile's rows", "rows of a tile of " + multiple);
  }
  result.contiguous = divisor;
  result.contiguousAtEdge = std::min(divisor, tile::divisorOfDim(view, fast));
  return result;
}

ElementOrder elementOrder(tile::PointerAccessOpInterface op) {
  const unsigned rank =
      unsigned(cast<RankedTensorType>(op.getPtr().getType()).getRank());
  ElementOrder result;
  result.limit = "neighbours of the tile are not known to be neighbours in "
                 "memory";
  layout::Dims rowMajor = layout::rowMajorOrder(rank);
  std::optional<unsigned> fastest;
  for (int64_t dim : rowMajor) {
    const int64_t together = accessedTogether(op, unsigned(dim));
    if (!fastest || together > result.contiguous) {
      fastest = unsigned(dim);
      result.contiguous = result.contiguousAtEdge = together;
    }
  }
  if (fastest)
    result.order.append(*fastest);
  for (int64_t dim : rowMajor)
    if (dim != fastest)
      result.order.append(dim);
  return result;
}

} // namespace tilewright::tilegpu
