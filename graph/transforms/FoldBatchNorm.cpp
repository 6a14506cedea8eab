//===- FoldBatchNorm.cpp - Scales of channels go into the weights ---------===//
#include "graph/analysis/Blocks.h"
#include "graph/analysis/ChannelAffine.h"
#include "graph/analysis/SymbolicShapes.h"
#include "graph/transforms/Function.h"
#include "graph/transforms/Passes.h"
#include "graph/transforms/Resources.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Threading.h"
#include <atomic>
#include <bit>
#include <cmath>

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_FOLDBATCHNORM
#include "graph/transforms/Passes.h.inc"

namespace {
/// A sum of products of data and constant weights.
struct Contraction {
  linalg::GenericOp op;
  OpOperand *weights = nullptr;
  /// The dimensions of the weights that are its channels, outermost first.
  SmallVector<unsigned> dims;
};
} // namespace

/// Whether the body is a + x * w for elements x and w, and for a the
/// accumulator of a sum that starts at 0, or 0 itself where there is one
/// product.
static bool isSumOfProducts(linalg::GenericOp op) {
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  auto sum = yielded.getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  bool startsAtZero = op.getNumReductionLoops() > 0 && fill &&
                      matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
  Value accumulator = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  auto isStart = [&](Value value) {
    return value == accumulator ? startsAtZero
                                : op.getNumReductionLoops() == 0 &&
                                      matchPattern(value, m_AnyZeroFloat());
  };
  Value other = isStart(sum.getLhs())   ? sum.getRhs()
                : isStart(sum.getRhs()) ? sum.getLhs()
                                        : Value();
  auto product = other ? other.getDefiningOp<arith::MulFOp>() : nullptr;
  return product && product.getLhs() != product.getRhs() &&
         isa<BlockArgument>(product.getLhs()) &&
         isa<BlockArgument>(product.getRhs()) &&
         product.getLhs() != accumulator && product.getRhs() != accumulator;
}

/// The dimensions of a reshape's source that dimension `dim` of its result is
/// made of; nothing where they are not whole dimensions.
static std::optional<SmallVector<unsigned>> sourceDims(tensor::ReshapeOp op,
                                                       unsigned dim) {
  // Computed again: the function has changed meanwhile.
  SymbolicShapes shapes(op->getParentOfType<func::FuncOp>());
  FailureOr<SymbolicShape> from = shapes.shapeOf(op.getSource());
  FailureOr<SymbolicShape> to = shapes.shapeOf(op.getResult());
  if (failed(from) || failed(to) || from->size() < to->size())
    return std::nullopt;
  size_t extra = from->size() - to->size();
  ArrayRef<AffineExpr> source = *from, result = *to;
  if (source.take_front(dim) != result.take_front(dim) ||
      source.drop_front(dim + extra + 1) != result.drop_front(dim + 1))
    return std::nullopt;
  SmallVector<unsigned> dims;
  for (size_t d = dim; d <= dim + extra; ++d)
    dims.push_back(d);
  return dims;
}

/// The contraction with result `x` whose weights have the index of dimension
/// `dim` of `x`. It has no other reader.
static std::optional<Contraction> contractionOf(Value x, unsigned dim) {
  SmallVector<unsigned> resultDims{dim};
  if (auto reshape = x.getDefiningOp<tensor::ReshapeOp>()) {
    auto dims = sourceDims(reshape, dim);
    if (!dims || !x.hasOneUse())
      return std::nullopt;
    resultDims = *dims;
    x = reshape.getSource();
  }
  auto op = x.getDefiningOp<linalg::GenericOp>();
  if (!op || !x.hasOneUse() || op->getNumResults() != 1 || !isSumOfProducts(op))
    return std::nullopt;
  Contraction result;
  result.op = op;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (floatsOf(operand->get()).empty() ||
        op.getMatchingBlockArgument(operand).use_empty())
      continue;
    if (result.weights)
      return std::nullopt;
    result.weights = operand;
  }
  if (!result.weights)
    return std::nullopt;
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  AffineMap map = op.getMatchingIndexingMap(result.weights);
  for (unsigned d : resultDims) {
    auto position = map.getResultPosition(out.getResult(d));
    if (!position || !isa<AffineDimExpr>(out.getResult(d)))
      return std::nullopt;
    result.dims.push_back(*position);
  }
  return result;
}

/// Memory for `count` f32 elements.
static AsmResourceBlob allocateFloats(int64_t count) {
  return HeapAsmResourceBlob::allocate(count * sizeof(float), alignof(float));
}

static MutableArrayRef<float> floatsIn(AsmResourceBlob &blob) {
  MutableArrayRef<char> raw = blob.getMutableData();
  return {reinterpret_cast<float *>(raw.data()), raw.size() / sizeof(float)};
}

/// A constant of these f32 elements, by a name where they are many.
static ElementsAttr floatsAttr(RankedTensorType type, AsmResourceBlob blob,
                               StringRef name) {
  constexpr int64_t mostInline = 256;
  if (type.getNumElements() <= mostInline)
    return DenseElementsAttr::getFromRawBuffer(type, blob.getData());
  return DenseResourceElementsAttr::get(type, name, std::move(blob));
}

