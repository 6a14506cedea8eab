//===- FiberOps.cpp - Ops along one dimension, executed -------------------===//
#include "verify/scheduled/FiberOps.h"

#include "codegen/tilegpu/TileGpu.h"
#include "tileir/reference/Combiner.h"

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify {

using tilegpu::toDims;

/// Combines two elements of each input.
static FailureOr<SmallVector<Element>> combine(Region &combiner,
                                               ArrayRef<Element> left,
                                               ArrayRef<Element> right,
                                               ProgramInstance &program) {
  SmallVector<reference::Value> arguments;
  for (ArrayRef<Element> side : {left, right})
    for (const Element &element : side)
      arguments.push_back(TileValue::scalar(element));
  FailureOr<SmallVector<reference::Value>> results =
      program.run(combiner.front(), arguments);
  if (failed(results))
    return failure();
  SmallVector<Element> combined;
  for (const reference::Value &result : *results)
    combined.push_back(std::get<TileValue>(result).elements[0]);
  return combined;
}

/// What is permitted for a combination of many elements, as the lanes of a warp
/// combine theirs in any order.
class OpenFiber {
public:
  /// Empty without freedom.
  template <typename Op> OpenFiber(Op op, ProgramInstance &program) {
    const unsigned inputs = op.getInputs().size();
    for (unsigned n = 0; program.isOpen() && n < inputs; ++n)
      open.emplace_back(combinationOf(op.getCombiner().front(), inputs, n),
                        getElementTypeOrSelf(op.getInputs()[n]),
                        program.getFreedom());
  }
  void add(ArrayRef<Element> elements) {
    for (auto [combination, element] : llvm::zip(open, elements))
      combination.add(element);
    ++count;
  }
  /// `computed` are the combinations in one order.
  SmallVector<Element> results(ArrayRef<Element> computed, bool isScan) const {
    SmallVector<Element> elements(computed);
    if (count > 1)
      for (auto [combination, element] : llvm::zip(open, elements))
        element = combination.result(element, isScan);
    return elements;
  }

private:
  std::vector<OpenCombination> open;
  int64_t count = 0;
};

/// Element w along the axis combines the elements of the w-th of the warps that
/// share the dimension.
static LogicalResult evalReduce(tilegpu::ReduceOp op,
                                ProgramInstance &program) {
  Type first = op.getInputs()[0].getType();
  const layout::Layout &from = tilegpu::layoutOf(first);
  const layout::Layout &to = tilegpu::layoutOf(op.getResult(0).getType());
  int64_t axis = op.getAxis();
  const OpenFiber none(op, program);
  std::map<SmallVector<int64_t>, std::pair<SmallVector<Element>, OpenFiber>>
      sums;
  LogicalResult status = success();
  forEachIndex(cast<RankedTensorType>(first).getShape(), [&](Index at) {
    if (failed(status))
      return;
    int64_t warp = from.invert(toDims(at))[layout::HardwareDim::warp];
    SmallVector<int64_t> target(at);
    target[axis] = to.apply(layout::inRegister(0, 0, warp))[axis];
    SmallVector<Element> elements;
    for (mlir::Value input : op.getInputs())
      elements.push_back(program.tile(input).at(at));
    auto [found, isFirst] = sums.try_emplace(target, elements, none);
    auto &[sum, open] = found->second;
    open.add(elements);
    if (isFirst)
      return;
    FailureOr<SmallVector<Element>> combined =
        combine(op.getCombiner(), sum, elements, program);
    status = combined;
    if (succeeded(combined))
      sum = *combined;
  });
  if (failed(status))
    return failure();
  for (auto &[target, each] : sums)
    each.first = each.second.results(each.first, /*isScan=*/false);
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    auto value = TileValue::generate(result.getType(), [&, i = i](Index at) {
      return sums.at(SmallVector<int64_t>(at)).first[i];
    });
    (void)program.set(result, value);
  }
  return success();
}

/// The elements of all inputs at `at`.
static SmallVector<Element> elementsAt(OperandRange inputs, Index at,
                                       ProgramInstance &program) {
  SmallVector<Element> elements;
  for (mlir::Value input : inputs)
    elements.push_back(program.tile(input).at(at));
  return elements;
}

