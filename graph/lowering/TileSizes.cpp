//===- TileSizes.cpp - The tile of one program of a group -----------------===//
#include "graph/lowering/TileSizes.h"

#include "graph/analysis/Access.h"
#include "graph/analysis/Grouping.h"
#include "graph/lowering/AttentionTile.h"
#include "graph/lowering/ContractionMatrix.h"
#include "graph/lowering/MatrixOperands.h"
#include "graph/lowering/ReductionTile.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::graph {

TileLimits TileLimits::cpu(unsigned threads) {
  TileLimits limits;
  limits.programs = limits.programsAtOnce = int64_t(threads);
  limits.leastElements = 2048;
  limits.leastProducts = 1 << 19;
  limits.leastMatrixBytes = 1 << 17;
  return limits;
}

TileLimits TileLimits::gpu(ArrayRef<MatrixUnit> units) {
  TileLimits limits;
  limits.contractionColumns = limits.packedColumns = limits.widestColumns =
      limits.rereadColumns = 128;
  limits.contractionRows = 128;
  limits.contractionDepth = limits.streamedDepth = limits.thinDepth = 32;
  limits.isShared = true;
  // Two for each of the about 128 multiprocessors of a large GPU.
  limits.programs = 256;
  limits.leastElements = 256;
  limits.matrixUnits.assign(units.begin(), units.end());
  return limits;
}

/// The part of a dimension that threads share: a power of two up to `limit`, or
/// the multiple of what they share evenly that reads less of the dimension's
/// end by an eighth.
static int64_t sharedPart(int64_t size, int64_t limit, bool inVectors) {
  int64_t best = limit, bestCover = llvm::alignTo(size, limit);
  const int64_t unit = inVectors ? 32 : 8;
  for (int64_t tile = (limit - 1) / unit * unit; tile >= limit / 2 && tile > 0;
       tile -= unit) {
    int64_t cover = llvm::alignTo(size, tile);
    if (cover * 8 > bestCover * 7)
      continue;
    best = tile;
    bestCover = cover;
  }
  return best;
}

/// A tile of at most `limit` along a dimension of `size`: all of it where it
/// fits, else the tile that wastes the least at the end. `inVectors`: whether
/// the dimension is vectorized.
static int64_t fitTile(int64_t size, int64_t limit, const TileLimits &limits,
                       int64_t dynamicTile, bool inVectors) {
  const bool isKnown = !ShapedType::isDynamic(size);
  if (isKnown && size <= limit)
    return std::max<int64_t>(1, size);
  if (limits.isShared)
    limit = int64_t(llvm::bit_floor(uint64_t(limit)));
  if (!isKnown)
    return std::min(limit, dynamicTile);
  if (limits.isShared)
    return sharedPart(size, limit, inVectors);
  int64_t best = limit, bestCover = llvm::alignTo(size, limit);
  for (int64_t tile = limit - 1; tile >= std::max<int64_t>(1, limit / 2);
       --tile) {
    int64_t cover = llvm::alignTo(size, tile);
    // Whole vectors, or blocks of rows, are worth a little waste.
    if (cover < bestCover &&
        (tile % (inVectors ? 16 : 8) == 0 || cover == size)) {
      best = tile;
      bestCover = cover;
    }
  }
  return best;
}

/// Assigns sizes from the innermost dimension outwards until `budget` elements
/// are reached; continues with the next dimension only when one is covered
/// whole.
static void fillInnermost(MutableArrayRef<int64_t> tile,
                          ArrayRef<int64_t> sizes, ArrayRef<unsigned> dims,
                          int64_t budget, const TileLimits &limits,
                          int64_t dynamicTile, bool inVectors = true) {
  for (unsigned dim : llvm::reverse(dims)) {
    tile[dim] = fitTile(sizes[dim], std::max<int64_t>(1, budget), limits,
                        dynamicTile, inVectors);
    budget /= tile[dim];
    if (tile[dim] < sizes[dim] || ShapedType::isDynamic(sizes[dim]) ||
        budget <= 1)
      return;
  }
}

static int64_t product(ArrayRef<int64_t> sizes) {
  return llvm::product_of(sizes);
}

