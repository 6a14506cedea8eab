// Normalizations.
#include "frontends/torch/Promotion.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Movement.h"
#include "graph/build/Norm.h"
#include "graph/build/Shape.h"

#include <limits>

using namespace mlir;

namespace tilewright::torch {
namespace {

/// A tensor, or one value for all of [size] where it is None.
FailureOr<Tensor> tensorOr(Call &c, StringRef name, double otherwise,
                           ArrayRef<Expr> dims, Element element) {
  TRY(Tensor given, c.optionalTensor(name));
  if (given)
    return given;
  return filled(c.b, dims, constantAttr(c.b, element, otherwise), element);
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
    return c.fail("statistics of the batch are not supported: expected the "
                  "program of a model in evaluation mode");
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

LogicalResult importLayerNorm(Call &c) {
  TRY(Tensor x, c.tensor("input"));
  TRY(SmallVector<Expr> shape, c.sizes("normalized_shape"));
  int64_t axis = x->rank() - int64_t(shape.size());
  if (axis < 0)
    return c.fail("argument 'normalized_shape' has more dimensions than the "
                  "input of shape " +
                  c.b.sizes.str(x->dims));
  TRY(Tensor scale, tensorOr(c, "weight", 1, {}, x->element));
  TRY(Tensor bias, c.optionalTensor("bias"));
  TRY(double epsilon, c.number("eps"));
  TRY(LayerNorm result, layerNorm(c.b, x, scale, bias, axis, epsilon));
  if (c.isRead(1) && failed(c.set(1, result.mean)))
    return failure();
  if (c.isRead(2) && failed(c.set(2, result.inverse)))
    return failure();
  return c.set(0, result.values);
}

LogicalResult importRmsNorm(Call &c) {
  TRY(Tensor x, c.tensor("input"));
  TRY(SmallVector<Expr> shape, c.sizes("normalized_shape"));
  int64_t axis = x->rank() - int64_t(shape.size());
  if (axis < 0)
    return c.fail("argument 'normalized_shape' has more dimensions than the "
                  "input of shape " +
                  c.b.sizes.str(x->dims));
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

/// With the statistics of the batch, which is all of the input.
LogicalResult importBatchStatistics(Call &c) {
  TRY(Tensor x, c.tensor("input"));
  if (failed(expectRank(c.b, x, 2, "the input")))
    return failure();
  BatchNormOptions options;
  options.training = true;
  TRY(options.epsilon, c.number("eps"));
  SmallVector<Expr> channels = {x->dims[1]};
  TRY(Tensor scale, tensorOr(c, "weight", 1, channels, x->element));
  TRY(Tensor bias, tensorOr(c, "bias", 0, channels, x->element));
  TRY(Tensor none, filled(c.b, channels, zeroOf(c.b, x->element), x->element));
  for (size_t i = 1; i < c.numResults(); ++i)
    if (c.isRead(i))
      return c.fail("the saved statistics are not supported");
  SmallVector<Tensor> statistics = {scale, bias, none, none};
  TRY(BatchNorm result, batchNorm(c.b, x, statistics, options));
  return c.set(0, result.values);
}

} // namespace

void addNormOps(OpTable &t) {
  t.add({"aten.batch_norm.default",
         "aten._native_batch_norm_legit_no_training.default",
         "aten.native_batch_norm.default", "aten.cudnn_batch_norm.default"},
        importBatchNorm);
  t.add({"aten.layer_norm.default", "aten.native_layer_norm.default"},
        importLayerNorm);
  t.add("aten.rms_norm.default", importRmsNorm);
  t.add({"aten.group_norm.default", "aten.native_group_norm.default"},
        importGroupNorm);
  t.add("aten.instance_norm.default", importInstanceNorm);
  t.add("aten._native_batch_norm_legit.no_stats", importBatchStatistics);
}

} // namespace tilewright::torch
