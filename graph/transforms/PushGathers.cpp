//===- PushGathers.cpp - Gathers of what is computed ----------------------===//
#include "graph/analysis/Access.h"
#include "graph/analysis/Recomputation.h"
#include "graph/transforms/Build.h"
#include "graph/transforms/Passes.h"
#include <map>

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_PUSHGATHERS
#include "graph/transforms/Passes.h.inc"

/// Whether elements of the op's result may be computed one by one, from
/// elements of its operands.
static bool hasElements(linalg::GenericOp op) {
  return op && isElementwise(op) &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation() &&
         op.getMatchingBlockArgument(op.getDpsInitOperand(0)).use_empty() &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return llvm::all_of(
               map.getResults(),
               llvm::IsaPred<AffineDimExpr, AffineConstantExpr>);
         });
}

/// The op that computes a tensor of whose elements each may be computed alone.
static linalg::GenericOp producerOf(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  return hasElements(op) ? op : linalg::GenericOp();
}

/// Whether a reader makes its operand be in memory.
static bool needsMemory(OpOperand &use) {
  if (!readsContent(use) || isa<tensor::ExtractOp>(use.getOwner()))
    return false;
  auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
  return !reader || isContraction(reader) || windowLoops(reader).any();
}

/// Whether `reader` may compute what it gathers of the result of `op`: there
/// are no more elements than are computed anyway.
static bool mayComputeIn(linalg::GenericOp reader, linalg::GenericOp op) {
  if (!reader || reader.getNumReductionLoops() != 0)
    return false;
  auto type = cast<RankedTensorType>(op.getResultTypes()[0]);
  // A dimension less is less, whatever the sizes are.
  if (reader.getNumLoops() < unsigned(type.getRank()))
    return true;
  SmallVector<int64_t> ranges = reader.getStaticLoopRanges();
  return type.hasStaticShape() &&
         llvm::none_of(ranges, ShapedType::isDynamic) &&
         llvm::product_of(ranges) <= type.getNumElements();
}

static linalg::GenericOp readerOf(Operation *extract) {
  return extract->getParentOfType<linalg::GenericOp>();
}

namespace {
/// Decides which elementwise ops are computed where their results are gathered.
/// Where such an op is read in several ways, each computes it, and what it is
/// computed from, again; then its result is in memory, unless that costs more.
class GatheredProducers {
public:
  /// `ops`: all generics of a function, in its order.
  explicit GatheredProducers(ArrayRef<linalg::GenericOp> ops);

  bool isComputedByReaders(linalg::GenericOp op) const {
    return chosen.contains(op);
  }

private:
  /// How an op is read if nothing that is gathered is in memory.
  struct Reads {
    /// The gathers that reach it, by its result or by that of an op that reads
    /// it in place. More than mostGathers count as so many.
    llvm::SetVector<Operation *> gathers;
    /// Whether it is also read at its own loops.
    bool isInPlace = false;
    bool isInMemory = false;
  };
  static constexpr size_t mostGathers = 16;

  void collect(linalg::GenericOp op);
  void decide(linalg::GenericOp op);
  int64_t priceOf(linalg::GenericOp op);

  DenseMap<Operation *, Reads> reads;
  llvm::SmallPtrSet<Operation *, 16> chosen;
  DenseMap<Operation *, int64_t> prices;
};
} // namespace

GatheredProducers::GatheredProducers(ArrayRef<linalg::GenericOp> ops) {
  for (linalg::GenericOp op : llvm::reverse(ops))
    if (hasElements(op))
      collect(op);
  // What an element costs depends on what its operands are.
  for (linalg::GenericOp op : ops)
    if (auto known = reads.find(op);
        known != reads.end() && !known->second.gathers.empty())
      decide(op);
}

