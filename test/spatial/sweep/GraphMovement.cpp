// Operators that move elements.
#include "graph/build/Blocks.h"
#include "graph/build/Gather.h"
#include "graph/build/Movement.h"
#include "graph/build/Pad.h"
#include "graph/build/Resize.h"
#include "graph/build/Shape.h"
#include "graph/build/Slice.h"
#include "test/spatial/sweep/GraphWriter.h"

namespace tilewright::test {

using namespace build;

static bool isAny(const Known &) { return true; }
static bool hasDims(const Known &known) { return known.tensor->rank() > 0; }

bool GraphWriter::addReshape() {
  const Known x = readOf(pick(isAny));
  // All factors, dealt to dimensions in order.
  Sizes factors, shape;
  for (int64_t extent : x.shape)
    for (int64_t f = 2; extent > 1; ++f)
      while (extent % f == 0) {
        factors.push_back(f);
        extent /= f;
      }
  shape.assign(1, 1);
  for (int64_t factor : factors)
    if (dice.chance(45) || shape.size() > 3)
      shape.back() *= factor;
    else
      shape.push_back(factor);
  if (dice.chance(60) && shape.size() > 1 && shape.front() == 1)
    shape.erase(shape.begin());
  return add(reshape(b, x.tensor, exprs(shape)), x.most, x.isExact);
}

bool GraphWriter::addTranspose() {
  const int number =
      pick([](const Known &known) { return known.tensor->rank() >= 2; });
  if (number < 0)
    return false;
  const Known x = readOf(number);
  Sizes order(x.shape.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<int64_t>(i);
  dice.shuffle(order);
  return add(transpose(b, x.tensor, order), x.most, x.isExact);
}

bool GraphWriter::addSlice() {
  const int number = pick(hasDims);
  if (number < 0)
    return false;
  const Known x = readOf(number);
  llvm::SmallVector<SliceBounds> bounds;
  for (int64_t axis : randomAxes(x.tensor->rank())) {
    const int64_t extent = x.shape[axis];
    int64_t start = dice.number(0, extent - 1);
    int64_t end = dice.number(start + 1, extent);
    const int64_t step = dice.oneOf<int64_t>({1, 1, 1, 2, 3, -1});
    if (step < 0) {
      std::swap(start, end);
      --start;
      end = end > 0 ? end - 1 : -extent - 1;
    }
    bounds.push_back({axis, b.sizes.constant(start), b.sizes.constant(end),
                      b.sizes.constant(step)});
  }
  return add(sliceBounds(b, x.tensor, bounds), x.most, x.isExact);
}

bool GraphWriter::addConcat() {
  const int number = pick(hasDims);
  if (number < 0)
    return false;
  const Known x = readOf(number);
  const int64_t axis = dice.number(0, x.tensor->rank() - 1);
  Sizes shape = x.shape;
  shape[axis] = dice.number(1, 9);
  const Known y = fresh(shape, x.tensor->element);
  const double most = std::max(x.most, y.most);
  const bool isExact = x.isExact && y.isExact;
  if (dice.chance(20))
    return add(stack(b, {x.tensor, x.tensor}, axis), x.most, x.isExact);
  return add(dice.chance(50) ? concat(b, {x.tensor, y.tensor}, axis)
                             : concat(b, {y.tensor, x.tensor}, axis),
             most, isExact);
}

bool GraphWriter::addPad() {
  const int number = pickFloat(1);
  if (number < 0)
    return false;
  const Known x = readOf(number);
  Sizes low(x.shape.size()), high(x.shape.size());
  for (int64_t axis : randomAxes(x.tensor->rank())) {
    const int64_t most = std::min<int64_t>(3, x.shape[axis] - 1);
    low[axis] = dice.number(0, most);
    high[axis] = dice.number(0, most);
  }
  if (dice.chance(40))
    return add(padRepeating(b, x.tensor, exprs(low), exprs(high),
                            dice.oneOf({PadMode::Edge, PadMode::Reflect,
                                        PadMode::Wrap})),
               x.most, x.isExact);
  return add(pad(b, x.tensor, exprs(low), exprs(high),
                 constantAttr(b, f32(b), dice.oneOf({0.0, 0.0, 1.5}))),
             x.most + 1.5, x.isExact);
}

bool GraphWriter::addExpand() {
  const int number = pick([](const Known &known) {
    return llvm::is_contained(known.shape, 1) || known.tensor->rank() < 3;
  });
  if (number < 0)
    return false;
  const Known x = readOf(number);
  Sizes shape = x.shape;
  for (int64_t &extent : shape)
    if (extent == 1)
      extent = dice.number(1, 5);
  if (dice.chance(50))
    shape.insert(shape.begin(), dice.number(1, 4));
  return add(expand(b, x.tensor, exprs(shape)), x.most, x.isExact);
}

bool GraphWriter::addGather() {
  const int number = pick(hasDims);
  if (number < 0)
    return false;
  const Known x = readOf(number);
  // Rows of a table by data, mostly, as models do.
  const bool isConstant = dice.chance(75);
  const int64_t axis =
      isConstant ? dice.number(0, x.tensor->rank() - 1) : int64_t(0);
  Sizes shape = {dice.number(1, 7)};
  if (dice.chance(30))
    shape.insert(shape.begin(), 2);
  const Known indices = make(
      shape, dice.chance(70) ? build::i64(b) : Element{b.builder.getI32Type()},
      isConstant, 0, x.shape[axis] - 1);
  return add(gatherAlong(b, x.tensor, indices.tensor, axis), x.most, x.isExact);
}

/// Elements by an index that differs from lane to lane.
bool GraphWriter::addGatherElements() {
  const int number = pick(hasDims);
  if (number < 0)
    return false;
  const Known x = readOf(number);
  const int64_t axis = dice.number(0, x.tensor->rank() - 1);
  if (x.shape[axis] > 24)
    return false;
  Sizes shape = x.shape;
  shape[axis] = dice.number(1, 6);
  const Known indices =
      make(shape, build::i64(b), dice.chance(30), 0, x.shape[axis] - 1);
  return add(gatherElements(b, x.tensor, indices.tensor, axis), x.most,
             x.isExact);
}

bool GraphWriter::addUpsample() {
  const int number = pick([](const Known &known) {
    return known.tensor->element.isFloat() && known.tensor->rank() >= 3;
  });
  if (number < 0)
    return false;
  const Known x = readOf(number);
  ResizeOptions options;
  if (dice.chance(40))
    options.interpolation = Interpolation::Linear;
  options.coordinates = ResizeCoordinates::HalfPixel;
  auto axes = keptAxes(b, x.tensor);
  for (size_t d = 2; d < x.shape.size(); ++d) {
    axes[d].out = b.sizes.constant(x.shape[d] * dice.number(1, 2));
    axes[d].active = true;
    setScaleOfSizes(b.sizes, axes[d]);
  }
  return add(resize(b, x.tensor, options, axes), x.most,
             x.isExact && options.isNearest());
}

bool GraphWriter::addBlocks() {
  const int number = pick([](const Known &known) {
    return known.tensor->element.isFloat() && known.tensor->rank() == 4 &&
           known.shape[1] % 4 == 0;
  });
  if (number < 0)
    return false;
  const Known x = readOf(number);
  return add(depthToSpace(b, x.tensor, 2, dice.chance(50)), x.most, x.isExact);
}

} // namespace tilewright::test
