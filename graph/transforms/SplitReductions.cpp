//===- SplitReductions.cpp - Long reductions in two steps -----------------===//
#include "graph/analysis/Access.h"
#include "graph/analysis/Blocks.h"
#include "graph/analysis/Grouping.h"
#include "graph/analysis/Targets.h"
#include "graph/transforms/Build.h"
#include "graph/transforms/MergeLoops.h"
#include "graph/transforms/Passes.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "graph/transforms/Passes.h.inc"

//===--- Which, and into how many parts -----------------------------------===//

/// What a size that is known only at run time counts for.
static constexpr int64_t assumedSize = 8192;

/// Points of the loops of `kind`; `open`: of one of unknown length.
static int64_t points(linalg::GenericOp op, utils::IteratorType kind,
                      int64_t open = assumedSize) {
  int64_t count = 1;
  for (auto [size, loopKind] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (loopKind == kind)
      count *= std::clamp<int64_t>(ShapedType::isDynamic(size) ? open : size, 1,
                                   int64_t(1) << 30);
  return count;
}

/// Whether operands read the loop as one subscript as it is, if at all: what is
/// read beyond its end is padding then.
static bool canBePadded(linalg::GenericOp op, unsigned loop) {
  return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    auto readers =
        llvm::make_filter_range(map.getResults(), [&](AffineExpr subscript) {
          return subscript.isFunctionOfDim(loop);
        });
    return readers.empty() || (llvm::hasSingleElement(readers) &&
                               isa<AffineDimExpr>(*readers.begin()));
  });
}

/// The loop that is taken apart: the longest reduction loop, of equal ones the
/// outermost; of several of unknown length the innermost, as the outermost is
/// often a batch of one. Of unknown length it is walked in strides, which
/// neighbours in memory should not be.
static std::optional<unsigned> loopToSplit(linalg::GenericOp op) {
  std::optional<unsigned> best;
  int64_t most = 0;
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges())) {
    bool isKnown = !ShapedType::isDynamic(size);
    if (op.getIteratorTypesArray()[loop] != utils::IteratorType::reduction ||
        (!isKnown && isInnermost(op, loop)) || !canBePadded(op, loop))
      continue;
    int64_t length = isKnown ? size : assumedSize;
    if (length > most || (!isKnown && length == most)) {
      most = length;
      best = loop;
    }
  }
  return best;
}

/// Whether elementwise consumers read the result again for each element of a
/// row: one kernel may hold whole rows for both.
static bool isReadAlongRow(Value result) {
  for (OpOperand &use : result.getUses()) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!reader || !reader.isDpsInput(&use))
      continue;
    if (!reader.getMatchingIndexingMap(&use).isPermutation() ||
        (isElementwise(reader) && isReadAlongRow(reader.getResult(0))))
      return true;
  }
  return false;
}

namespace {
/// How a reduction is taken apart: `parts` programs for each of the programs
/// that it would have. Part p takes the points p * length + k of the loop, or,
/// where the length is not known, k * parts + p.
struct Split {
  unsigned loop;
  int64_t parts;
  std::optional<int64_t> length;
};
} // namespace

/// At least `least` parts of a loop of `size` points. Up to twice as many if
/// they then have no padding: its edge is looked for in each step. Else they
/// are a multiple of a small power of two long, so that few steps are not full.
static Split partsOf(unsigned loop, int64_t size, int64_t least) {
  for (int64_t parts = least; parts < 2 * least; ++parts)
    if (size % parts == 0)
      return {loop, parts, size / parts};
  auto length = int64_t(llvm::divideCeil(size, least));
  length -=
      length % std::max<int64_t>(1, llvm::bit_floor(uint64_t(length)) / 4);
  return {loop, int64_t(llvm::divideCeil(size, length)), length};
}

/// How the reduction `op`, whose result is to replace `result`, is split.
static std::optional<Split> chooseSplit(linalg::GenericOp op, Value result,
                                        bool isForCpus) {
  // Two programs for each multiprocessor of a large GPU, or some for each core,
  // if each reads enough to be worth its start and its partial result.
  const int64_t wantedPrograms = isForCpus ? 32 : 288;
  constexpr int64_t leastElements = 16384;
  // The neighbours that a program reduces side by side.
  constexpr int64_t columns = 128;
  std::optional<Accumulation> accumulation = matchAccumulation(op);
  if (!accumulation || isContraction(op) || windowLoops(op).any() ||
      matchPrefixes(op) || !neutralOf(*accumulation))
    return std::nullopt;
  std::optional<unsigned> loop = loopToSplit(op);
  int64_t results = points(op, utils::IteratorType::parallel);
  if (!loop ||
      ((rowElements(op) || results >= manyRows) && isReadAlongRow(result)))
    return std::nullopt;
  // Open sizes of results are often a batch of one. Many parts of each cost
  // little if they are known to be long.
  if (points(op, utils::IteratorType::reduction, 1) >= 2 * leastElements)
    results = points(op, utils::IteratorType::parallel, 1);
  int64_t reduced = points(op, utils::IteratorType::reduction);
  int64_t side = reducesNeighbours(op) ? 1 : std::min(results, columns);
  int64_t programs = llvm::divideCeil(results, side);
  int64_t size = op.getStaticLoopRanges()[*loop];
  int64_t parts =
      std::min<int64_t>({int64_t(llvm::divideCeil(wantedPrograms, programs)),
                         reduced / std::max<int64_t>(1, leastElements / side),
                         ShapedType::isDynamic(size) ? assumedSize : size});
  if (parts < 2)
    return std::nullopt;
  if (ShapedType::isDynamic(size))
    return Split{*loop, parts, std::nullopt};
  return partsOf(*loop, size, parts);
}