/// Whether this many programs keep the device busy to the end.
static bool areEnough(int64_t programs, const TileLimits &limits) {
  // The last programs may leave a tenth idle. Many programs are even enough.
  int64_t locations = llvm::alignTo(programs, limits.programsAtOnce);
  bool isEven = (locations - programs) * 10 <= programs ||
                programs >= 4 * limits.programsAtOnce;
  return programs >= limits.programs && isEven;
}

/// Halves the tile, outer dimensions of the larger of two lists of dimensions
/// first, until there are enough programs or a tile has no more than
/// `leastElements`. `openPrograms`: how many are assumed along a dimension of
/// unknown size; none: as many as keep the device busy.
static void splitForPrograms(MutableArrayRef<int64_t> tile,
                             ArrayRef<int64_t> sizes, ArrayRef<unsigned> rows,
                             ArrayRef<unsigned> columns, int64_t leastElements,
                             const TileLimits &limits,
                             std::optional<int64_t> openPrograms = {}) {
  int64_t programs = 1;
  for (auto [extent, size] : llvm::zip(tile, sizes))
    programs *= ShapedType::isDynamic(size)
                    ? openPrograms.value_or(limits.programs)
                    : llvm::divideCeil(size, extent);
  auto held = [&](ArrayRef<unsigned> dims) {
    int64_t elements = 1;
    for (unsigned dim : dims)
      elements *= tile[dim];
    return elements;
  };
  while (!areEnough(programs, limits) && product(tile) > leastElements) {
    ArrayRef<unsigned> larger = held(rows) >= held(columns) ? rows : columns;
    const unsigned *dim =
        llvm::find_if(larger, [&](unsigned dim) { return tile[dim] > 1; });
    if (dim == larger.end())
      return;
    int64_t half = llvm::divideCeil(tile[*dim], 2);
    if (limits.isShared)
      half = llvm::alignTo(
          half, std::min<uint64_t>(llvm::bit_ceil(uint64_t(half)), 16));
    tile[*dim] = half;
    programs *= 2;
  }
}

/// The rows of a tile along a dimension of unknown size.
static int64_t openRows(const TileLimits &limits) {
  return limits.dynamicTile / 2;
}

/// All rows, if they are fewer than the limit. Of a dimension of unknown size,
/// those that a tile has: there may be no more.
static std::optional<int64_t> fewRows(ArrayRef<int64_t> sizes,
                                      ArrayRef<unsigned> rows,
                                      const TileLimits &limits) {
  int64_t count = 1;
  for (unsigned dim : rows) {
    count *= ShapedType::isDynamic(sizes[dim]) ? openRows(limits) : sizes[dim];
    if (count >= limits.contractionRows)
      return std::nullopt;
  }
  return count > 0 ? std::optional(count) : std::nullopt;
}

/// Bits of the wider elements that a contraction multiplies.
static int64_t bitsOfElements(linalg::GenericOp op) {
  int64_t bits = 8;
  for (Value input : op.getDpsInputs())
    bits = std::max<int64_t>(
        bits, getElementTypeOrSelf(input.getType()).getIntOrFloatBitWidth());
  return bits;
}

/// Below how many elements a tile of the contraction `root` is not split.
/// `few`: its rows if fewRows().
static int64_t leastOf(Operation *root, std::optional<int64_t> few,
                       const TileLimits &limits) {
  if (limits.leastProducts == 0)
    return limits.leastElements;
  auto op = cast<linalg::GenericOp>(root);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t depth = 1;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      depth *= ShapedType::isDynamic(ranges[loop]) ? limits.dynamicTile
                                                   : ranges[loop];
  int64_t products = limits.leastProducts;
  if (few)
    products = std::min(products, *few * limits.leastMatrixBytes * 8 /
                                      bitsOfElements(op));
  return products / std::max<int64_t>(1, depth);
}

