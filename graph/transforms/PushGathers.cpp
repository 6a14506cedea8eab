//===- PushGathers.cpp - Gathers of what is computed ----------------------===//
#include "graph/analysis/GatheredProducers.h"
#include "graph/transforms/Build.h"
#include "graph/transforms/Passes.h"
#include <map>

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_PUSHGATHERS
#include "graph/transforms/Passes.h.inc"

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
  // The emission of a body takes stack for each op in a row.
  constexpr unsigned mostPushed = 512;
  return pushed < mostPushed ? producers.computedIn(reader, tensor)
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