//===--- The two steps ----------------------------------------------------===//

namespace {
/// Builds both steps in place of a reduction. The first has one loop more, the
/// outermost, for the parts.
class Splitter {
public:
  Splitter(RewriterBase &rewriter, linalg::GenericOp op, const Split &split)
      : b(rewriter), op(op), split(split), loc(op.getLoc()),
        accumulation(*matchAccumulation(op)) {}
  void run();

private:
  void measure();
  AffineMap shifted(AffineMap map, bool isInput);
  Value padded(OpOperand &input);
  Value reduceParts();
  Value elementAt(OpBuilder &body, IRMapping &mapping);
  Value combineParts(Value partial);

  RewriterBase &b;
  linalg::GenericOp op;
  Split split;
  Location loc;
  Accumulation accumulation;
  /// Points of the loop that is taken apart; of a part; and how many the parts
  /// have together beyond those.
  OpFoldResult size, length, rest;
  /// The point of the loop, by the loops of the first step.
  AffineExpr point;
};
} // namespace

void Splitter::measure() {
  AffineExpr part = b.getAffineDimExpr(0);
  AffineExpr inPart = b.getAffineDimExpr(split.loop + 1);
  if (split.length) {
    int64_t known = op.getStaticLoopRanges()[split.loop];
    size = b.getIndexAttr(known);
    length = b.getIndexAttr(*split.length);
    rest = b.getIndexAttr(split.parts * *split.length - known);
    point = part * *split.length + inPart;
    return;
  }
  point = inPart * split.parts + part;
  for (OpOperand *input : op.getDpsInputOperands())
    if (auto dim = op.getMatchingIndexingMap(input).getResultPosition(
            b.getAffineDimExpr(split.loop))) {
      Value known = tensor::DimOp::create(b, loc, input->get(), *dim);
      Value parts = arith::ConstantIndexOp::create(b, loc, split.parts);
      Value all = arith::CeilDivSIOp::create(b, loc, known, parts);
      size = known;
      length = all;
      all = arith::MulIOp::create(b, loc, all, parts);
      rest = arith::SubIOp::create(b, loc, all, known).getResult();
      return;
    }
}

AffineMap Splitter::shifted(AffineMap map, bool isInput) {
  map = map.shiftDims(1);
  if (isInput)
    map = map.replace(b.getAffineDimExpr(split.loop + 1), point,
                      map.getNumDims(), 0);
  return map;
}

/// An input with as many elements along the loop as the parts have.
Value Splitter::padded(OpOperand &input) {
  auto type = dyn_cast<RankedTensorType>(input.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&input);
  std::optional<unsigned> dim =
      map.getResultPosition(b.getAffineDimExpr(split.loop));
  if (!type || !dim || isConstantIntValue(rest, 0))
    return input.get();
  TypedAttr padding =
      neutralInput(op.getMatchingBlockArgument(&input), accumulation);
  if (!padding)
    padding = b.getZeroAttr(type.getElementType());
  SmallVector<OpFoldResult> none(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> high = none;
  high[*dim] = rest;
  SmallVector<int64_t> shape(type.getShape());
  shape[*dim] =
      split.length ? split.parts * *split.length : ShapedType::kDynamic;
  Value value = arith::ConstantOp::create(b, loc, padding);
  return tensor::PadOp::create(b, loc, type.clone(shape), input.get(), none,
                               high, value);
}

/// What the first step accumulates at a point: beyond the end nothing.
Value Splitter::elementAt(OpBuilder &body, IRMapping &mapping) {
  auto indexOf = [&](unsigned loop) -> Value {
    return linalg::IndexOp::create(body, loc, loop);
  };
  auto pointIndex = [&]() -> Value {
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(body, loc, value);
    };
    Value part = indexOf(0), inPart = indexOf(split.loop + 1);
    Value scaled = arith::MulIOp::create(
        body, loc, split.length ? part : inPart,
        constant(split.length ? *split.length : split.parts));
    return arith::AddIOp::create(body, loc, scaled,
                                 split.length ? inPart : part);
  };
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (&inner == accumulation.combiner)
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(index.getResult(), index.getDim() == split.loop
                                         ? pointIndex()
                                         : indexOf(index.getDim() + 1));
    else
      body.clone(inner, mapping);
  }
  Value element = mapping.lookupOrDefault(accumulation.element);
  bool isPlain = llvm::any_of(op.getRegionInputArgs(), [&](auto argument) {
    return neutralInput(argument, accumulation) &&
           op.getMatchingIndexingMap(op.getMatchingOpOperand(argument))
               .isFunctionOfDim(split.loop);
  });
  if (isPlain || isConstantIntValue(rest, 0))
    return element;
  Value end = getValueOrCreateConstantIndexOp(body, loc, size);
  Value isInside = arith::CmpIOp::create(body, loc, arith::CmpIPredicate::slt,
                                         pointIndex(), end);
  Value nothing = arith::ConstantOp::create(body, loc, neutralOf(accumulation));
  return arith::SelectOp::create(body, loc, isInside, element, nothing);
}