static void chooseContraction(const Group &group, const TileLimits &limits,
                              ArrayRef<int64_t> sizes,
                              MutableArrayRef<int64_t> tile) {
  constexpr int64_t rowsOfPass = 12;
  ContractionMatrix matrix = matrixOf(group, limits);
  if (group.attention)
    return chooseAttentionTile(*group.attention, sizes, matrix.rows.back(),
                               matrix.columns.back(), limits.matrixUnits, tile);
  if (std::optional<MatrixTile> found = matrixTileOf(group, limits)) {
    tile[matrix.rows.back()] = found->rows;
    tile[matrix.columns.back()] = found->columns;
    return;
  }
  if (std::optional<MatrixTile> found = windowTileOf(group, limits))
    return setWindows(group, limits, *found, tile);
  int64_t columnLimit =
      matrix.isPacked ? limits.packedColumns : limits.contractionColumns;
  const std::optional<int64_t> few =
      matrix.isPacked ? std::nullopt : fewRows(sizes, matrix.rows, limits);
  if (few)
    columnLimit = std::clamp(
        limits.contractionRows * columnLimit / *few, columnLimit,
        *few <= rowsOfPass ? limits.widestColumns : limits.rereadColumns);
  // A slightly longer row is not split: its parts would not be whole vectors.
  if (!matrix.columns.empty())
    if (int64_t columns = sizes[matrix.columns.back()];
        columns > columnLimit && columns <= columnLimit * 3 / 2)
      columnLimit = columns;
  fillInnermost(tile, sizes, matrix.columns, columnLimit, limits,
                limits.dynamicTile);
  fillInnermost(tile, sizes, matrix.rows, limits.contractionRows, limits,
                openRows(limits),
                /*inVectors=*/false);
  if (matrix.rows.empty())
    fillInnermost(tile, sizes, matrix.batch, 8, limits, 8);
  const int64_t least = leastOf(group.root, few, limits);
  splitForPrograms(tile, sizes, matrix.rows, matrix.columns, least, limits);
  // A dimension of unknown size may have one tile only. Long products are
  // shared all the same, along the others.
  constexpr int64_t whereLong = 8;
  auto known = [&](ArrayRef<unsigned> dims) {
    return llvm::to_vector(llvm::make_filter_range(dims, [&](unsigned dim) {
      return !ShapedType::isDynamic(sizes[dim]);
    }));
  };
  if (limits.leastProducts > 0)
    splitForPrograms(tile, sizes, known(matrix.rows), known(matrix.columns),
                     whereLong * least, limits, /*openPrograms=*/1);
}

SmallVector<unsigned> steppedLoops(const Group &group, Operation *reduction) {
  auto op = cast<linalg::GenericOp>(reduction);
  // An accumulation that cannot be split runs element by element.
  if (reduction != group.root || !matchAccumulation(op))
    return {};
  return plainReductionLoops(op);
}

static int64_t pointsOf(ArrayRef<unsigned> loops, ArrayRef<int64_t> ranges) {
  int64_t points = 1;
  for (unsigned loop : loops)
    points *= std::max<int64_t>(1, ranges[loop]); // dynamic: may be 1
  return points;
}

/// The rows of one side of a product of matrices that is bound by reading the
/// other, row by row: it is one row, or few and the other does not stay in the
/// caches.
static std::optional<int64_t> rowsOfStreamed(linalg::GenericOp op,
                                             const TileLimits &limits) {
  constexpr int64_t few = 16;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> own[2] = {ownLoops(op, 0), ownLoops(op, 1)};
  int64_t points[2] = {pointsOf(own[0], ranges), pointsOf(own[1], ranges)};
  unsigned matrix = points[0] > points[1] ? 0 : 1;
  AffineMap map = op.getIndexingMapsArray()[matrix];
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!last || !llvm::is_contained(own[matrix], last.getPosition()))
    return std::nullopt;
  if (own[1 - matrix].empty())
    return 1;
  int64_t elements = points[matrix] * pointsOf(plainReductionLoops(op), ranges);
  if (points[1 - matrix] > few || elements <= limits.cachedElements)
    return std::nullopt;
  return points[1 - matrix];
}

/// The depth of a step of a product of an unknown number of rows with a matrix
/// of bytes; nothing for others. A block of registers walks down a part of the
/// matrix, whose rows are far apart: few of them are on few pages, which is
/// what one row waits for, and many rows do not mind.
static std::optional<int64_t> depthOfBytes(const Group &group,
                                           const TileLimits &limits) {
  constexpr int64_t bytesOfPages = 64 << 10, least = 32;
  auto op = cast<linalg::GenericOp>(group.root);
  if (limits.isShared || bitsOfElements(op) != 8)
    return std::nullopt;
  const ContractionMatrix matrix = matrixOf(group, limits);
  auto isOpen = [&](unsigned dim) {
    return ShapedType::isDynamic(group.sizes()[dim]);
  };
  if (!llvm::any_of(matrix.rows, isOpen) ||
      llvm::any_of(matrix.columns, isOpen))
    return std::nullopt;
  int64_t rowBytes = 1;
  for (unsigned dim : matrix.columns)
    rowBytes *= group.sizes()[dim];
  return std::clamp(bytesOfPages / rowBytes / least * least, least,
                    limits.contractionDepth);
}

