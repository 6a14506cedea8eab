// Linear models and support vector machines (ai.onnx.ml).
#include "frontends/onnx/OpsTraditional.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Gather.h"
#include "graph/build/MatMul.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

/// A list of floats as a matrix of this many rows.
FailureOr<Tensor> matrixAttribute(Node &node, StringRef name, int64_t rows) {
  TRY(SmallVector<double> values, node.attributes.numbers(name));
  if (rows < 1 || values.empty() || values.size() % rows != 0)
    return node.fail("attribute '" + name + "' has " + Twine(values.size()) +
                     " values, expected rows for " + Twine(rows));
  return reshape(node.b, vectorOf(node.b, values),
                 exprsOf(node.b.sizes, {rows, int64_t(values.size()) / rows}));
}

/// x times the transpose of the coefficients [rows, F], plus intercepts.
FailureOr<Tensor> linearScores(Node &node, const Tensor &x, int64_t rows) {
  GraphBuilder &b = node.b;
  TRY(Tensor weights, matrixAttribute(node, "coefficients", rows));
  TRY(weights, swapLast(b, weights));
  TRY(Tensor scores, matmul(b, x, weights, f32(b)));
  TRY(SmallVector<double> intercepts, node.attributes.numbers("intercepts"));
  if (intercepts.empty())
    return scores;
  if (int64_t(intercepts.size()) != rows)
    return node.fail("attribute 'intercepts' has " + Twine(intercepts.size()) +
                     " values, expected " + Twine(rows));
  return arithmetic(b, Arithmetic::Add, scores, vectorOf(b, intercepts));
}

LogicalResult importLinearRegressor(Node &node) {
  TRY(Tensor x, featuresOf(node, f32(node.b)));
  TRY(int64_t targets, node.attributes.integer("targets", 1));
  TRY(PostTransform transform, readPostTransform(node));
  TRY(Tensor scores, linearScores(node, x, targets));
  return node.done(transformScores(node.b, scores, transform));
}

LogicalResult importLinearClassifier(Node &node) {
  GraphBuilder &b = node.b;
  if (failed(rejectStrings(node, {"classlabels_strings"})))
    return failure();
  TRY(Tensor x, featuresOf(node, f32(b)));
  TRY(PostTransform transform, readPostTransform(node));
  TRY(SmallVector<double> intercepts, node.attributes.numbers("intercepts"));
  TRY(SmallVector<int64_t> given, node.attributes.integers("classlabels_ints"));
  const int64_t rows = intercepts.empty() ? std::max<int64_t>(1, given.size())
                                          : int64_t(intercepts.size());
  TRY(Tensor scores, linearScores(node, x, rows));
  if (rows > 1) {
    TRY(SmallVector<int64_t> labels,
        readLabels(node, "classlabels_ints", rows));
    TRY(Tensor best, bestLabels(b, scores, labels));
    TRY(scores, transformScores(b, scores, transform));
    return failed(node.set(0, best)) ? failure() : node.set(1, scores);
  }
  const bool hasTwo = given.size() == 2;
  const SmallVector<int64_t> usual = {0, 1};
  TRY(Tensor best, labelsAbove(b, scores, 0, hasTwo ? given : usual));
  // One score has no softmax: as ONNX Runtime, the two are 1 - score and score.
  const bool isSoftmax = transform == PostTransform::Softmax ||
                         transform == PostTransform::SoftmaxZero;
  if (!hasTwo || !isSoftmax) {
    TRY(scores, transformScores(b, scores, transform));
  }
  if (hasTwo) {
    TRY(scores,
        twoScores(b, scores, SecondScore::Complement, PostTransform::None));
  }
  return failed(node.set(0, best)) ? failure() : node.set(1, scores);
}

/// A support vector machine's kernel, with its parameters.
struct Kernel {
  std::string type;
  double gamma = 0, coefficient = 0, degree = 3;
};

FailureOr<Kernel> readKernel(Node &node) {
  Kernel kernel;
  TRY(kernel.type, node.attributes.string("kernel_type", "LINEAR"));
  TRY(SmallVector<double> values, node.attributes.numbers("kernel_params"));
  if (!values.empty() && values.size() != 3)
    return node.fail("attribute 'kernel_params' has " + Twine(values.size()) +
                     " values, expected 3");
  if (!values.empty())
    kernel = {kernel.type, values[0], values[1], values[2]};
  for (StringRef known : {"LINEAR", "POLY", "RBF", "SIGMOID"})
    if (kernel.type == known)
      return kernel;
  return node.fail("attribute 'kernel_type' is '" + kernel.type +
                   "', expected LINEAR, POLY, RBF or SIGMOID");
}