void GatheredProducers::collect(linalg::GenericOp op) {
  Reads all;
  auto add = [&](Operation *gather) {
    if (all.gathers.size() < mostGathers)
      all.gathers.insert(gather);
  };
  for (OpOperand &use : op->getUses()) {
    if (!readsContent(use))
      continue;
    all.isInMemory |= needsMemory(use);
    if (isa<tensor::ExtractOp>(use.getOwner())) {
      all.isInMemory |= !mayComputeIn(readerOf(use.getOwner()), op);
      add(use.getOwner());
      continue;
    }
    // What reads it in place brings its own readers along.
    auto behind = reads.find(use.getOwner());
    if (behind == reads.end() || behind->second.isInMemory) {
      all.isInPlace = true;
      continue;
    }
    all.isInPlace |= behind->second.isInPlace;
    for (Operation *gather : behind->second.gathers)
      add(gather);
  }
  reads[op] = std::move(all);
}

/// What one element costs where it is gathered; a large number is not exact.
int64_t GatheredProducers::priceOf(linalg::GenericOp op) {
  constexpr int64_t most = 1024;
  if (auto known = prices.find(op); known != prices.end())
    return known->second;
  int64_t price = 0;
  // The op, and what is computed of the same elements.
  llvm::SetVector<Operation *> pending;
  llvm::SmallPtrSet<Operation *, 8> loaded;
  pending.insert(op);
  for (size_t next = 0; next < pending.size() && price < most; ++next) {
    auto each = cast<linalg::GenericOp>(pending[next]);
    price += bodyPrice(each);
    for (OpOperand *input : each.getDpsInputOperands()) {
      linalg::GenericOp source = producerOf(input->get());
      if (each.getMatchingBlockArgument(input).use_empty() ||
          isSplatConstant(input->get()))
        continue;
      if (source && chosen.contains(source))
        pending.insert(source);
      else if (Operation *from = input->get().getDefiningOp();
               !from || loaded.insert(from).second)
        price += loadPrice;
    }
    // bodyPrice() counts a load for each.
    each.getBody()->walk([&](tensor::ExtractOp extract) {
      if (linalg::GenericOp source = producerOf(extract.getTensor());
          source && chosen.contains(source))
        price += priceOf(source) - loadPrice;
    });
  }
  return prices[op] = std::min(price, most);
}

void GatheredProducers::decide(linalg::GenericOp op) {
  const Reads &all = reads.find(op)->second;
  auto type = cast<RankedTensorType>(op.getResultTypes()[0]);
  const int64_t price = priceOf(op);
  bool isCheaper = price <= loadPrice;
  if (!all.isInMemory) {
    double times = all.isInPlace ? 1 : 0;
    for (Operation *gather : all.gathers)
      times += shareOf(readerOf(gather).getStaticLoopRanges(), type);
    isCheaper = isCheaperAgain(times, price, type);
  }
  if (isCheaper)
    chosen.insert(op);
}

namespace {
/// Equal ops are one.
struct SameOp : DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b)
      return true;
    if (a == getEmptyKey() || a == getTombstoneKey() || b == getEmptyKey() ||
        b == getTombstoneKey())
      return false;
    return OperationEquivalence::isEquivalentTo(
        const_cast<Operation *>(a), const_cast<Operation *>(b),
        OperationEquivalence::IgnoreLocations);
  }
};

/// The body of a reader while what it gathers is put into it. Each value is in
/// it once.
class ReaderBody {
public:
  ReaderBody(linalg::GenericOp reader, const GatheredProducers &producers)
      : reader(reader), producers(producers), b(reader) {}

  /// How many reads compute what they read now.
  unsigned push();

private:
  linalg::GenericOp producerFor(Value tensor) const;
  Value read(Location loc, Value tensor, ArrayRef<Value> indices);
  Value compute(Location loc, linalg::GenericOp producer,
                ArrayRef<Value> indices);
  Operation *once(Operation *op);