/// The depth that one step of a product of matrices reads.
static int64_t depthOf(const Group &group, const TileLimits &limits,
                       ArrayRef<int64_t> tile) {
  auto op = cast<linalg::GenericOp>(group.root);
  // Each step reads and writes the accumulators of all rows.
  constexpr int64_t fewAccumulators = 4;
  // So long that reading the matrix takes longer.
  const int64_t ofDepth =
      limits.isShared ? 1 : std::max<int64_t>(1, 32 / bitsOfElements(op));
  if (std::optional<int64_t> rows = rowsOfStreamed(op, limits))
    return ofDepth *
           (*rows <= fewAccumulators ? limits.streamedDepth : limits.thinDepth);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> plain = plainReductionLoops(op), windows;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction &&
        !llvm::is_contained(plain, loop))
      windows.push_back(loop);
  int64_t points = pointsOf(windows, ranges);
  if (points == 1)
    return depthOfBytes(group, limits).value_or(limits.contractionDepth);
  ContractionMatrix matrix = matrixOf(group, limits);
  int64_t parts = points, columns = 1;
  for (unsigned dim : matrix.rows)
    parts *= tile[dim];
  for (unsigned dim : matrix.columns)
    columns *= tile[dim];
  return std::clamp<int64_t>(
      std::min(limits.windowElements / parts, limits.packedElements / columns),
      1, limits.contractionDepth);
}

/// The most elements of a row that the threads of one warp hold together.
static constexpr int64_t rowOfWarp = 1024;

/// The elements of a row that is read in one step.
static std::optional<int64_t> shortRow(linalg::GenericOp op) {
  std::optional<int64_t> elements = rowElements(op);
  return elements && *elements <= rowOfWarp ? elements : std::nullopt;
}

/// Steps along loops of unknown length that read few elements: of rows there
/// may be one, and a step reads those that do not exist, too. `held`: what a
/// step along no loop reads.
static void limitOpenSteps(MutableArrayRef<int64_t> steps,
                           ArrayRef<int64_t> ranges, int64_t held) {
  constexpr int64_t enough = 512;
  for (auto [step, range] : llvm::zip(steps, ranges))
    if (ShapedType::isDynamic(range)) {
      const int64_t others = held * product(steps) / step;
      step = std::clamp<int64_t>(enough / others, 1, step);
    }
}

static void chooseSteps(const Group &group, linalg::GenericOp op,
                        const TileLimits &limits, TileSizes &sizes) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<int64_t> &steps = sizes.steps[op];
  steps.assign(ranges.size(), 1);
  if (!matchAccumulation(op))
    return;
  bool isProduct = op == group.root && isMatrixProduct(op);
  if (isProduct)
    if (std::optional<MatrixTile> found = matrixTileOf(group, limits)) {
      steps[plainReductionLoops(op).back()] = found->depth;
      return;
    }
  if (isProduct)
    if (std::optional<MatrixTile> found = windowTileOf(group, limits)) {
      steps[plainReductionLoops(op).back()] = found->depth;
      sizes.joinsLoops = true;
      return;
    }
  int64_t budget = isProduct ? depthOf(group, limits, sizes.tile)
                             : std::max<int64_t>(1, limits.reductionElements /
                                                        product(sizes.tile));
  if (limits.isShared && !isProduct && reducesNeighbours(op))
    budget = std::max(budget, shortRow(op).value_or(1));
  fillInnermost(steps, ranges, plainReductionLoops(op), budget, limits,
                limits.dynamicTile);
  if (!isProduct && !limits.isShared && reducesNeighbours(op))
    limitOpenSteps(steps, ranges, product(sizes.tile));
  // Either parts or their points are side by side in a tile.
  if (auto parts = group.partsDim(); parts && sizes.tile[*parts] > 1)
    for (unsigned loop = 0; loop < ranges.size(); ++loop)
      if (isTakenInTurn(op, loop))
        steps[loop] = 1;
}