/// The weights times the scales of their channels; nothing where one is not
/// finite any more.
static std::optional<AsmResourceBlob>
scaledWeights(const Contraction &contraction, ArrayRef<Affine> channels) {
  Value weights = contraction.weights->get();
  ArrayRef<float> data = floatsOf(weights);
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(weights.getType()).getShape();
  SmallVector<int64_t> strides = computeStrides(shape);
  int64_t count = computeProduct(shape);
  // Elements that follow each other and are of one channel.
  int64_t run = strides[*llvm::max_element(contraction.dims)];
  AsmResourceBlob blob = allocateFloats(count);
  MutableArrayRef<float> scaled = floatsIn(blob);
  const bool isSplat = data.size() == 1;
  std::atomic<uint32_t> greatest = 0;
  auto scale = [&](int64_t first, int64_t last) {
    // The bits of a magnitude are in its order, so that the loop has no branch.
    uint32_t most = 0;
    for (int64_t begin = first; begin < last; begin += run) {
      int64_t channel = 0;
      for (unsigned d : contraction.dims)
        channel = channel * shape[d] + begin / strides[d] % shape[d];
      const double factor = channels[channel].scale;
      const float *from = data.data() + (isSplat ? 0 : begin);
      for (int64_t i = 0; i < run; ++i) {
        float weight = float(from[isSplat ? 0 : i] * factor);
        scaled[begin + i] = weight;
        most = std::max(most, std::bit_cast<uint32_t>(weight) & INT32_MAX);
      }
    }
    uint32_t known = greatest;
    while (known < most && !greatest.compare_exchange_weak(known, most))
      ;
  };
  // Several threads for large weights: page faults on new memory dominate.
  constexpr int64_t leastPart = 1 << 16;
  const int64_t part = run * llvm::divideCeil(leastPart, run);
  parallelFor(weights.getContext(), 0, llvm::divideCeil(count, part),
              [&](size_t i) {
                int64_t first = int64_t(i) * part;
                scale(first, std::min(count, first + part));
              });
  constexpr uint32_t infinity = 0x7f800000;
  if (greatest >= infinity)
    return std::nullopt;
  return blob;
}

/// Adds the channel's shift to the contraction's result.
static void replaceByBias(linalg::GenericOp op, const ChannelAffine &root,
                          Value x, Contraction &contraction,
                          AsmResourceBlob shifts) {
  OpBuilder b(op);
  Location loc = contraction.op.getLoc();
  auto type =
      RankedTensorType::get({int64_t(root.channels.size())}, b.getF32Type());
  Value bias = arith::ConstantOp::create(
      b, loc, floatsAttr(type, std::move(shifts), "bias"));
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  AffineMap channel =
      AffineMap::get(op.getNumLoops(), 0, b.getAffineDimExpr(root.loop));
  auto sum = linalg::GenericOp::create(
      b, loc, op.getResultTypes(), ValueRange{x, bias}, op.getDpsInits(),
      {op.getMatchingIndexingMap(root.x), channel, out},
      op.getIteratorTypesArray(), [](OpBuilder &b, Location loc, ValueRange v) {
        Value total = arith::AddFOp::create(b, loc, v[0], v[1]);
        linalg::YieldOp::create(b, loc, total);
      });
  op->replaceAllUsesWith(sum);
}

/// Folds `op` into the contraction before it, if there is one. Returns the
/// contraction's old weights.
static std::optional<arith::ConstantOp> fold(linalg::GenericOp op) {
  std::optional<ChannelAffine> root = channelAffine(op);
  if (!root || llvm::all_of(root->channels, [](const Affine &channel) {
        return channel.scale == 1;
      }))
    return std::nullopt;
  ChannelAffine chain = *root;
  auto contraction = contractionOf(chain.x->get(), chain.dim);
  while (!contraction && absorbProducer(chain))
    contraction = contractionOf(chain.x->get(), chain.dim);
  if (!contraction)
    return std::nullopt;
  std::optional<AsmResourceBlob> weights =
      scaledWeights(*contraction, chain.channels);
  AsmResourceBlob shifts = allocateFloats(chain.channels.size());
  for (auto [shift, channel] : llvm::zip(floatsIn(shifts), chain.channels))
    shift = float(channel.shift);
  if (!weights ||
      !llvm::all_of(floatsIn(shifts), [](float v) { return std::isfinite(v); }))
    return std::nullopt;
  auto old = contraction->weights->get().getDefiningOp<arith::ConstantOp>();
  auto resource = dyn_cast<DenseResourceElementsAttr>(old.getValue());
  StringRef name = resource ? resource.getRawHandle().getKey() : "weights";
  OpBuilder b(contraction->op);
  contraction->weights->set(arith::ConstantOp::create(
      b, old.getLoc(),
      floatsAttr(cast<RankedTensorType>(old.getType()), *std::move(weights),
                 name)));
  replaceByBias(op, *root, chain.x->get(), *contraction, std::move(shifts));
  return old;
}

/// What nothing reads any more: `op` and the ops before it.
static void eraseUnread(Operation *op) {
  SmallVector<Operation *> dead{op};
  while (!dead.empty()) {
    Operation *last = dead.pop_back_val();
    SmallVector<Value> operands(last->getOperands());
    last->erase();
    for (Value operand : operands)
      if (Operation *before = operand.getDefiningOp())
        if (isOpTriviallyDead(before) && !llvm::is_contained(dead, before))
          dead.push_back(before);
  }
}

namespace {
struct FoldBatchNorm : impl::FoldBatchNormBase<FoldBatchNorm> {
  void runOnOperation() override {
    FailureOr<func::FuncOp> func = graphFunction(getOperation());
    if (failed(func))
      return signalPassFailure();
    llvm::SetVector<DenseResourceElementsAttr> replaced;
    for (auto op : graphOps<linalg::GenericOp>(*func)) {
      std::optional<arith::ConstantOp> weights = fold(op);
      if (!weights)
        continue;
      ++foldedCount;
      if (auto data = dyn_cast<DenseResourceElementsAttr>(weights->getValue()))
        replaced.insert(data);
      // Weights that `op` reads, too, go with it.
      if (isOpTriviallyDead(*weights))
        weights->erase();
      eraseUnread(op);
    }
    freeUnused(getOperation(), replaced);
  }
};
} // namespace

} // namespace tilewright::graph
