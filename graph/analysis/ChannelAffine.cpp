//===- ChannelAffine.cpp - Scales and shifts of channels ------------------===//
#include "graph/analysis/ChannelAffine.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace tilewright::graph {

ArrayRef<float> floatsOf(Value tensor) {
  ElementsAttr data;
  if (!matchPattern(tensor, m_Constant(&data)) ||
      !data.getElementType().isF32())
    return {};
  ArrayRef<char> raw;
  if (auto dense = dyn_cast<DenseElementsAttr>(data))
    raw = dense.getRawData();
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(data))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      raw = blob->getData();
  return {reinterpret_cast<const float *>(raw.data()), raw.size() / 4};
}

static bool isElementwise(linalg::GenericOp op) {
  return op && op->getNumResults() == 1 && op.getNumReductionLoops() == 0 &&
         op.getMatchingBlockArgument(op.getDpsInitOperand(0)).use_empty();
}

/// Whether a tensor depends on nothing but f32 constants, by a few elementwise
/// ops.
static bool isKnown(Value tensor, int depth = 4) {
  if (!floatsOf(tensor).empty())
    return true;
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  return depth > 0 && isElementwise(op) &&
         llvm::all_of(op.getDpsInputs(),
                      [&](Value input) { return isKnown(input, depth - 1); });
}

namespace {
/// Computes scalars of bodies in double precision: the weights are rounded
/// once.
class ChannelEvaluator {
public:
  /// As functions of the element of the operand `x` that is read.
  explicit ChannelEvaluator(OpOperand *x) : x(x) {}

  /// A scalar of a body at a point of its loops; nothing where it is no linear
  /// function, or takes too many ops.
  std::optional<Affine> scalar(Value value, ArrayRef<int64_t> loops);

private:
  std::optional<Affine> element(Value tensor, ArrayRef<int64_t> at);
  static std::optional<Affine> combine(Operation *op, ArrayRef<Affine> v);

  OpOperand *x;
  int budget = 1024;
};
} // namespace

/// The element of a known tensor.
std::optional<Affine> ChannelEvaluator::element(Value tensor,
                                                ArrayRef<int64_t> at) {
  if (ArrayRef<float> data = floatsOf(tensor); !data.empty()) {
    auto type = cast<RankedTensorType>(tensor.getType());
    int64_t position = linearize(at, computeStrides(type.getShape()));
    return Affine{0, data.size() == 1 ? data[0] : data[position]};
  }
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!out.isPermutation())
    return std::nullopt;
  return scalar(op.getBody()->getTerminator()->getOperand(0),
                inversePermutation(out).compose(at));
}

std::optional<Affine> ChannelEvaluator::scalar(Value value,
                                               ArrayRef<int64_t> loops) {
  if (--budget < 0)
    return std::nullopt;
  FloatAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return Affine{0, constant.getValueAsDouble()};
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto op = dyn_cast<linalg::GenericOp>(argument.getOwner()->getParentOp());
    if (!op)
      return std::nullopt;
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (operand == x)
      return Affine{1, 0};
    return element(operand->get(),
                   op.getMatchingIndexingMap(operand).compose(loops));
  }
  Operation *op = value.getDefiningOp();
  SmallVector<Affine> v;
  for (Value operand : op->getOperands()) {
    std::optional<Affine> known = scalar(operand, loops);
    if (!known)
      return std::nullopt;
    v.push_back(*known);
  }
  return combine(op, v);
}

std::optional<Affine> ChannelEvaluator::combine(Operation *op,
                                                ArrayRef<Affine> v) {
  using Result = std::optional<Affine>;
  auto isConstant = [&](unsigned i) { return v[i].scale == 0; };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddFOp) {
        return Affine{v[0].scale + v[1].scale, v[0].shift + v[1].shift};
      })
      .Case([&](arith::SubFOp) {
        return Affine{v[0].scale - v[1].scale, v[0].shift - v[1].shift};
      })
      .Case([&](arith::MulFOp) -> Result {
        if (!isConstant(0) && !isConstant(1))
          return std::nullopt;
        auto [factor, other] =
            isConstant(0) ? std::pair(v[0], v[1]) : std::pair(v[1], v[0]);
        return Affine{factor.shift * other.scale, factor.shift * other.shift};
      })
      .Case([&](arith::DivFOp) -> Result {
        if (!isConstant(1))
          return std::nullopt;
        return Affine{v[0].scale / v[1].shift, v[0].shift / v[1].shift};
      })
      .Case([&](math::SqrtOp) -> Result {
        if (!isConstant(0))
          return std::nullopt;
        return Affine{0, std::sqrt(v[0].shift)};
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<ChannelAffine> channelAffine(linalg::GenericOp op) {
  if (!isElementwise(op) ||
      !getElementTypeOrSelf(op->getResult(0).getType()).isF32())
    return std::nullopt;
  ChannelAffine result;
  std::optional<unsigned> loop;
  int64_t count = 0;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (!isKnown(operand->get())) {
      if (result.x)
        return std::nullopt;
      result.x = operand;
      continue;
    }
    auto type = cast<RankedTensorType>(operand->get().getType());
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (auto [d, subscript] : llvm::enumerate(map.getResults())) {
      auto walked = dyn_cast<AffineDimExpr>(subscript);
      if (type.getDimSize(d) == 1 && !walked)
        continue;
      if (!walked || (loop && *loop != walked.getPosition()))
        return std::nullopt;
      loop = walked.getPosition();
      count = type.getDimSize(d);
    }
  }
  if (!result.x || !loop)
    return std::nullopt;
  std::optional<unsigned> dim =
      op.getMatchingIndexingMap(result.x).getResultPosition(
          getAffineDimExpr(*loop, op.getContext()));
  if (!dim)
    return std::nullopt;
  result.loop = *loop;
  result.dim = *dim;
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  SmallVector<int64_t> loops(op.getNumLoops(), 0);
  for (int64_t c = 0; c < count; ++c) {
    loops[*loop] = c;
    std::optional<Affine> channel =
        ChannelEvaluator(result.x).scalar(yielded, loops);
    if (!channel)
      return std::nullopt;
    result.channels.push_back(*channel);
  }
  return result;
}

bool absorbProducer(ChannelAffine &chain) {
  auto op = chain.x->get().getDefiningOp<linalg::GenericOp>();
  if (!op || !op->getResult(0).hasOneUse())
    return false;
  std::optional<ChannelAffine> before = channelAffine(op);
  if (!before)
    return false;
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto walked = dyn_cast<AffineDimExpr>(out.getResult(chain.dim));
  if (!walked || walked.getPosition() != before->loop ||
      before->channels.size() != chain.channels.size())
    return false;
  for (auto [after, first] : llvm::zip(chain.channels, before->channels))
    after = {after.scale * first.scale,
             after.scale * first.shift + after.shift};
  chain.x = before->x;
  chain.dim = before->dim;
  return true;
}

} // namespace tilewright::graph