  linalg::GenericOp reader;
  const GatheredProducers &producers;
  OpBuilder b;
  DenseSet<Operation *, SameOp> ops;
  /// Elements by tensor and indices.
  std::map<SmallVector<const void *>, Value> elements;
  unsigned pushed = 0;
};
} // namespace

/// The producer of a tensor if its elements are computed here.
linalg::GenericOp ReaderBody::producerFor(Value tensor) const {
  linalg::GenericOp producer = producerOf(tensor);
  // The emission of a body takes stack for each op in a row.
  constexpr unsigned mostPushed = 512;
  return producer && pushed < mostPushed &&
                 producers.isComputedByReaders(producer) &&
                 mayComputeIn(reader, producer)
             ? producer
             : linalg::GenericOp();
}

/// The op, or an equal one before it, which then replaces it.
Operation *ReaderBody::once(Operation *op) {
  auto [known, isNew] = ops.insert(op);
  if (isNew || *known == op)
    return op;
  op->replaceAllUsesWith(*known);
  op->erase();
  return *known;
}

Value ReaderBody::read(Location loc, Value tensor, ArrayRef<Value> indices) {
  linalg::GenericOp producer = producerFor(tensor);
  if (!producer)
    return once(tensor::ExtractOp::create(b, loc, tensor, indices))
        ->getResult(0);
  SmallVector<const void *> key{tensor.getAsOpaquePointer()};
  for (Value index : indices)
    key.push_back(index.getAsOpaquePointer());
  auto known = elements.find(key);
  if (known == elements.end())
    known =
        elements.emplace(std::move(key), compute(loc, producer, indices)).first;
  return known->second;
}

/// The element that the producer has at `indices`.
Value ReaderBody::compute(Location loc, linalg::GenericOp producer,
                          ArrayRef<Value> indices) {
  ++pushed;
  // The loops of the producer at the element.
  SmallVector<Value> at(producer.getNumLoops());
  AffineMap out =
      producer.getMatchingIndexingMap(producer.getDpsInitOperand(0));
  for (auto [subscript, index] : llvm::zip(out.getResults(), indices))
    at[cast<AffineDimExpr>(subscript).getPosition()] = index;
  auto constant = [&](int64_t value) {
    return once(arith::ConstantIndexOp::create(b, loc, value))->getResult(0);
  };
  IRMapping mapping;
  for (OpOperand *input : producer.getDpsInputOperands()) {
    BlockArgument argument = producer.getMatchingBlockArgument(input);
    if (argument.use_empty())
      continue;
    SmallVector<Value> subscripts;
    for (AffineExpr subscript :
         producer.getMatchingIndexingMap(input).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(subscript);
      subscripts.push_back(
          dim ? at[dim.getPosition()]
              : constant(cast<AffineConstantExpr>(subscript).getValue()));
    }
    mapping.map(argument, read(loc, input->get(), subscripts));
  }
  for (Operation &op : producer.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      mapping.map(index.getResult(), at[index.getDim()]);
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      auto indices = llvm::map_to_vector(extract.getIndices(), [&](Value v) {
        return mapping.lookupOrDefault(v);
      });
      mapping.map(extract.getResult(),
                  read(op.getLoc(), extract.getTensor(), indices));
    } else {
      mapping.map(op.getResults(), once(b.clone(op, mapping))->getResults());
    }
  }
  return mapping.lookupOrDefault(
      producer.getBody()->getTerminator()->getOperand(0));
}

unsigned ReaderBody::push() {
  Block *body = reader.getBody();
  if (llvm::none_of(body->getOps<tensor::ExtractOp>(),
                    [&](tensor::ExtractOp extract) {
                      return producerFor(extract.getTensor());
                    }))
    return 0;
  for (Operation &op : llvm::make_early_inc_range(body->without_terminator())) {
    auto extract = dyn_cast<tensor::ExtractOp>(op);
    if (!extract || !producerFor(extract.getTensor())) {
      once(&op);
      continue;
    }
    b.setInsertionPoint(extract);
    SmallVector<Value> indices(extract.getIndices());
    Value element = read(extract.getLoc(), extract.getTensor(), indices);
    extract.replaceAllUsesWith(element);
    extract.erase();
  }
  return pushed;
}

