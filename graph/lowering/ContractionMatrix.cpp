//===- ContractionMatrix.cpp - Contractions as products of matrices -------===//
#include "graph/lowering/ContractionMatrix.h"

#include "graph/analysis/Access.h"
#include "graph/lowering/MatrixOperands.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace tilewright::graph {

namespace {
/// Whether a parallel loop of a contraction indexes its left side, its right
/// side or both.
struct ContractionLoops {
  SmallVector<unsigned> lhsOnly, rhsOnly, both; // result dims of the group
};
} // namespace

static ContractionLoops classify(const Group &group) {
  auto root = cast<linalg::GenericOp>(group.root);
  AffineMap lhs = root.getIndexingMapsArray()[0];
  AffineMap rhs = root.getIndexingMapsArray()[1];
  AffineMap out = root.getIndexingMapsArray()[2];
  ContractionLoops loops;
  auto alignment = group.alignment.find(root);
  for (auto [dim, subscript] : llvm::enumerate(out.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(subscript);
    int target = alignment == group.alignment.end() ? static_cast<int>(dim)
                                                    : alignment->second[dim];
    if (!loop || target < 0)
      continue;
    bool inLhs = lhs.isFunctionOfDim(loop.getPosition());
    bool inRhs = rhs.isFunctionOfDim(loop.getPosition());
    (inLhs && inRhs ? loops.both
     : inLhs        ? loops.lhsOnly
                    : loops.rhsOnly)
        .push_back(target);
  }
  for (auto *list : {&loops.lhsOnly, &loops.rhsOnly, &loops.both})
    llvm::sort(*list);
  return loops;
}

ContractionMatrix matrixOf(const Group &group, const TileLimits &limits) {
  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(group.result().getType()).getShape();
  ContractionLoops loops = classify(group);
  bool rhsIsInner =
      loops.lhsOnly.empty() ||
      (!loops.rhsOnly.empty() && loops.rhsOnly.back() > loops.lhsOnly.back());
  AffineMap right = cast<linalg::GenericOp>(group.root)
                        .getIndexingMapsArray()[rhsIsInner ? 1 : 0];
  ContractionMatrix matrix;
  matrix.columns = rhsIsInner ? loops.rhsOnly : loops.lhsOnly;
  matrix.rows = rhsIsInner ? loops.lhsOnly : loops.rhsOnly;
  matrix.batch = loops.both;
  bool hasWindows = !right.isProjectedPermutation(/*allowZeroInResults=*/true);
  bool hasShortRows = matrix.columns.size() > 1 &&
                      !ShapedType::isDynamic(sizes[matrix.columns.back()]) &&
                      sizes[matrix.columns.back()] < limits.contractionColumns;
  matrix.isPacked = hasWindows || hasShortRows;
  return matrix;
}

std::optional<MatrixTile> matrixTileOf(const Group &group,
                                       const TileLimits &limits) {
  constexpr int64_t few = 16, manyRows = 64;
  auto op = cast<linalg::GenericOp>(group.root);
  const ContractionMatrix matrix = matrixOf(group, limits);
  const SmallVector<unsigned> depths = plainReductionLoops(op);
  const std::optional<MatrixOperands> operands =
      matrixOperandsOf(op, limits.precision);
  if (limits.matrixUnits.empty() || !operands || matrix.isPacked ||
      matrix.rows.empty() || matrix.columns.empty() || depths.empty())
    return std::nullopt;
  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(group.result().getType()).getShape();
  auto sizeOf = [&](int64_t size) {
    return ShapedType::isDynamic(size) ? limits.dynamicTile : size;
  };
  const unsigned rows = matrix.rows.back(), columns = matrix.columns.back();
  MatrixSizes product;
  product.operands = *operands;
  product.rows = sizeOf(sizes[rows]);
  product.columns = sizeOf(sizes[columns]);
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (dim != rows && dim != columns)
      product.count *= sizeOf(size);
  product.depth = sizeOf(op.getStaticLoopRanges()[depths.back()]);
  if (product.rows < few || product.columns < few ||
      (product.rows < manyRows && matrix.rows.size() > 1))
    return std::nullopt;
  return chooseMatrixTile(product, limits.matrixUnits);
}

/// How many pixels the last two dimensions of an image have.
static int64_t pixelsOf(const ContractionMatrix &matrix,
                        ArrayRef<int64_t> sizes) {
  int64_t pixels = 1;
  for (unsigned dim : ArrayRef(matrix.columns).take_back(2))
    pixels *= sizes[dim];
  return pixels;
}

std::optional<MatrixTile> windowTileOf(const Group &group,
                                       const TileLimits &limits) {
  constexpr int64_t few = 16, deepest = 64;
  auto op = cast<linalg::GenericOp>(group.root);
  const ContractionMatrix matrix = matrixOf(group, limits);
  const SmallVector<unsigned> depths = plainReductionLoops(op);
  const std::optional<MatrixOperands> operands =
      matrixOperandsOf(op, limits.precision);
  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(group.result().getType()).getShape();
  const SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (limits.matrixUnits.empty() || !operands || !matrix.isPacked ||
      matrix.rows.empty() || matrix.columns.empty() || depths.empty() ||
      llvm::any_of(sizes, ShapedType::isDynamic) ||
      llvm::any_of(ranges, ShapedType::isDynamic))
    return std::nullopt;
  MatrixSizes whole;
  whole.operands = *operands;
  whole.rows = sizes[matrix.rows.back()];
  whole.columns = pixelsOf(matrix, sizes);
  if (whole.rows < few || whole.columns < few)
    return std::nullopt;
  whole.count = llvm::product_of(sizes) / (whole.rows * whole.columns);
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      whole.depth *= ranges[loop];
  MatrixTile tile = chooseMatrixTile(whole, limits.matrixUnits);
  for (tile.depth = deepest; tile.depth >= few; tile.depth /= 2)
    if (ranges[depths.back()] % tile.depth == 0)
      return tile;
  return std::nullopt;
}

void setWindows(const MatrixTile &found, const ContractionMatrix &matrix,
                ArrayRef<int64_t> sizes, MutableArrayRef<int64_t> tile) {
  tile[matrix.rows.back()] = found.rows;
  int64_t left = found.columns;
  for (unsigned dim : llvm::reverse(ArrayRef(matrix.columns).take_back(2))) {
    tile[dim] = std::min(int64_t(llvm::bit_ceil(uint64_t(sizes[dim]))), left);
    left = std::max<int64_t>(1, left / tile[dim]);
  }
}

} // namespace tilewright::graph