/// The kernel's values of rows x[N, F] and vectors v[S, F]: [N, S].
FailureOr<Tensor> kernelValues(GraphBuilder &b, const Tensor &x,
                               const Tensor &v, const Kernel &kernel) {
  Element element = f32(b);
  if (kernel.type == "RBF") {
    Tensor rows = rearrange(b, x, {0, -1, 1}),
           all = rearrange(b, v, {-1, 0, 1});
    TRY(Tensor squares,
        elementwise(b, {rows, all}, element, [](Scalar &s, Values e) {
          Value d = s.sub(e[0], e[1]);
          return s.mul(d, d);
        }));
    TRY(Tensor distance, reduceSum(b, squares, {2}, /*keepDims=*/false));
    return elementwise(b, {distance}, element, [&](Scalar &s, Values e) {
      return s.exp(s.mul(e[0], s.like(e[0], -kernel.gamma)));
    });
  }
  TRY(Tensor transposed, swapLast(b, v));
  TRY(Tensor product, matmul(b, x, transposed, element));
  if (kernel.type == "LINEAR")
    return product;
  return elementwise(b, {product}, element, [&](Scalar &s, Values e) {
    Value value = s.add(s.mul(e[0], s.like(e[0], kernel.gamma)),
                        s.like(e[0], kernel.coefficient));
    if (kernel.type == "SIGMOID")
      return s.tanh(value);
    return s.make<math::PowFOp>(value, s.like(value, kernel.degree));
  });
}

LogicalResult importSVMRegressor(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, featuresOf(node, f32(b)));
  TRY(Kernel kernel, readKernel(node));
  TRY(PostTransform transform, readPostTransform(node));
  TRY(int64_t vectors, node.attributes.integer("n_supports", 0));
  TRY(bool isOneClass, node.attributes.flag("one_class", false));
  TRY(SmallVector<double> rho, node.attributes.numbers("rho"));
  if (rho.empty())
    return node.fail("attribute 'rho' is missing");
  TRY(Tensor weights, matrixAttribute(node, "coefficients", 1));
  Tensor values = x;
  if (vectors > 0) {
    TRY(Tensor all, matrixAttribute(node, "support_vectors", vectors));
    TRY(values, kernelValues(b, x, all, kernel));
  }
  TRY(weights, swapLast(b, weights));
  TRY(Tensor scores, matmul(b, values, weights, f32(b)));
  TRY(scores, arithmetic(b, Arithmetic::Add, scores,
                         scalarConstant(b, f32(b), rho[0])));
  if (isOneClass)
    return node.done(
        elementwise(b, {scores}, scores->element, [](Scalar &s, Values v) {
          return s.select(s.gt(v[0], s.like(v[0], 0)), s.like(v[0], 1),
                          s.like(v[0], -1));
        }));
  return node.done(transformScores(b, scores, transform));
}

/// The pairs of classes, first < second, in the order of their scores.
SmallVector<std::pair<int64_t, int64_t>> classPairs(int64_t classes) {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t i = 0; i < classes; ++i)
    for (int64_t j = i + 1; j < classes; ++j)
      pairs.push_back({i, j});
  return pairs;
}