/// The loop that a subscript follows, or a constant; null for what is computed.
static AffineExpr affineSubscript(Value index) {
  if (auto loop = index.getDefiningOp<linalg::IndexOp>())
    return getAffineDimExpr(loop.getDim(), index.getContext());
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return getAffineConstantExpr(*constant, index.getContext());
  return {};
}

/// The map by which an operand reads what `extract` reads; null where some
/// subscript is computed, or its loop has a part of the dimension only: an
/// operand has the sizes of its loops.
static AffineMap mapOf(tensor::ExtractOp extract, ArrayRef<int64_t> ranges) {
  SmallVector<AffineExpr> subscripts;
  auto type = extract.getTensor().getType();
  for (auto [index, size] : llvm::zip(extract.getIndices(), type.getShape())) {
    AffineExpr subscript = affineSubscript(index);
    auto loop = dyn_cast_or_null<AffineDimExpr>(subscript);
    if (!subscript || (loop && !ShapedType::isDynamic(size) &&
                       !ShapedType::isDynamic(ranges[loop.getPosition()]) &&
                       size != ranges[loop.getPosition()]))
      return {};
    subscripts.push_back(subscript);
  }
  return AffineMap::get(ranges.size(), 0, subscripts, extract.getContext());
}

/// Makes operands of the reads by loops alone.
static void readByLoops(RewriterBase &rewriter, linalg::GenericOp op) {
  SmallVector<tensor::ExtractOp> extracts;
  SmallVector<Value> inputs(op.getDpsInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  const size_t before = inputs.size();
  const SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  op.getBody()->walk([&](tensor::ExtractOp extract) {
    AffineMap map = mapOf(extract, ranges);
    if (!map)
      return;
    maps.insert(maps.begin() + inputs.size(), map);
    inputs.push_back(extract.getTensor());
    extracts.push_back(extract);
  });
  if (extracts.empty())
    return;
  rewriter.setInsertionPoint(op);
  auto body = [&](OpBuilder &b, Location at, ValueRange elements) {
    IRMapping mapping;
    mapping.map(op.getBody()->getArguments().take_front(before),
                elements.take_front(before));
    mapping.map(op.getRegionOutputArgs(),
                elements.take_back(op.getNumDpsInits()));
    for (auto [extract, element] :
         llvm::zip(extracts, elements.slice(before, extracts.size())))
      mapping.map(extract.getResult(), element);
    for (Operation &inner : op.getBody()->without_terminator())
      if (!llvm::is_contained(extracts, &inner))
        b.clone(inner, mapping);
    SmallVector<Value> yielded;
    for (Value value : op.getBody()->getTerminator()->getOperands())
      yielded.push_back(mapping.lookupOrDefault(value));
    linalg::YieldOp::create(b, at, yielded);
  };
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, op.getResultTypes(), inputs, op.getDpsInits(), maps,
      op.getIteratorTypesArray(), body);
}

namespace {
struct PushGathers : impl::PushGathersBase<PushGathers> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    const GatheredProducers producers(generics);
    IRRewriter rewriter(&getContext());
    bool isAnyPushed = false;
    // Readers first: they take the producers as these were.
    for (linalg::GenericOp op : llvm::reverse(generics)) {
      // What is not read anymore would want its inputs in memory.
      if (isAnyPushed && op->use_empty()) {
        rewriter.eraseOp(op);
        continue;
      }
      const unsigned pushed = ReaderBody(op, producers).push();
      if (pushed == 0)
        continue;
      pushCount += pushed;
      isAnyPushed = true;
      readByLoops(rewriter, op);
    }
  }
};
} // namespace

} // namespace tilewright::graph
