// Contractions, reductions, scans.
#include "tileir/reference/Combiner.h"
#include "tileir/reference/Dot.h"
#include "tileir/reference/ProgramInstance.h"
#include "tileir/reference/SetOps.h"

using namespace mlir;
using llvm::APFloat;

namespace tilewright::reference {

//===--- dot --------------------------------------------------------------===//

static LogicalResult evalDot(tile::DotOp op, ProgramInstance &program) {
  return program.set(op,
                     dot(program.tile(op.getLhs()), program.tile(op.getRhs()),
                         program.tile(op.getAcc()),
                         {op.getPrecision(), op.getLhsUnsigned(),
                          op.getRhsUnsigned(), program.getFreedom()}));
}

/// The tiles of a tile.scaled_dot.
struct ScaledOperands {
  const TileValue &lhs, &lhsScale, &rhs, &rhsScale, &acc;
  int64_t block;
};

static TileValue exactScaledDot(const ScaledOperands &o) {
  return TileValue::generate(o.acc.type, [&](Index i) {
    APFloat sum = o.acc.at(i).real();
    SmallVector<int64_t> left(i), right(i);
    for (int64_t k = 0; k < o.lhs.shape().back(); ++k) {
      left.back() = right[right.size() - 2] = k;
      APFloat product = o.lhs.at(left).real() * o.rhs.at(right).real();
      left.back() = right[right.size() - 2] = k / o.block;
      sum = sum +
            product * o.lhsScale.at(left).real() * o.rhsScale.at(right).real();
    }
    return Element::ofFloat(o.acc.elementType(), sum);
  });
}

/// The same with lhs[.., m, k] * lhsScale[.., m, k / block] for lhs[.., m, k],
/// and likewise for rhs.
static LogicalResult evalScaledDot(tile::ScaledDotOp op,
                                   ProgramInstance &program) {
  const TileValue &lhs = program.tile(op.getLhs());
  const TileValue &rhs = program.tile(op.getRhs());
  const TileValue &lhsScale = program.tile(op.getLhsScale());
  const TileValue &rhsScale = program.tile(op.getRhsScale());
  const TileValue &acc = program.tile(op.getAcc());
  // Any poison makes the whole result poison.
  for (const TileValue *tile : {&lhs, &rhs, &lhsScale, &rhsScale, &acc})
    if (const Element *poison = findPoison(tile->elements))
      return program.set(
          op, TileValue::splat(
                  op.getType(),
                  Element::poison(acc.elementType(), poison->poisonOrigin())));
  int64_t block = op.getBlockSize();
  if (acc.elementType().isF128())
    return program.set(
        op, exactScaledDot({lhs, lhsScale, rhs, rhsScale, acc, block}));
  const FreedomOptions &freedom = program.getFreedom();
  TileValue result = TileValue::generate(op.getType(), [&](Index i) {
    double sum = acc.at(i).toDouble();
    OpenScaledDot open(acc.at(i), freedom);
    SmallVector<int64_t> left(i), right(i);
    for (int64_t k = 0; k < lhs.shape().back(); ++k) {
      left.back() = right[right.size() - 2] = k;
      const Element &a = lhs.at(left), &b = rhs.at(right);
      left.back() = right[right.size() - 2] = k / block;
      const Element &scale = lhsScale.at(left), &other = rhsScale.at(right);
      sum += a.toDouble() * b.toDouble() * scale.toDouble() * other.toDouble();
      if (freedom.freedom != Freedom::none)
        open.add(a, scale, b, other);
    }
    Element computed = Element::ofDouble(acc.elementType(), sum);
    return freedom.freedom == Freedom::none ? computed : open.result(computed);
  });
  return program.set(op, std::move(result));
}

//===--- reduce, scan -----------------------------------------------------===//

/// Runs a combining region on one element of each input from the left and one
/// from the right.
static FailureOr<SmallVector<Element>> combine(Block &region,
                                               ArrayRef<Element> left,
                                               ArrayRef<Element> right,
                                               ProgramInstance &program) {
  SmallVector<Value> arguments;
  for (const Element &element : left)
    arguments.push_back(TileValue::scalar(element));
  for (const Element &element : right)
    arguments.push_back(TileValue::scalar(element));
  FailureOr<SmallVector<Value>> results = program.run(region, arguments);
  if (failed(results))
    return failure();
  SmallVector<Element> combined;
  for (const Value &result : *results)
    combined.push_back(std::get<TileValue>(result).elements[0]);
  return combined;
}

/// The elements of all inputs at `index`.
static SmallVector<Element> gatherAt(ArrayRef<const TileValue *> inputs,
                                     Index index) {
  SmallVector<Element> elements;
  for (const TileValue *input : inputs)
    elements.push_back(input->at(index));
  return elements;
}

static SmallVector<const TileValue *> inputsOf(OperandRange operands,
                                               ProgramInstance &program) {
  SmallVector<const TileValue *> inputs;
  for (mlir::Value operand : operands)
    inputs.push_back(&program.tile(operand));
  return inputs;
}

/// What a region's combination of many elements may be, by input; none without
/// freedom.
template <typename Op>
static std::vector<OpenCombination> openCombinations(Op op,
                                                     ProgramInstance &program) {
  std::vector<OpenCombination> open;
  const unsigned inputs = op.getInputs().size();
  for (unsigned n = 0; program.isOpen() && n < inputs; ++n)
    open.emplace_back(combinationOf(*op.getBody(), inputs, n),
                      getElementTypeOrSelf(op.getInputs()[n]),
                      program.getFreedom());
  return open;
}

static void addAll(std::vector<OpenCombination> &open,
                   ArrayRef<Element> elements) {
  for (auto [combination, element] : llvm::zip(open, elements))
    combination.add(element);
}

/// The computed combinations, with what else is permitted.
static SmallVector<Element> withFreedom(ArrayRef<OpenCombination> open,
                                        ArrayRef<Element> computed,
                                        bool isScan) {
  SmallVector<Element> elements(computed);
  for (auto [combination, element] : llvm::zip(open, elements))
    element = combination.result(element, isScan);
  return elements;
}

/// The elements of a fiber combined in this order.
template <typename Range>
static FailureOr<SmallVector<Element>> fold(Block &region, Range &&fiber,
                                            ProgramInstance &program) {
  FailureOr<SmallVector<Element>> sum = *fiber.begin();
  for (const SmallVector<Element> &next : llvm::drop_begin(fiber))
    if (succeeded(sum))
      sum = combine(region, *sum, next, program);
  return sum;
}

/// A fiber from the first element to the last; with freedom in any order.
static FailureOr<SmallVector<Element>>
reduceFiber(tile::ReduceOp op, ArrayRef<SmallVector<Element>> fiber,
            std::vector<OpenCombination> open, ProgramInstance &program) {
  Block &region = *op.getBody();
  FailureOr<SmallVector<Element>> sum = fold(region, fiber, program);
  if (failed(sum) || open.empty() || fiber.size() == 1)
    return sum;
  for (const SmallVector<Element> &elements : fiber)
    addAll(open, elements);
  SmallVector<Element> found = withFreedom(open, *sum, /*isScan=*/false);
  // A combination that depends on the order in spite of its promise, as that of
  // an equal element's index, mostly shows it from the other end.
  auto reversed = fold(region, llvm::reverse(fiber), program);
  if (failed(reversed))
    return failure();
  for (auto [combination, element, other] :
       llvm::zip_equal(open, found, *reversed))
    if (combination.isExact())
      element = uniteElements(element, other);
  return found;
}

static LogicalResult evalReduce(tile::ReduceOp op, ProgramInstance &program) {
  const auto combinations = openCombinations(op, program);
  auto inputs = inputsOf(op.getInputs(), program);
  SmallVector<TileValue> results;
  for (Type type : op.getResultTypes())
    results.push_back({type, {}});
  LogicalResult status = success();
  forEachIndex(results[0].shape(), [&](Index i) {
    if (failed(status))
      return;
    SmallVector<int64_t> from(i);
    from.insert(from.begin() + op.getAxis(), 0);
    SmallVector<SmallVector<Element>> fiber;
    for (int64_t k = 0; k < inputs[0]->shape()[op.getAxis()]; ++k) {
      from[op.getAxis()] = k;
      fiber.push_back(gatherAt(inputs, from));
    }
    auto combined = reduceFiber(op, fiber, combinations, program);
    status = LogicalResult(combined);
    if (failed(status))
      return;
    for (auto [result, element] : llvm::zip_equal(results, *combined))
      result.elements.push_back(element);
  });
  if (failed(status))
    return failure();
  for (auto [value, result] : llvm::zip_equal(op.getResults(), results))
    (void)program.set(value, std::move(result));
  return success();
}

static LogicalResult evalScan(tile::ScanOp op, ProgramInstance &program) {
  auto inputs = inputsOf(op.getInputs(), program);
  const auto combinations = openCombinations(op, program);
  // Each element is combined with the result before it, in scan order.
  SmallVector<TileValue> results;
  for (const TileValue *input : inputs)
    results.push_back(*input);
  SmallVector<int64_t> fibers(inputs[0]->shape());
  int64_t size = std::exchange(fibers[op.getAxis()], 1);
  LogicalResult status = success();
  forEachIndex(fibers, [&](Index fiber) {
    SmallVector<int64_t> at(fiber);
    SmallVector<Element> sum;
    auto open = combinations;
    for (int64_t k = 0; k < size && succeeded(status); ++k) {
      at[op.getAxis()] = op.getReverse() ? size - 1 - k : k;
      SmallVector<Element> next = gatherAt(inputs, at);
      addAll(open, next);
      if (k > 0) {
        auto combined = combine(*op.getBody(), sum, next, program);
        status = LogicalResult(combined);
        if (succeeded(status))
          next = std::move(*combined);
      }
      sum = next;
      SmallVector<Element> found =
          k > 0 ? withFreedom(open, sum, /*isScan=*/true) : sum;
      for (auto [result, element] : llvm::zip_equal(results, found))
        result.at(at) = element;
    }
  });
  if (failed(status))
    return failure();
  for (auto [value, result] : llvm::zip_equal(op.getResults(), results))
    (void)program.set(value, std::move(result));
  return success();
}

void addComputeOps(OpTable &table) {
  table.add<tile::DotOp>(evalDot);
  table.add<tile::ScaledDotOp>(evalScaledDot);
  table.add<tile::ReduceOp>(evalReduce);
  table.add<tile::ScanOp>(evalScan);
}

} // namespace tilewright::reference