/// The value combined with a warp's first element of a fiber: the totals of the
/// warps that come before it. Empty for the first.
static FailureOr<SmallVector<Element>> totalsBefore(tilegpu::ScanOp op,
                                                    Index at, int64_t part,
                                                    ProgramInstance &program) {
  SmallVector<Element> sum;
  auto type = cast<RankedTensorType>(op.getTotals()[0].getType());
  int64_t parts = type.getDimSize(op.getAxis());
  SmallVector<int64_t> from(at);
  for (int64_t i = 0; i < (op.getReverse() ? parts - 1 - part : part); ++i) {
    from[op.getAxis()] = op.getReverse() ? parts - 1 - i : i;
    SmallVector<Element> next = elementsAt(op.getTotals(), from, program);
    if (!sum.empty()) {
      auto combined = combine(op.getCombiner(), sum, next, program);
      if (failed(combined))
        return failure();
      next = *combined;
    }
    sum = next;
  }
  return sum;
}

/// A warp begins where the one before it ended, with the op's totals operand,
/// not with values computed here.
static LogicalResult scanFiber(tilegpu::ScanOp op, Index first,
                               MutableArrayRef<TileValue> results,
                               ProgramInstance &program) {
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  const layout::Layout &layout = tilegpu::layoutOf(type);
  int64_t axis = op.getAxis(), size = type.getDimSize(axis);
  SmallVector<int64_t> at(first);
  SmallVector<Element> sum;
  OpenFiber open(op, program);
  std::optional<int64_t> warp;
  // The least distance of two warps along the fiber.
  int64_t perWarp = layout.cell(axis);
  for (layout::Bits column : layout.columns(layout::HardwareDim::warp))
    if (int64_t moved = layout.cellCoordinates(column)[axis])
      perWarp = std::min(perWarp, moved);
  for (int64_t k = 0; k < size; ++k) {
    at[axis] = op.getReverse() ? size - 1 - k : k;
    SmallVector<Element> next = elementsAt(op.getInputs(), at, program);
    open.add(next);
    int64_t part = at[axis] / perWarp;
    if (!op.getTotals().empty() && part != warp) {
      FailureOr<SmallVector<Element>> before =
          totalsBefore(op, at, part, program);
      if (failed(before))
        return failure();
      sum = *before;
      warp = part;
    }
    if (!sum.empty()) {
      auto combined = combine(op.getCombiner(), sum, next, program);
      if (failed(combined))
        return failure();
      next = *combined;
    }
    sum = next;
    for (auto [result, element] :
         llvm::zip(results, open.results(sum, /*isScan=*/true)))
      result.at(at) = element;
  }
  return success();
}

static LogicalResult evalScan(tilegpu::ScanOp op, ProgramInstance &program) {
  SmallVector<TileValue> results;
  for (mlir::Value input : op.getInputs())
    results.push_back(program.tile(input));
  SmallVector<int64_t> fibers(results[0].shape());
  fibers[op.getAxis()] = 1;
  LogicalResult status = success();
  forEachIndex(fibers, [&](Index first) {
    if (succeeded(status))
      status = scanFiber(op, first, results, program);
  });
  if (failed(status))
    return failure();
  for (auto [value, result] : llvm::zip(op.getResults(), results))
    (void)program.set(value, std::move(result));
  return success();
}

static LogicalResult evalExchange(tilegpu::ExchangeOp op,
                                  ProgramInstance &program) {
  const TileValue &source = program.tile(op.getSource());
  return program.set(op, TileValue::generate(op.getType(), [&](Index at) {
                       SmallVector<int64_t> from(at);
                       from[op.getAxis()] ^= op.getMask();
                       if (from[op.getAxis()] >= source.shape()[op.getAxis()])
                         return Element::poison(source.elementType(), op);
                       return source.at(from);
                     }));
}

static LogicalResult evalCoordinate(tilegpu::CoordinateOp op,
                                    ProgramInstance &program) {
  Type element = getElementTypeOrSelf(op.getType());
  return program.set(op, TileValue::generate(op.getType(), [&](Index at) {
                       return Element::ofInt(element, at[op.getAxis()]);
                     }));
}

void addFiberOps(OpTable &ops) {
  ops.add<tilegpu::CoordinateOp>(evalCoordinate);
  ops.add<tilegpu::ExchangeOp>(evalExchange);
  ops.add<tilegpu::ReduceOp>(evalReduce);
  ops.add<tilegpu::ScanOp>(evalScan);
}

} // namespace tilewright::verify
