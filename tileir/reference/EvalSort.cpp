// Sorting, selection, counting.
#include "tileir/reference/ProgramInstance.h"
#include "tileir/reference/Sorting.h"

using namespace mlir;

namespace tilewright::reference {

/// Calls `visit` with the index of the first element of each fiber along
/// `axis`.
static void forEachFiber(ArrayRef<int64_t> shape, int64_t axis,
                         llvm::function_ref<void(SmallVector<int64_t>)> visit) {
  SmallVector<int64_t> fibers(shape);
  fibers[axis] = 1;
  forEachIndex(fibers,
               [&](Index index) { visit(SmallVector<int64_t>(index)); });
}

static SmallVector<Element> fiberOf(const TileValue &tile,
                                    SmallVector<int64_t> index, int64_t axis) {
  SmallVector<Element> fiber;
  for (index[axis] = 0; index[axis] < tile.shape()[axis]; ++index[axis])
    fiber.push_back(tile.at(index));
  return fiber;
}

/// All results are poison because an operand is.
static LogicalResult spreadPoison(Operation *op, const Element &poison,
                                  ProgramInstance &program) {
  for (mlir::Value result : op->getResults())
    (void)program.set(
        result, TileValue::splat(result.getType(),
                                 Element::poison(getElementTypeOrSelf(result),
                                                 poison.poisonOrigin())));
  return success();
}

static LogicalResult evalSort(tile::SortOp op, ProgramInstance &program) {
  const TileValue &keys = program.tile(op.getInputs().front());
  if (const Element *poison = findPoison(keys.elements))
    return spreadPoison(op, *poison, program);
  int64_t axis = op.getAxis();
  SmallVector<TileValue> results;
  for (mlir::Value input : op.getInputs())
    results.push_back(program.tile(input));
  forEachFiber(keys.shape(), axis, [&](SmallVector<int64_t> index) {
    const SortedOrder order(fiberOf(keys, index, axis), op.getDescending(),
                            op.getIsUnsigned());
    for (auto [input, result] : llvm::zip_equal(op.getInputs(), results)) {
      SmallVector<Element> fiber = fiberOf(program.tile(input), index, axis);
      for (size_t to = 0; to < fiber.size(); ++to) {
        index[axis] = to;
        result.at(index) = order.select(fiber, to);
      }
      index[axis] = 0;
    }
  });
  for (auto [value, result] : llvm::zip_equal(op.getResults(), results))
    (void)program.set(value, std::move(result));
  return success();
}

static LogicalResult evalTopK(tile::TopKOp op, ProgramInstance &program) {
  const TileValue &source = program.tile(op.getSource());
  if (const Element *poison = findPoison(source.elements))
    return spreadPoison(op, *poison, program);
  int64_t axis = op.getAxis();
  Type indexType = getElementTypeOrSelf(op.getIndices());
  TileValue values =
      TileValue::splat(op.getValues().getType(), source.elements.front());
  TileValue indices =
      TileValue::splat(op.getIndices().getType(), Element::zero(indexType));
  forEachFiber(source.shape(), axis, [&](SmallVector<int64_t> index) {
    SmallVector<Element> fiber = fiberOf(source, index, axis);
    const SortedOrder order(fiber, !op.getSmallest(), op.getIsUnsigned());
    SmallVector<Element> numbers;
    for (size_t n = 0; n < fiber.size(); ++n)
      numbers.push_back(Element::ofInt(indexType, n));
    for (int64_t k = 0; k < values.shape()[axis]; ++k) {
      index[axis] = k;
      values.at(index) = order.select(fiber, k);
      indices.at(index) = order.select(numbers, k);
    }
  });
  (void)program.set(op.getValues(), std::move(values));
  return program.set(op.getIndices(), std::move(indices));
}

static LogicalResult evalHistogram(tile::HistogramOp op,
                                   ProgramInstance &program) {
  const TileValue &source = program.tile(op.getSource());
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> counts(type.getDimSize(0), 0);
  bool isOpen = false;
  for (auto [i, element] : llvm::enumerate(source.elements)) {
    const Element *enabled =
        op.getMask() ? &program.tile(op.getMask()).elements[i] : nullptr;
    for (const Element *each : {&element, enabled})
      if (each && each->isPoison())
        return spreadPoison(op, *each, program);
    isOpen |= element.hasSpread() || (enabled && enabled->hasSpread());
    if (enabled && !enabled->isTrue())
      continue;
    if (element.toInt() >= 0 && element.toInt() < type.getDimSize(0))
      ++counts[element.toInt()];
  }
  return program.set(op, TileValue::generate(type, [&](Index i) {
                       return Element::ofInt(type.getElementType(),
                                             counts[i[0]])
                           .withSpread(isOpen ? Spread::any() : Spread());
                     }));
}

void addSortOps(OpTable &table) {
  table.add<tile::SortOp>(evalSort);
  table.add<tile::TopKOp>(evalTopK);
  table.add<tile::HistogramOp>(evalHistogram);
}

} // namespace tilewright::reference
