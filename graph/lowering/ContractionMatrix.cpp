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
  matrix.hasWindows =
      !right.isProjectedPermutation(/*allowZeroInResults=*/true);
  bool hasShortRows = matrix.columns.size() > 1 &&
                      !ShapedType::isDynamic(sizes[matrix.columns.back()]) &&
                      sizes[matrix.columns.back()] < limits.contractionColumns;
  matrix.isPacked = matrix.hasWindows || hasShortRows;
  return matrix;
}

namespace {
/// A contraction that matrix units may compute.
struct UnitProduct {
  linalg::GenericOp op;
  ContractionMatrix matrix;
  /// The loop of its depth.
  unsigned depth;
  /// With the operands alone.
  MatrixSizes sizes;
};
} // namespace

static std::optional<UnitProduct> unitProductOf(const Group &group,
                                                const TileLimits &limits) {
  auto op = cast<linalg::GenericOp>(group.root);
  UnitProduct product = {op, matrixOf(group, limits), 0, {}};
  const SmallVector<unsigned> depths = plainReductionLoops(op);
  const std::optional<MatrixOperands> operands =
      matrixOperandsOf(op, limits.precision);
  if (limits.matrixUnits.empty() || !operands || product.matrix.rows.empty() ||
      product.matrix.columns.empty() || depths.empty())
    return std::nullopt;
  product.depth = depths.back();
  product.sizes.operands = *operands;
  return product;
}

std::optional<MatrixTile> matrixTileOf(const Group &group,
                                       const TileLimits &limits) {
  constexpr int64_t few = 16, manyRows = 64;
  const std::optional<UnitProduct> found = unitProductOf(group, limits);
  if (!found || found->matrix.isPacked)
    return std::nullopt;
  auto [op, matrix, depth, product] = *found;
  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(group.result().getType()).getShape();
  auto sizeOf = [&](int64_t size) {
    return ShapedType::isDynamic(size) ? limits.dynamicTile : size;
  };
  const unsigned rows = matrix.rows.back(), columns = matrix.columns.back();
  product.rows = sizeOf(sizes[rows]);
  product.columns = sizeOf(sizes[columns]);
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (dim != rows && dim != columns)
      product.count *= sizeOf(size);
  product.depth = sizeOf(op.getStaticLoopRanges()[depth]);
  if (product.rows < few || product.columns < few ||
      (product.rows < manyRows && matrix.rows.size() > 1))
    return std::nullopt;
  return chooseMatrixTile(product, limits.matrixUnits);
}

/// The dimensions whose pixels are the columns of a tile: the last one, and the
/// one before if its size is known.
static ArrayRef<unsigned> pixelDims(const ContractionMatrix &matrix,
                                    ArrayRef<int64_t> sizes) {
  ArrayRef<unsigned> dims = ArrayRef(matrix.columns).take_back(2);
  return ShapedType::isDynamic(sizes[dims.front()]) ? dims.take_back() : dims;
}

std::optional<MatrixTile> windowTileOf(const Group &group,
                                       const TileLimits &limits) {
  constexpr int64_t few = 16, deepest = 64;
  std::optional<UnitProduct> found = unitProductOf(group, limits);
  if (!found || !found->matrix.isPacked)
    return std::nullopt;
  auto &[op, matrix, depth, whole] = *found;
  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(group.result().getType()).getShape();
  const SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  bool isStatic = true;
  auto multiply = [&](int64_t &by, int64_t size) {
    isStatic &= !ShapedType::isDynamic(size);
    by *= size;
  };
  multiply(whole.rows, sizes[matrix.rows.back()]);
  for (unsigned dim : pixelDims(matrix, sizes))
    multiply(whole.columns, sizes[dim]);
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      multiply(whole.depth, ranges[loop]);
  if (!isStatic || whole.rows < few || whole.columns < few)
    return std::nullopt;
  // A number of images that is not known may be 1.
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!ShapedType::isDynamic(size) && dim != matrix.rows.back() &&
        !llvm::is_contained(pixelDims(matrix, sizes), dim))
      whole.count *= size;
  MatrixTile tile = chooseMatrixTile(whole, limits.matrixUnits);
  for (tile.depth = deepest; tile.depth >= few; tile.depth /= 2)
    if (ranges[depth] % tile.depth == 0)
      return tile;
  return std::nullopt;
}

void setWindows(const Group &group, const TileLimits &limits,
                const MatrixTile &found, MutableArrayRef<int64_t> tile) {
  // Of a matrix instruction; and what a thread copies at a time.
  constexpr int64_t columnsOfUnit = 8, bytesOfCopy = 16;
  const ContractionMatrix matrix = matrixOf(group, limits);
  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(group.result().getType()).getShape();
  const std::optional<MatrixOperands> operands =
      matrixOperandsOf(cast<linalg::GenericOp>(group.root), limits.precision);
  const int64_t even = std::max(
      columnsOfUnit, bytesOfCopy / (operands ? operands->bytesOfElement : 1));
  tile[matrix.rows.back()] = found.rows;
  int64_t left = found.columns;
  for (unsigned dim : llvm::reverse(pixelDims(matrix, sizes))) {
    const int64_t size = sizes[dim];
    // Rows that begin anywhere are read element by element, by lanes beside
    // each other: powers of two.
    const bool isEven = matrix.hasWindows || size % even != 0;
    tile[dim] =
        std::min(isEven ? int64_t(llvm::bit_ceil(uint64_t(size))) : size, left);
    left = std::max<int64_t>(1, left / tile[dim]);
  }
}

} // namespace tilewright::graph