/// The scores [N, pairs] of each two classes: the coefficients [classes - 1,
/// vectors] of two classes are in the row of the other one.
FailureOr<Tensor> pairScores(Node &node, const Tensor &values,
                             ArrayRef<int64_t> perClass, ArrayRef<double> rho) {
  GraphBuilder &b = node.b;
  TRY(SmallVector<double> given, node.attributes.numbers("coefficients"));
  const int64_t classes = std::ssize(perClass);
  SmallVector<int64_t> starts = {0};
  for (int64_t count : perClass)
    starts.push_back(starts.back() + count);
  const int64_t vectors = starts.back();
  const auto pairs = classPairs(classes);
  if (int64_t(given.size()) != (classes - 1) * vectors ||
      rho.size() != pairs.size())
    return node.fail("there are " + Twine(given.size()) + " coefficients and " +
                     Twine(rho.size()) + " values of rho for " +
                     Twine(classes) + " classes and " + Twine(vectors) +
                     " vectors");
  std::vector<float> weights(pairs.size() * vectors, 0);
  for (auto [at, pair] : llvm::enumerate(pairs)) {
    auto [i, j] = pair;
    for (int64_t v = starts[i]; v < starts[i + 1]; ++v)
      weights[at * vectors + v] = float(given[(j - 1) * vectors + v]);
    for (int64_t v = starts[j]; v < starts[j + 1]; ++v)
      weights[at * vectors + v] = float(given[i * vectors + v]);
  }
  Tensor matrix = constantTensor<float>(
      weights, {int64_t(pairs.size()), vectors}, f32(b), b);
  TRY(matrix, swapLast(b, matrix));
  TRY(Tensor scores, matmul(b, values, matrix, f32(b)));
  return arithmetic(b, Arithmetic::Add, scores, vectorOf(b, rho));
}

/// How many scores [N, pairs] speak for each class: [N, classes].
FailureOr<Tensor> countVotes(GraphBuilder &b, const Tensor &scores,
                             int64_t classes) {
  const auto pairs = classPairs(classes);
  std::vector<float> change(pairs.size() * classes, 0);
  SmallVector<double> base(classes, 0);
  for (auto [at, pair] : llvm::enumerate(pairs)) {
    change[at * classes + pair.first] = 1;
    change[at * classes + pair.second] = -1;
    ++base[pair.second];
  }
  TRY(Tensor isFirst,
      elementwise(b, {scores}, scores->element, [](Scalar &s, Values v) {
        return s.select(s.gt(v[0], s.like(v[0], 0)), s.like(v[0], 1),
                        s.like(v[0], 0));
      }));
  Tensor matrix = constantTensor<float>(
      change, {int64_t(pairs.size()), classes}, f32(b), b);
  TRY(Tensor votes, matmul(b, isFirst, matrix, f32(b)));
  return arithmetic(b, Arithmetic::Add, votes, vectorOf(b, base));
}

LogicalResult importSVMClassifier(Node &node) {
  GraphBuilder &b = node.b;
  if (failed(rejectStrings(node, {"classlabels_strings"})))
    return failure();
  if (node.attributes.has("prob_a") || node.attributes.has("prob_b"))
    return node.fail("probabilities (prob_a, prob_b) are not supported: "
                     "export the model without them");
  TRY(Tensor x, featuresOf(node, f32(b)));
  TRY(Kernel kernel, readKernel(node));
  TRY(PostTransform transform, readPostTransform(node));
  TRY(SmallVector<double> rho, node.attributes.numbers("rho"));
  TRY(SmallVector<int64_t> perClass,
      node.attributes.integers("vectors_per_class"));
  TRY(SmallVector<int64_t> given, node.attributes.integers("classlabels_ints"));
  const int64_t classes = std::ssize(given), vectors = llvm::sum_of(perClass);
  if (classes < 2 || std::ssize(perClass) != classes || vectors < 1)
    return node.fail("there are " + Twine(classes) + " labels and " +
                     Twine(vectors) + " support vectors of " +
                     Twine(perClass.size()) + " classes");
  TRY(Tensor all, matrixAttribute(node, "support_vectors", vectors));
  TRY(Tensor values, kernelValues(b, x, all, kernel));
  TRY(Tensor scores, pairScores(node, values, perClass, rho));
  TRY(Tensor votes, countVotes(b, scores, classes));
  TRY(Tensor best, bestLabels(b, votes, given));
  if (failed(node.set(0, best)))
    return failure();
  if (classes == 2) {
    TRY(scores, twoScores(b, scores, SecondScore::Opposite, transform));
  } else {
    TRY(scores, transformScores(b, scores, transform));
  }
  return node.set(1, scores);
}

} // namespace

void addLinearModelOps(OpTable &t) {
  auto add = [&](StringRef name, Handler handler, StringRef limits = "") {
    t.add(name, 1, handler, limits, "ai.onnx.ml");
  };
  add("LinearRegressor", importLinearRegressor);
  add("LinearClassifier", importLinearClassifier, "no strings");
  add("SVMRegressor", importSVMRegressor);
  add("SVMClassifier", importSVMClassifier,
      "with support vectors; no probabilities; no strings");
}

} // namespace tilewright::onnx