namespace {
/// A tensor that a group reads: for each of its dimensions of more than one
/// element, the dimension of the group's result that it follows, or -1.
using InputDims = SmallVector<int>;
} // namespace

/// Of the inputs of elementwise ops.
static SmallVector<InputDims> inputsOf(const Group &group) {
  SmallVector<InputDims> inputs;
  for (Operation *op : group.ops) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    auto known = group.alignment.find(op);
    if (!generic || known == group.alignment.end())
      continue;
    AffineMap out = generic.getIndexingMapsArray().back();
    for (OpOperand *input : generic.getDpsInputOperands()) {
      AffineMap map = generic.getMatchingIndexingMap(input);
      auto type = dyn_cast<RankedTensorType>(input->get().getType());
      if (group.ops.contains(input->get().getDefiningOp()) || !type)
        continue;
      InputDims dims;
      for (auto [size, subscript] :
           llvm::zip(type.getShape(), map.getResults()))
        if (size != 1) {
          const AffineExpr *at = llvm::find(out.getResults(), subscript);
          dims.push_back(at == out.getResults().end()
                             ? -1
                             : known->second[at - out.getResults().begin()]);
        }
      inputs.push_back(std::move(dims));
    }
  }
  return inputs;
}

/// Of a group that transposes: the dimensions of the result, but the last,
/// along which neighbours in some input are contiguous. That input follows the
/// last one too: a number for each row is no transposition.
static SmallVector<unsigned> crossedDims(const Group &group) {
  SmallVector<unsigned> found;
  const auto last = int(group.sizes().size()) - 1;
  for (const InputDims &dims : inputsOf(group))
    if (llvm::is_contained(dims, last) && dims.back() >= 0 &&
        dims.back() != last &&
        !llvm::is_contained(found, unsigned(dims.back())))
      found.push_back(unsigned(dims.back()));
  return found;
}

/// The innermost dimension of the result, but the last, that some input repeats
/// along while it follows the last: rows that share a bias.
static std::optional<unsigned> repeatedDim(const Group &group) {
  const auto last = int(group.sizes().size()) - 1;
  std::optional<unsigned> found;
  for (const InputDims &dims : inputsOf(group)) {
    if (!llvm::is_contained(dims, last))
      continue;
    for (int dim = last; dim-- > 0;)
      if (!llvm::is_contained(dims, dim) && group.sizes()[dim] != 1) {
        found = std::max(found.value_or(0), unsigned(dim));
        break;
      }
  }
  return found;
}

/// A tile that is long along the last dimension and along the one that an input
/// has last: both are then read and written in whole sectors.
static void chooseCrossed(MutableArrayRef<int64_t> tile,
                          ArrayRef<int64_t> sizes, unsigned crossed,
                          const TileLimits &limits) {
  constexpr int64_t length = 64;
  SmallVector<unsigned> rest;
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    if (dim + 1 == sizes.size() || dim == crossed)
      tile[dim] = fitTile(sizes[dim], length, limits, length, true);
    else
      rest.push_back(dim);
  int64_t budget = 2 * limits.elementwiseElements / product(tile);
  fillInnermost(tile, sizes, rest, budget, limits, limits.dynamicTile);
}

/// The piece of a row of unknown length.
static int64_t pieceOfRow(const TileLimits &limits) {
  return (limits.isShared ? 16 : 2) * limits.dynamicTile;
}

/// Whether an op reads at computed places. An address serves a thread for all
/// of a row that it reads.
static bool gathersRows(const Group &group) {
  return llvm::any_of(group.ops, [](Operation *op) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    return generic && !generic.getBody()->getOps<tensor::ExtractOp>().empty();
  });
}

