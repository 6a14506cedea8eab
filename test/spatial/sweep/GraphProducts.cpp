// Operators that sum or compare many elements.
#include "graph/build/Activation.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Conv.h"
#include "graph/build/MatMul.h"
#include "graph/build/Movement.h"
#include "graph/build/Norm.h"
#include "graph/build/Pool.h"
#include "graph/build/Reduce.h"
#include "graph/build/Reduction.h"
#include "test/spatial/sweep/GraphWriter.h"

namespace tilewright::test {

using namespace build;

bool GraphWriter::addMatMul() {
  const int number = pickFloat(1);
  if (number < 0)
    return false;
  const Known x = readOf(number);
  const int64_t depth = x.shape.back(), columns = size();
  Sizes batch(x.shape.begin(),
              x.shape.end() - std::min<size_t>(2, x.shape.size()));
  if (dice.chance(50))
    batch.clear();
  else
    for (int64_t &extent : batch)
      if (dice.chance(20))
        extent = 1;
  // Its own transposed, a new one, or a new one that is transposed.
  Known y;
  FailureOr<Tensor> right = failure();
  if (x.shape.size() >= 2 && dice.chance(15)) {
    y = x;
    right = swapLast(b, x.tensor);
  } else if (dice.chance(40)) {
    Sizes shape = batch;
    shape.append({columns, depth});
    y = freshFloat(shape, 40);
    right = swapLast(b, y.tensor);
  } else {
    Sizes shape = batch;
    shape.append({depth, columns});
    y = freshFloat(shape, 60);
    right = y.tensor;
  }
  if (failed(right))
    return false;
  FailureOr<Tensor> left = x.tensor;
  const double most = x.most * y.most * static_cast<double>(depth);
  return add(matmul(b, *left, *right, f32(b)), most, false);
}

bool GraphWriter::addGemm() {
  const int number = pick([](const Known &known) {
    return known.tensor->element.isFloat() && known.tensor->rank() == 2;
  });
  const Known x =
      number >= 0 ? readOf(number) : freshFloat(randomShape(2, 2), 0);
  GemmOptions options;
  options.transposeLeft = dice.chance(40);
  options.transposeRight = dice.chance(40);
  const int64_t depth = x.shape[options.transposeLeft ? 0 : 1];
  const int64_t rows = x.shape[options.transposeLeft ? 1 : 0];
  const int64_t columns = size();
  const Known y = freshFloat(options.transposeRight ? Sizes{columns, depth}
                                                    : Sizes{depth, columns},
                             80);
  const Known c = freshFloat(partOf({rows, columns}), 80);
  options.alpha = dice.oneOf({1.0, 1.0, 0.5});
  return add(gemm(b, x.tensor, y.tensor, dice.chance(70) ? c.tensor : Tensor(),
                  options),
             x.most * y.most * static_cast<double>(depth) + c.most, false);
}

/// The windows of a convolution or pooling on x.
static FailureOr<Window> randomWindow(GraphBuilder &b, Dice &dice,
                                      const Known &x, Sizes &kernel,
                                      bool dilates) {
  WindowOptions options;
  for (size_t d = 2; d < x.shape.size(); ++d) {
    kernel.push_back(
        std::min(x.shape[d], dice.oneOf<int64_t>({1, 2, 3, 3, 5})));
    options.kernel.push_back(b.sizes.constant(kernel.back()));
    options.strides.push_back(dice.oneOf<int64_t>({1, 1, 2, 3}));
    const bool fits = (kernel.back() - 1) * 2 < x.shape[d];
    options.dilations.push_back(dilates && fits && dice.chance(25) ? 2 : 1);
    options.padLow.push_back(dice.number(0, kernel.back() / 2));
    options.padHigh.push_back(dice.number(0, kernel.back() / 2));
  }
  return makeWindow(b, x.tensor, options);
}

bool GraphWriter::addConv() {
  const int number = pick([](const Known &known) {
    return known.tensor->element.isFloat() &&
           (known.tensor->rank() == 3 || known.tensor->rank() == 4);
  });
  Known x;
  if (number >= 0 && dice.chance(60)) {
    x = readOf(number);
  } else {
    Sizes shape = {dice.number(1, 2), dice.oneOf<int64_t>({1, 2, 3, 4, 6, 9})};
    for (int64_t d = dice.number(1, 2); d > 0; --d)
      shape.push_back(dice.number(3, 10));
    x = freshFloat(shape, 0);
  }
  const int64_t channels = x.shape[1];
  int64_t group = 1;
  if (dice.chance(25))
    group = channels;
  else if (channels % 2 == 0 && dice.chance(25))
    group = 2;
  const int64_t filters = group * dice.number(1, group > 4 ? 2 : 7);
  Sizes kernel;
  auto window = randomWindow(b, dice, x, kernel, true);
  if (failed(window))
    return false;
  Sizes shape = {filters, channels / group};
  shape.append(kernel);
  double depth = static_cast<double>(channels / group);
  for (int64_t taps : kernel)
    depth *= static_cast<double>(taps);
  const Known w = freshFloat(shape, 90);
  auto product = convolve(b, x.tensor, w.tensor, group, *window, f32(b));
  if (failed(product))
    return false;
  double most = x.most * w.most * depth;
  if (dice.chance(60)) {
    const Known bias = freshFloat({filters}, 90);
    product = addBias(b, *product, bias.tensor);
    most += bias.most;
  }
  return add(product, most, false);
}

bool GraphWriter::addPool() {
  const int number = pick([](const Known &known) {
    return known.tensor->element.isFloat() &&
           (known.tensor->rank() == 3 || known.tensor->rank() == 4);
  });
  if (number < 0)
    return false;
  const Known x = readOf(number);
  if (dice.chance(20))
    return add(globalAveragePool(b, x.tensor), x.most, false);
  Sizes kernel;
  auto window = randomWindow(b, dice, x, kernel, false);
  if (failed(window))
    return false;
  if (dice.chance(50))
    return add(averagePool(b, x.tensor, *window, dice.chance(50)), x.most,
               false);
  auto pooled = maxPool(b, x.tensor, *window);
  return succeeded(pooled) && add(pooled->values, x.most, x.isExact);
}

bool GraphWriter::addReduce() {
  const int number = pick([](const Known &known) {
    return known.tensor->rank() > 0 && !known.tensor->element.isBool();
  });
  if (number < 0)
    return false;
  const Known x = readOf(number);
  const Sizes axes = randomAxes(x.tensor->rank());
  double count = 1;
  for (int64_t axis : axes)
    count *= static_cast<double>(x.shape[axis]);
  const bool keeps = dice.chance(50);
  const bool isFloat = x.tensor->element.isFloat();
  switch (dice.number(0, isFloat ? 4 : 2)) {
  case 0:
    return add(extremeAlong(b, x.tensor, axes, keeps, true), x.most, x.isExact);
  case 1:
    return add(extremeAlong(b, x.tensor, axes, keeps, false), x.most,
               x.isExact);
  case 2:
    return add(sumAlong(b, x.tensor, axes, keeps, plainSum), x.most * count,
               !isFloat);
  case 3:
    return add(sumAlong(b, x.tensor, axes, keeps, squareSum),
               x.most * x.most * count, false);
  default:
    return add(meanAlong(b, x.tensor, axes, keeps), x.most, false);
  }
}

bool GraphWriter::addSoftmax() {
  const int number = pickFloat(1);
  if (number < 0)
    return false;
  const Known x = readOf(number);
  const int64_t axis = dice.chance(70) ? x.tensor->rank() - 1
                                       : dice.number(0, x.tensor->rank() - 1);
  const bool isLogarithm = dice.chance(15);
  return add(softmax(b, x.tensor, axis, isLogarithm),
             isLogarithm ? 2 * x.most + 8 : 1, false);
}

bool GraphWriter::addNorm() {
  const int number = pickFloat(2);
  if (number < 0)
    return false;
  const Known x = readOf(number);
  const int64_t axis = dice.chance(80) ? x.tensor->rank() - 1
                                       : dice.number(1, x.tensor->rank() - 1);
  const Sizes shape(x.shape.begin() + axis, x.shape.end());
  const Known scale = freshFloat(shape, 90), bias = freshFloat(shape, 90);
  // An epsilon that keeps rows of equal elements from amplifying roundings.
  const double epsilon = 0.1;
  if (dice.chance(30))
    return add(rmsNorm(b, x.tensor, scale.tensor, axis, epsilon), 20, false);
  if (dice.chance(25)) {
    const Sizes channels = {x.shape[1]};
    const Known perChannel = freshFloat(channels, 100);
    const Known offset = freshFloat(channels, 100);
    if (x.shape.size() < 3)
      return false;
    return add(
        instanceNorm(b, x.tensor, perChannel.tensor, offset.tensor, epsilon),
        20, false);
  }
  auto norm =
      layerNorm(b, x.tensor, scale.tensor,
                dice.chance(70) ? bias.tensor : Tensor(), axis, epsilon);
  return succeeded(norm) && add(norm->values, 20, false);
}

} // namespace tilewright::test
