// Scores of classes and their labels (ai.onnx.ml).
#include "frontends/onnx/OpsTraditional.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Gather.h"
#include "graph/build/Logic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduce.h"
#include "graph/build/Reduction.h"

using namespace mlir;

namespace tilewright::onnx {

FailureOr<PostTransform> readPostTransform(Node &node) {
  TRY(std::string name, node.attributes.string("post_transform", "NONE"));
  if (name == "NONE")
    return PostTransform::None;
  if (name == "SOFTMAX")
    return PostTransform::Softmax;
  if (name == "LOGISTIC")
    return PostTransform::Logistic;
  if (name == "SOFTMAX_ZERO")
    return PostTransform::SoftmaxZero;
  if (name == "PROBIT")
    return PostTransform::Probit;
  return node.fail("attribute 'post_transform' is '" + name +
                   "', expected NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or "
                   "PROBIT");
}

/// ONNX Runtime's approximation of sqrt(2) * erfinv(2 * x - 1).
static Value probit(Scalar &s, Value score) {
  Value x = s.sub(s.mul(score, s.like(score, 2)), s.like(score, 1));
  Value one = s.like(x, 1), zero = s.like(x, 0);
  Value sign = s.select(s.lt(x, zero), s.like(x, -1), one);
  Value logarithm = s.log(s.mul(s.sub(one, x), s.add(one, x)));
  Value v = s.add(s.like(x, 2 / (3.14159f * 0.147f)),
                  s.mul(s.like(x, 0.5), logarithm));
  Value v2 = s.mul(s.like(x, 1 / 0.147f), logarithm);
  Value v3 = s.sub(s.sqrt(s.sub(s.mul(v, v), v2)), v);
  return s.mul(s.like(x, 1.41421356f), s.mul(sign, s.sqrt(v3)));
}

/// Softmax in which scores of 0 add nothing, and become 0.
static FailureOr<Tensor> softmaxOfNonzero(GraphBuilder &b,
                                          const Tensor &scores) {
  Element element = scores->element;
  auto isNonzero = [](Scalar &s, Value v) {
    return s.gt(s.abs(v), s.like(v, 0.0000001f));
  };
  TRY(Tensor most, reduceMax(b, scores, {1}, /*keepDims=*/true));
  TRY(Tensor powers,
      elementwise(b, {scores, most}, element, [&](Scalar &s, Values v) {
        return s.select(isNonzero(s, v[0]), s.exp(s.sub(v[0], v[1])),
                        s.like(v[0], 0));
      }));
  TRY(Tensor sum, reduceSum(b, powers, {1}, /*keepDims=*/true));
  return elementwise(
      b, {scores, most, powers, sum}, element, [&](Scalar &s, Values v) {
        Value small = s.mul(v[0], s.exp(s.neg(v[1])));
        return s.div(s.select(isNonzero(s, v[0]), v[2], small), v[3]);
      });
}

FailureOr<Tensor> transformScores(GraphBuilder &b, const Tensor &scores,
                                  PostTransform transform) {
  switch (transform) {
  case PostTransform::None:
    return scores;
  case PostTransform::Softmax:
    return softmax(b, scores, 1, /*logarithm=*/false);
  case PostTransform::SoftmaxZero:
    return softmaxOfNonzero(b, scores);
  case PostTransform::Logistic:
    return mapElements(b, scores,
                       [](Scalar &s, Value v) { return s.sigmoid(v); });
  case PostTransform::Probit:
    return mapElements(b, scores, probit);
  }
  return scores;
}

FailureOr<Tensor> twoScores(GraphBuilder &b, const Tensor &scores,
                            SecondScore form, PostTransform transform) {
  TRY(Tensor other,
      elementwise(b, {scores}, scores->element, [&](Scalar &s, Values v) {
        return form == SecondScore::Complement ? s.sub(s.like(v[0], 1), v[0])
                                               : s.neg(v[0]);
      }));
  TRY(Tensor both, concat(b, {other, scores}, 1));
  return form == SecondScore::Opposite && transform == PostTransform::Logistic
             ? transformScores(b, both, transform)
             : FailureOr<Tensor>(both);
}

FailureOr<SmallVector<int64_t>> readLabels(Node &node, StringRef name,
                                           int64_t count) {
  TRY(SmallVector<int64_t> labels, node.attributes.integers(name));
  for (int64_t i = 0; labels.empty() && i < count; ++i)
    labels.push_back(i);
  if (int64_t(labels.size()) < count)
    return node.fail("attribute '" + name + "' has " + Twine(labels.size()) +
                     " values, expected " + Twine(count));
  return labels;
}

FailureOr<Tensor> bestLabels(GraphBuilder &b, const Tensor &scores,
                             ArrayRef<int64_t> labels) {
  ExtremeIndexOptions how;
  how.keepDims = false;
  TRY(Tensor best, extremeIndex(b, scores, 1, how));
  bool isPosition = true;
  for (auto [i, label] : llvm::enumerate(labels))
    isPosition &= label == int64_t(i);
  if (isPosition)
    return best;
  Tensor table =
      constantTensor<int64_t>(labels, {int64_t(labels.size())}, i64(b), b);
  return gatherAlong(b, table, best, 0);
}

FailureOr<Tensor> labelsAbove(GraphBuilder &b, const Tensor &scores,
                              double threshold, ArrayRef<int64_t> labels) {
  const int64_t first = labels[0], second = labels[1];
  Tensor row = rearrange(b, scores, {0});
  return elementwise(b, {row}, i64(b), [&](Scalar &s, Values v) {
    Type type = s.builder.getI64Type();
    return s.select(s.gt(v[0], s.like(v[0], threshold)),
                    s.integer(type, second), s.integer(type, first));
  });
}

} // namespace tilewright::onnx