/// The first step: for each part a result of its own.
Value Splitter::reduceParts() {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    inputs.push_back(padded(*input));
    maps.push_back(shifted(op.getMatchingIndexingMap(input), true));
  }
  // Tells the length of a part.
  inputs.push_back(
      tensor::EmptyOp::create(b, loc, ArrayRef(length), b.getI1Type()));
  maps.push_back(
      readDims(b.getContext(), op.getNumLoops() + 1, {split.loop + 1}));
  AffineMap out = shifted(op.getIndexingMapsArray().back(), false);
  maps.push_back(out.insertResult(b.getAffineDimExpr(0), 0));
  Value init = op.getDpsInits().front();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, init);
  sizes.insert(sizes.begin(), b.getIndexAttr(split.parts));
  Value nothing = arith::ConstantOp::create(b, loc, neutralOf(accumulation));
  Value empty = tensor::EmptyOp::create(b, loc, sizes,
                                        getElementTypeOrSelf(init.getType()));
  Value initial = linalg::FillOp::create(b, loc, nothing, empty).getResult(0);
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  kinds.insert(kinds.begin(), utils::IteratorType::parallel);
  auto partial = linalg::GenericOp::create(
      b, loc, initial.getType(), inputs, initial, maps, kinds,
      [&](OpBuilder &body, Location at, ValueRange elements) {
        IRMapping mapping;
        mapping.map(op.getRegionInputArgs(),
                    elements.take_front(op.getNumDpsInputs()));
        Value element = elementAt(body, mapping);
        linalg::YieldOp::create(
            body, at,
            combine(body, at, accumulation.combiner, elements.back(), element));
      });
  setPartsLoop(partial, 0);
  return partial.getResult(0);
}

/// The second step: all parts, in their order.
Value Splitter::combineParts(Value partial) {
  Value init = op.getDpsInits().front();
  auto rank = unsigned(cast<RankedTensorType>(init.getType()).getRank());
  auto dims = llvm::to_vector(llvm::seq<unsigned>(0, rank));
  AffineMap out = readDims(b.getContext(), rank + 1, dims);
  AffineMap in = out.insertResult(b.getAffineDimExpr(rank), 0);
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  kinds.push_back(utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             b, loc, init.getType(), partial, init, {in, out}, kinds,
             [&](OpBuilder &body, Location at, ValueRange elements) {
               linalg::YieldOp::create(body, at,
                                       combine(body, at, accumulation.combiner,
                                               elements[1], elements[0]));
             })
      .getResult(0);
}

void Splitter::run() {
  b.setInsertionPoint(op);
  measure();
  b.replaceOp(op, combineParts(reduceParts()));
}

namespace {
struct SplitReductions : impl::SplitReductionsBase<SplitReductions> {
  /// Splits the reduction, if it is worth it, with neighbouring loops in one
  /// where they can be.
  void trySplit(linalg::GenericOp op, bool isForCpus, IRRewriter &rewriter,
                Reshapes &reshapes) {
    if (!isReduction(op) || op->getNumResults() != 1)
      return;
    rewriter.setInsertionPoint(op);
    if (auto merged = mergeReductionLoops(rewriter, op, reshapes)) {
      if (auto split = chooseSplit(merged, op.getResult(0), isForCpus)) {
        rewriter.replaceOp(op, merged);
        Splitter(rewriter, merged, *split).run();
        ++splitCount;
        return;
      }
      rewriter.eraseOp(merged);
    }
    if (auto split = chooseSplit(op, op.getResult(0), isForCpus)) {
      Splitter(rewriter, op, *split).run();
      ++splitCount;
    }
  }

  void runOnOperation() override {
    const bool isForCpus = isForCpusAlone(getOperation());
    IRRewriter rewriter(&getContext());
    Reshapes reshapes;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal())
        for (auto op : graphOps<linalg::GenericOp>(func))
          trySplit(op, isForCpus, rewriter, reshapes);
    reshapes.eraseUnused(rewriter);
  }
};
} // namespace

} // namespace tilewright::graph
