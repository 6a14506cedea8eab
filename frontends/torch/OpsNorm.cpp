// Normalizations.
#include "frontends/torch/Promotion.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Movement.h"
#include "graph/build/Norm.h"
#include "graph/build/Reduction.h"
#include "graph/build/Shape.h"

#include <limits>

using namespace mlir;

namespace tilewright::torch {
namespace {

/// Sets a result, in the type that the program says.
LogicalResult setConverted(Call &c, size_t i, const Tensor &value) {
  TRY(Element out, c.resultElement(i));
  TRY(Tensor converted, convert(c.b, value, out));
  return c.set(i, converted);
}

/// A tensor, or one value for all of [size] where it is None.
FailureOr<Tensor> tensorOr(Call &c, StringRef name, double otherwise,
                           ArrayRef<Expr> dims, Element element) {
  TRY(Tensor given, c.optionalTensor(name));
  if (given)
    return given;
  return filled(c.b, dims, constantAttr(c.b, element, otherwise), element);
}

/// The mean of each channel and 1 / sqrt(variance + eps), as results 1 and 2.
LogicalResult setBatchStatistics(Call &c, const Tensor &x, double epsilon) {
  GraphBuilder &b = c.b;
  SmallVector<int64_t> axes = axesFrom(2, x->rank());
  axes.insert(axes.begin(), 0);
  TRY(Tensor average, mean(b, x, axes));
  Element wide = average->element;
  TRY(Tensor squares,
      elementwise(b, {x, average}, wide, [](Scalar &s, Values v) {
        Value difference = s.sub(v[0], v[1]);
        return s.mul(difference, difference);
      }));
  TRY(Tensor variance, mean(b, squares, axes));
  TRY(Tensor inverse,
      elementwise(b, {variance}, wide, [&](Scalar &s, Values v) {
        return s.div(s.like(v[0], 1),
                     s.sqrt(s.add(v[0], s.like(v[0], epsilon))));
      }));
  const Tensor statistics[] = {average, inverse};
  for (auto [i, value] : llvm::enumerate(statistics)) {
    if (!c.isRead(i + 1))
      continue;
    TRY(Tensor vector, reshape(b, value, {x->dims[1]}));
    if (failed(setConverted(c, i + 1, vector)))
      return failure();
  }
  return success();
}

/// The new running statistics: the last results, or what is written to them.
LogicalResult setRunning(Call &c, const BatchNorm &result, const Tensor &old,
                         Expr count, double momentum) {
  // PyTorch's running variance is that of a sample.
  TRY(Tensor variance,
      elementwise(c.b, {old, result.variance}, old->element,
                  [&](Scalar &s, Values v) {
                    Value kept = s.mul(v[0], s.like(v[0], momentum));
                    Value all = s.fromIndex(c.b.index(count), v[0].getType());
                    Value factor = s.div(all, s.sub(all, s.like(all, 1)));
                    Value now = s.mul(s.sub(v[1], kept), factor);
                    return s.add(kept, now);
                  }));
  StringRef name = c.target;
  if (!name.contains("functional"))
    return failed(c.assign("running_mean", result.mean))
               ? failure()
               : c.assign("running_var", variance);
  size_t first = c.numResults() - 2;
  return failed(setConverted(c, first, result.mean))
             ? failure()
             : setConverted(c, first + 1, variance);
}

/// With the statistics of the batch, which the running ones follow.
LogicalResult importTrainedBatchNorm(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("input"));
  if (failed(expectRank(b, x, 2, "the input")))
    return failure();
  BatchNormOptions options;
  options.training = true;
  TRY(double momentum, c.number("momentum"));
  TRY(options.epsilon, c.number("eps"));
  options.momentum = 1 - momentum;
  SmallVector<Expr> channels = {x->dims[1]};
  TRY(Tensor none, filled(b, channels, zeroOf(b, x->element), x->element));
  TRY(Tensor mean, c.optionalTensor("running_mean"));
  TRY(Tensor variance, c.optionalTensor("running_var"));
  TRY(Tensor scale, tensorOr(c, "weight", 1, channels, x->element));
  TRY(Tensor bias, tensorOr(c, "bias", 0, channels, x->element));
  SmallVector<Tensor> statistics = {scale, bias, mean ? mean : none,
                                    variance ? variance : none};
  TRY(BatchNorm result, batchNorm(b, x, statistics, options));
  TRY(Tensor values, convert(b, result.values, x->element));
  if (failed(c.set(0, values)) ||
      failed(setBatchStatistics(c, x, options.epsilon)))
    return failure();
  // What a gradient would need, which is empty here.
  if (StringRef(c.target).contains("with_update") && c.isRead(3)) {
    TRY(Dims dims, c.dims(3));
    TRY(Element element, c.resultElement(3));
    TRY(Tensor reserve, filled(b, dims, zeroOf(b, element), element));
    if (failed(c.set(3, reserve)))
      return failure();
  }
  if (!mean || !variance)
    return success();
  Expr count = b.sizes.product(ArrayRef<Expr>(x->dims).drop_front(2));
  return setRunning(c, result, variance, b.sizes.mul(count, x->dims[0]),
                    options.momentum);
}

LogicalResult importBatchNorm(Call &c) {
  TRY(Tensor x, c.tensor("input"));
  if (failed(expectRank(c.b, x, 2, "the input")))
    return failure();
  bool training = false;
  if (c.find("training")) {
    TRY(training, c.flag("training"));
  }
  if (training || c.isNone("running_mean") || c.isNone("running_var"))
    return importTrainedBatchNorm(c);
  BatchNormOptions options;
  TRY(options.epsilon, c.number("eps"));
  Element element = x->element;
  SmallVector<Expr> channels = {x->dims[1]};
  TRY(Tensor mean, c.tensor("running_mean"));
  TRY(Tensor variance, c.tensor("running_var"));
  Element own = mean->element;
  TRY(Tensor scale, tensorOr(c, "weight", 1, channels, own));
  TRY(Tensor bias, tensorOr(c, "bias", 0, channels, own));
  SmallVector<Tensor> statistics = {scale, bias, mean, variance};
  TRY(BatchNorm result, batchNorm(c.b, x, statistics, options));
  TRY(Tensor values, convert(c.b, result.values, element));
  // What training would save is empty.
  for (size_t i = 1; i < c.numResults(); ++i)
    if (c.isRead(i))
      return c.fail("the saved statistics are not supported");
  return c.set(0, values);
}

/// The first of the last dimensions, over which a row is normalized.
FailureOr<int64_t> firstNormalized(Call &c, const Tensor &x) {
  TRY(SmallVector<Expr> shape, c.sizes("normalized_shape"));
  int64_t axis = x->rank() - int64_t(shape.size());
  if (axis < 0)
    return c.fail("argument 'normalized_shape' has more dimensions than the "
                  "input of shape " +
                  c.b.sizes.str(x->dims));
  return axis;
}

LogicalResult importLayerNorm(Call &c) {
  TRY(Tensor x, c.tensor("input"));
  TRY(int64_t axis, firstNormalized(c, x));
  TRY(Tensor scale, tensorOr(c, "weight", 1, {}, x->element));
  TRY(Tensor bias, c.optionalTensor("bias"));
  TRY(double epsilon, c.number("eps"));
  TRY(LayerNorm result, layerNorm(c.b, x, scale, bias, axis, epsilon));
  if (c.isRead(1) && failed(setConverted(c, 1, result.mean)))
    return failure();
  if (c.isRead(2) && failed(setConverted(c, 2, result.inverse)))
    return failure();
  return c.set(0, result.values);
}

LogicalResult importRmsNorm(Call &c) {
  TRY(Tensor x, c.tensor("input"));
  TRY(int64_t axis, firstNormalized(c, x));
  TRY(Tensor scale, c.optionalTensor("weight"));
  double epsilon = x->element.bits() == 64
                       ? std::numeric_limits<double>::epsilon()
                       : std::numeric_limits<float>::epsilon();
  if (x->element.type.isF16())
    epsilon = 0x1p-10;
  else if (x->element.type.isBF16())
    epsilon = 0x1p-7;
  if (!c.isNone("eps")) {
    TRY(epsilon, c.number("eps"));
  }
  return c.done(rmsNorm(c.b, x, scale, axis, epsilon));
}

LogicalResult importGroupNorm(Call &c) {
  TRY(Tensor x, c.tensor("input"));
  if (failed(expectRank(c.b, x, 2, "the input")))
    return failure();
  GroupNormOptions options;
  bool isNative = StringRef(c.target).starts_with("aten.native");
  TRY(options.groups, c.integer(isNative ? "group" : "num_groups"));
  TRY(options.epsilon, c.number("eps"));
  SmallVector<Expr> channels = {x->dims[1]};
  TRY(Tensor scale, tensorOr(c, "weight", 1, channels, x->element));
  TRY(Tensor bias, tensorOr(c, "bias", 0, channels, x->element));
  for (size_t i = 1; i < c.numResults(); ++i)
    if (c.isRead(i))
      return c.fail("the saved statistics are not supported");
  return c.done(groupNorm(c.b, x, scale, bias, options));
}

LogicalResult importInstanceNorm(Call &c) {
  TRY(Tensor x, c.tensor("input"));
  TRY(bool usesInput, c.flag("use_input_stats"));
  if (!usesInput)
    return importBatchNorm(c);
  if (failed(expectRank(c.b, x, 3, "the input")))
    return failure();
  TRY(double epsilon, c.number("eps"));
  SmallVector<Expr> channels = {x->dims[1]};
  TRY(Tensor scale, tensorOr(c, "weight", 1, channels, x->element));
  TRY(Tensor bias, tensorOr(c, "bias", 0, channels, x->element));
  return c.done(instanceNorm(c.b, x, scale, bias, epsilon));
}

} // namespace

void addNormOps(OpTable &t) {
  t.add({"aten.batch_norm.default",
         "aten._native_batch_norm_legit_no_training.default",
         "aten.native_batch_norm.default", "aten.cudnn_batch_norm.default",
         "aten._native_batch_norm_legit.default",
         "aten._native_batch_norm_legit_functional.default"},
        importBatchNorm);
  t.add({"aten.layer_norm.default", "aten.native_layer_norm.default"},
        importLayerNorm);
  t.add("aten.rms_norm.default", importRmsNorm);
  t.add({"aten.group_norm.default", "aten.native_group_norm.default"},
        importGroupNorm);
  t.add("aten.instance_norm.default", importInstanceNorm);
  t.add({"aten._native_batch_norm_legit.no_stats",
         "aten._batch_norm_with_update.default",
         "aten._batch_norm_with_update_functional.default"},
        importTrainedBatchNorm);
}

} // namespace tilewright::torch