SmallVector<int64_t> chooseTile(const Group &group, const TileLimits &limits) {
  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(group.result().getType()).getShape();
  SmallVector<int64_t> tile(sizes.size(), 1);
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, sizes.size()));
  if (std::optional<unsigned> parts = group.partsDim())
    llvm::erase(all, *parts);
  if (group.root && isMatrixProduct(group.root)) {
    chooseContraction(group, limits, sizes, tile);
  } else if (group.wholeLoops.any()) {
    if (group.hasLongRows())
      fillInnermost(tile, sizes,
                    llvm::to_vector_of<unsigned>(group.wholeLoops.set_bits()),
                    limits.reductionElements, limits, pieceOfRow(limits));
    else
      for (unsigned loop : group.wholeLoops.set_bits())
        tile[loop] = std::max<int64_t>(1, sizes[loop]);
    SmallVector<unsigned> rest;
    for (unsigned loop : all)
      if (!group.wholeLoops.test(loop))
        rest.push_back(loop);
    // Threads that share rows exchange less, and read what rows share less
    // often, if each has several of them.
    const int64_t budget =
        (limits.isShared ? 4 : 1) * limits.elementwiseElements;
    fillInnermost(tile, sizes, rest,
                  std::max<int64_t>(1, budget / product(tile)), limits,
                  limits.dynamicTile / 8);
    splitForPrograms(tile, sizes, rest, {}, limits.leastElements, limits);
  } else if (SmallVector<unsigned> crossed = crossedDims(group);
             limits.isShared && !group.root && crossed.size() == 1) {
    chooseCrossed(tile, sizes, crossed.front(), limits);
    splitForPrograms(tile, sizes, all, {}, limits.leastElements, limits);
  } else {
    // What is accumulated in loops should stay next to the core; threads that
    // share the tile read long parts of few rows.
    auto root = cast_or_null<linalg::GenericOp>(group.root);
    const bool hasLoops = root && !isWindowReduction(root);
    const bool hasRows = hasLoops && limits.isShared && reducesNeighbours(root);
    int64_t budget = limits.elementwiseElements;
    if (group.hasRowsOfRoot())
      budget = (limits.isShared ? 4 : 1) * budget /
               std::max<int64_t>(1, rowElements(root).value_or(maxRowElements));
    else if (hasLoops && !limits.isShared)
      budget = resultsOfProgram(root, limits);
    else
      budget /= hasRows ? 128 : hasLoops ? 16 : 1;
    if (limits.isShared && !group.root && gathersRows(group))
      budget *= 4;
    SmallVector<unsigned> dims = all;
    // What threads hold of the repeated input serves all rows of a tile.
    if (std::optional<unsigned> repeated = repeatedDim(group);
        repeated && limits.isShared && !group.root) {
      constexpr int64_t rows = 4;
      tile[*repeated] = fitTile(sizes[*repeated], rows, limits, rows, false);
      budget = 2 * budget / tile[*repeated];
      llvm::erase(dims, *repeated);
    }
    fillInnermost(tile, sizes, dims, budget, limits,
                  hasLoops && !limits.isShared && gathersRows(group)
                      ? rowsOfGathers(root, limits)
                      : limits.dynamicTile * 4);
    splitForPrograms(tile, sizes, all, {}, limits.leastElements, limits);
    if (std::optional<unsigned> parts = group.partsDim();
        parts && !limits.isShared)
      tile[*parts] = partsOfProgram(root);
  }
  return tile;
}

void chooseSteps(const Group &group, const TileLimits &limits,
                 TileSizes &sizes) {
  sizes.defersReductions = sizes.sharesWindows = limits.isShared;
  if (group.attention)
    chooseAttentionSteps(*group.attention,
                         sizes.tile[matrixOf(group, limits).rows.back()],
                         limits.matrixUnits, sizes);
  for (Operation *op : group.ops) {
    if (!isReduction(op) || group.isInAttention(op) ||
        (group.attention && op == group.root))
      continue;
    auto generic = cast<linalg::GenericOp>(op);
    chooseSteps(group, generic, limits, sizes);
    if ((op == group.root && !group.hasRowsOfRoot()) ||
        !matchAccumulation(generic))
      continue;
    if (group.hasLongRows()) {
      SmallVector<int64_t> &steps = sizes.steps[op];
      steps.assign(generic.getNumLoops(), 1);
      fillInnermost(steps, generic.getStaticLoopRanges(),
                    plainReductionLoops(generic), limits.reductionElements,
                    limits, pieceOfRow(limits));
      continue;
    }
    // A reduction along whole rows reads each row in one step.
    for (auto [loop, size] : llvm::enumerate(generic.getStaticLoopRanges()))
      if (generic.getIteratorTypesArray()[loop] ==
          utils::IteratorType::reduction)
        sizes.steps[op][loop] = size;
  }
}

} // namespace tilewright::graph
