// What operators of traditional machine learning (ai.onnx.ml) share.
#pragma once

#include "frontends/onnx/Node.h"

#include <cstring>

namespace tilewright::onnx {

/// Fails if one of these attributes has strings.
LogicalResult rejectStrings(Node &node, ArrayRef<StringRef> names);
/// An operand as f32.
FailureOr<Tensor> floatsOf(Node &node, int64_t i);
/// Operand 0 as rows of features [N, F]; a vector is one row.
FailureOr<Tensor> featuresOf(Node &node, Element element);
/// A constant vector of f32.
Tensor vectorOf(GraphBuilder &b, ArrayRef<double> values);

/// A constant of these elements, in row-major order; T has the element's width.
template <typename T>
Tensor constantTensor(ArrayRef<T> values, ArrayRef<int64_t> dims,
                      Element element, GraphBuilder &b) {
  auto tensor = std::make_shared<TensorInfo>();
  tensor->element = element;
  for (int64_t dim : dims)
    tensor->dims.push_back(b.sizes.constant(dim));
  char *data = nullptr;
  tensor->constant = ownedConstant(std::ssize(values), sizeof(T), data);
  std::memcpy(data, values.data(), values.size() * sizeof(T));
  return tensor;
}

/// What is done to scores at the end (attribute `post_transform`).
enum class PostTransform { None, Softmax, Logistic, SoftmaxZero, Probit };

FailureOr<PostTransform> readPostTransform(Node &node);
/// Of scores [N, C].
FailureOr<Tensor> transformScores(GraphBuilder &b, const Tensor &scores,
                                  PostTransform transform);

/// How one score of a row becomes those of two classes.
enum class SecondScore {
  /// 1 - score and score.
  Complement,
  /// -score and score; with PostTransform::Logistic both of these.
  Opposite
};

/// Scores [N, 1] as those of two classes, [N, 2].
FailureOr<Tensor> twoScores(GraphBuilder &b, const Tensor &scores,
                            SecondScore form, PostTransform transform);

/// The labels of classes, i64: attribute `name`, or 0, 1, ...
FailureOr<SmallVector<int64_t>> readLabels(Node &node, StringRef name,
                                           int64_t count);
/// The label of the greatest score of each row, the first of several.
FailureOr<Tensor> bestLabels(GraphBuilder &b, const Tensor &scores,
                             ArrayRef<int64_t> labels);
/// The second label where the score [N, 1] is above a threshold, else the
/// first: [N].
FailureOr<Tensor> labelsAbove(GraphBuilder &b, const Tensor &scores,
                              double threshold, ArrayRef<int64_t> labels);

} // namespace tilewright::onnx
