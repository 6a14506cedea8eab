#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/KnownTensor.h"
#include "graph/build/Movement.h"
#include "graph/build/Regions.h"
#include "graph/build/Scatter.h"
#include "graph/build/TensorValues.h"
#include "graph/ir/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::build {

namespace {
/// A tensor that a loop carries.
struct Slot {
  Tensor first;
  /// Whether its elements are carried as index values.
  bool isKnown = false;
  /// Which sizes, or known elements, differ from iteration to iteration.
  llvm::SmallBitVector changed = {};
  /// Which known elements may be less than 0 at the begin of an iteration.
  llvm::SmallBitVector mayBeNegative = {};
  /// Whether it collects in memory that grows: there is room for one more than
  /// there were iterations.
  bool grows = false;

  [[nodiscard]] ArrayRef<Expr> numbers() const {
    return isKnown ? ArrayRef<Expr>(*first->content)
                   : ArrayRef<Expr>(first->dims);
  }
};

/// Writes a loop: an iteration again and again, until it is known which sizes
/// change; then the op.
class LoopWriter {
public:
  LoopWriter(GraphBuilder &b, const LoopParts &parts, Body body)
      : b(b), parts(parts), body(body) {
    for (const Tensor &tensor : parts.state)
      addSlot(tensor);
  }
  FailureOr<LoopResults> run();

private:
  /// What an attempt wrote.
  struct Attempt {
    scf::ExecuteRegionOp holder;
    Block *block = nullptr;
    Expr number;
    Iteration iteration;
    /// The arguments of the slots, and what is left for them.
    SmallVector<Value> arguments, next;
  };

  void addSlot(const Tensor &tensor);
  FailureOr<bool> attempt(Attempt &out);
  Tensor argumentOf(Slot &slot, Attempt &out);
  FailureOr<bool> compare(Slot &slot, const Tensor &found, const Tensor &next);
  LogicalResult collect(Attempt &out);
  bool isOutside(Expr size) const;
  Tensor tensorOf(Slot &slot, ArrayRef<Value> values);
  SmallVector<Value> valuesOf(const Slot &slot, const Tensor &tensor);
  SmallVector<Type> typesOf(const Slot &slot) const;
  SmallVector<Value> writeWhile(Attempt &done);
  SmallVector<Value> writeFor(Attempt &done);
  FailureOr<LoopResults> results(ArrayRef<Value> values);
  bool hasCondition() const { return condition.has_value(); }
  bool hasRoomForAll(const Tensor &given) const;

  GraphBuilder &b;
  const LoopParts &parts;
  Body body;
  std::vector<Slot> slots;
  /// The slot with the condition.
  std::optional<size_t> condition;
  /// Slots of what is collected begin here.
  size_t firstCollected = 0;
  /// How many symbols there were before the iteration.
  unsigned outerSymbols = 0;
};
} // namespace

static bool isAtLeastZero(GraphBuilder &b, Expr number) {
  return lowerBound(b.sizes, number).value_or(-1) >= 0;
}

void LoopWriter::addSlot(const Tensor &tensor) {
  Slot &slot = slots.emplace_back();
  slot.first = tensor;
  slot.isKnown = tensor->content.has_value();
  slot.changed.resize(unsigned(slot.numbers().size()));
  slot.mayBeNegative.resize(slot.changed.size());
  for (auto [k, number] : llvm::enumerate(slot.numbers()))
    if (slot.isKnown && !isAtLeastZero(b, number))
      slot.mayBeNegative.set(unsigned(k));
}

/// What is carried of a slot: one tensor, or each known element that changes.
SmallVector<Type> LoopWriter::typesOf(const Slot &slot) const {
  if (slot.isKnown)
    return SmallVector<Type>(slot.changed.count(), b.builder.getIndexType());
  RankedTensorType type = typeOf(slot.first->dims, slot.first->element);
  SmallVector<int64_t> shape(type.getShape());
  for (unsigned d : slot.changed.set_bits())
    shape[d] = ShapedType::kDynamic;
  return {RankedTensorType::get(shape, type.getElementType())};
}

SmallVector<Value> LoopWriter::valuesOf(const Slot &slot,
                                        const Tensor &tensor) {
  SmallVector<Value> values;
  if (slot.isKnown) {
    for (unsigned k : slot.changed.set_bits())
      values.push_back(b.index((*tensor->content)[k]));
    return values;
  }
  Value value = denseValue(b, tensor);
  Type type = typesOf(slot).front();
  if (value.getType() != type)
    value = tensor::CastOp::create(b.builder, b.loc, type, value);
  return {value};
}

/// The tensor that carried values stand for. What changes is a new symbol.
Tensor LoopWriter::tensorOf(Slot &slot, ArrayRef<Value> values) {
  SmallVector<Expr> numbers(slot.numbers());
  for (auto [i, k] : llvm::enumerate(slot.changed.set_bits())) {
    Value value = values.front();
    if (slot.isKnown) {
      value = values[i];
    } else {
      Value dim = arith::ConstantIndexOp::create(b.builder, b.loc, int64_t(k));
      value = tensor::DimOp::create(b.builder, b.loc, value, dim);
    }
    std::optional<int64_t> least;
    if (!slot.mayBeNegative.test(k))
      least = 0;
    numbers[k] = b.sizes.symbols.fresh("loop", least);
    b.indices.defineHere(numbers[k], value);
  }
  if (slot.isKnown)
    return integerTensor(b, numbers, slot.first->dims, slot.first->element);
  FailureOr<Tensor> tensor =
      wrap(b, values.front(), numbers, slot.first->element);
  return succeeded(tensor) ? *tensor : nullptr;
}

Tensor LoopWriter::argumentOf(Slot &slot, Attempt &out) {
  SmallVector<Value> values;
  for (Type type : typesOf(slot))
    values.push_back(out.block->addArgument(type, b.loc));
  out.arguments.append(values);
  return tensorOf(slot, values);
}

/// Whether a size or element is as the iteration found it, and an element at
/// least 0, wherever it was said to be.
FailureOr<bool> LoopWriter::compare(Slot &slot, const Tensor &found,
                                    const Tensor &next) {
  if (next->element != found->element || next->rank() != found->rank())
    return b.fail("a value that the loop carries changes from " +
                  dtypeName(found->element) + b.sizes.str(found->dims) +
                  " to " + dtypeName(next->element) + b.sizes.str(next->dims));
  Tensor known = slot.isKnown ? evaluate(b, next) : next;
  if (slot.isKnown &&
      (!known || !known->content || next->dims != found->dims)) {
    slot.isKnown = false;
    for (llvm::SmallBitVector *bits : {&slot.changed, &slot.mayBeNegative}) {
      bits->clear();
      bits->resize(unsigned(found->rank()));
    }
    return false;
  }
  bool isSame = true;
  ArrayRef<Expr> now = slot.isKnown ? *known->content : next->dims;
  ArrayRef<Expr> before = slot.isKnown ? *found->content : found->dims;
  for (unsigned k = 0; k < now.size(); ++k)
    if (!slot.changed.test(k) && now[k] != before[k]) {
      slot.changed.set(k);
      isSame = false;
    } else if (slot.isKnown && slot.changed.test(k) &&
               !slot.mayBeNegative.test(k) && !isAtLeastZero(b, now[k])) {
      slot.mayBeNegative.set(k);
      isSame = false;
    }
  return isSame;
}

/// One iteration; whether what was said of the slots holds.
FailureOr<bool> LoopWriter::attempt(Attempt &out) {
  out.holder = scf::ExecuteRegionOp::create(b.builder, b.loc, TypeRange());
  out.block = &out.holder.getRegion().emplaceBlock();
  outerSymbols = b.sizes.symbols.count();
  RegionScope scope(b, *out.block);
  out.number = b.sizes.symbols.fresh("iteration", 0);
  b.indices.defineHere(out.number,
                       out.block->addArgument(b.builder.getIndexType(), b.loc));
  SmallVector<Tensor> found;
  for (Slot &slot : slots) {
    found.push_back(argumentOf(slot, out));
    if (!found.back())
      return failure();
  }
  const Location loc = b.loc;
  TRY(out.iteration,
      body(out.number, ArrayRef(found).take_front(parts.state.size())));
  b.loc = loc;
  if (Tensor &next = out.iteration.condition) {
    next = rearrange(b, next, {});
    Tensor known = evaluate(b, next);
    const bool isOn =
        known && known->content && isConst((*known->content)[0], 1);
    if (isOn && !parts.condition)
      next = nullptr;
    if (next && !condition) {
      // It is carried from now on.
      condition = slots.size();
      slots.push_back({parts.condition ? rearrange(b, parts.condition, {})
                                       : scalarConstant(b, boolean(b), 1)});
      return false;
    }
  }
  bool isSame = true;
  SmallVector<Tensor> next = out.iteration.state;
  if (next.size() < parts.state.size())
    return b.fail("an iteration gives " + Twine(next.size()) +
                  " values, the loop carries " + Twine(parts.state.size()));
  if (condition)
    next.push_back(out.iteration.condition ? out.iteration.condition
                                           : scalarConstant(b, boolean(b), 1));
  for (auto [slot, before, after] : llvm::zip(slots, found, next)) {
    TRY(bool same, compare(slot, before, after));
    isSame &= same;
  }
  if (!isSame)
    return false;
  for (auto [slot, after] : llvm::zip(slots, next)) {
    Tensor left = slot.isKnown ? evaluate(b, after) : after;
    out.next.append(valuesOf(slot, left));
  }
  if (failed(collect(out)))
    return failure();
  return true;
}

/// Whether the size is known outside of the loop.
bool LoopWriter::isOutside(Expr size) const {
  bool result = true;
  size.walk([&](Expr part) {
    auto symbol = dyn_cast<AffineSymbolExpr>(part);
    if (!symbol)
      return;
    if (Expr positive = b.sizes.symbols.positivePartOf(symbol))
      result &= isOutside(positive);
    else
      result &= symbol.getPosition() < outerSymbols;
  });
  return result;
}

/// Whether to begin with memory for the greatest count of iterations that each
/// give this: exports of loops that end by a condition have one that is never
/// reached.
bool LoopWriter::hasRoomForAll(const Tensor &given) const {
  constexpr int64_t mostByCondition = int64_t{1} << 22;
  if (!hasCondition())
    return true;
  auto count = parts.count ? constantOf(parts.count) : std::nullopt;
  auto size = countOf(*given);
  int64_t elements;
  return count && size && !llvm::MulOverflow(*count, *size, elements) &&
         elements <= mostByCondition;
}

/// Carries what iterations give: in a tensor with room for all of them, or in
/// one that grows.
LogicalResult LoopWriter::collect(Attempt &out) {
  firstCollected = slots.size();
  for (const auto &[given, position] : out.iteration.collected) {
    if (!llvm::all_of(given->dims, [&](Expr d) { return isOutside(d); }))
      return b.fail("what the loop collects has another shape in each "
                    "iteration: " +
                    b.sizes.str(given->dims));
    Dims dims = given->dims;
    const bool grows = !hasRoomForAll(given);
    dims.insert(dims.begin(), grows ? b.sizes.constant(1) : parts.count);
    Tensor empty;
    {
      // In front of the loop.
      OpBuilder::InsertionGuard guard(b.builder);
      b.builder.setInsertionPoint(out.holder);
      Block *inside = b.indices.enter(out.holder->getBlock());
      auto made = broadcastTo(b, scalarConstant(b, given->element, 0), dims);
      b.indices.enter(inside);
      TRY(empty, made);
    }
    Slot slot{empty};
    slot.changed.resize(unsigned(dims.size()));
    slot.mayBeNegative.resize(unsigned(dims.size()));
    slot.grows = grows;
    if (grows)
      slot.changed.set(0);
    slots.push_back(slot);
    Tensor before = argumentOf(slots.back(), out);
    Tensor at =
        integerTensor(b, {position ? position : out.number}, {}, i64(b));
    TRY(Tensor after,
        scatterPoints(b, before, {0}, {at}, given, ScatterReduction::Replace));
    Value next = valuesOf(slots.back(), after).front();
    if (grows)
      next = graph::ResizeRowsOp::create(b.builder, b.loc, next.getType(), next,
                                         b.index(b.sizes.add(out.number, 2)));
    out.next.push_back(next);
  }
  return success();
}

/// scf.while: the number, then the slots.
SmallVector<Value> LoopWriter::writeWhile(Attempt &done) {
  OpBuilder &builder = b.builder;
  SmallVector<Value> inits{b.index(b.zero())};
  SmallVector<Type> types{builder.getIndexType()};
  std::optional<unsigned> decides;
  for (auto [number, slot] : llvm::enumerate(slots)) {
    if (condition == number)
      decides = unsigned(inits.size());
    inits.append(valuesOf(slot, slot.first));
    types.append(typesOf(slot));
  }
  auto op = scf::WhileOp::create(builder, b.loc, types, inits);
  SmallVector<Location> locations(types.size(), b.loc);
  OpBuilder::InsertionGuard guard(builder);
  Block *before = builder.createBlock(&op.getBefore(), {}, types, locations);
  Value goesOn = graph::ConditionOp::create(builder, b.loc, builder.getI1Type(),
                                            before->getArgument(*decides));
  if (parts.count) {
    // The limit is known outside.
    Value limit;
    {
      OpBuilder::InsertionGuard outside(builder);
      builder.setInsertionPoint(op);
      limit = b.index(parts.count);
    }
    Value isBelow =
        arith::CmpIOp::create(builder, b.loc, arith::CmpIPredicate::slt,
                              before->getArgument(0), limit);
    goesOn = arith::AndIOp::create(builder, b.loc, isBelow, goesOn);
  }
  scf::ConditionOp::create(builder, b.loc, goesOn, before->getArguments());
  Block *after = builder.createBlock(&op.getAfter(), {}, types, locations);
  after->getOperations().splice(after->end(), done.block->getOperations());
  for (auto [from, to] :
       llvm::zip(done.block->getArguments(), after->getArguments()))
    from.replaceAllUsesWith(to);
  builder.setInsertionPointToEnd(after);
  Value one = arith::ConstantIndexOp::create(builder, b.loc, 1);
  SmallVector<Value> yielded{
      arith::AddIOp::create(builder, b.loc, after->getArgument(0), one)};
  llvm::append_range(yielded, done.next);
  for (Value &value : yielded)
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == done.block)
      value = after->getArgument(argument.getArgNumber());
  scf::YieldOp::create(builder, b.loc, yielded);
  return SmallVector<Value>(op.getResults().begin(), op.getResults().end());
}

SmallVector<Value> LoopWriter::writeFor(Attempt &done) {
  OpBuilder &builder = b.builder;
  SmallVector<Value> inits;
  for (const Slot &slot : slots)
    inits.append(valuesOf(slot, slot.first));
  Value count = b.index(parts.count);
  auto op = scf::ForOp::create(builder, b.loc, b.index(b.zero()), count,
                               b.index(b.sizes.constant(1)), inits);
  Block *target = op.getBody();
  if (inits.empty())
    target->getTerminator()->erase();
  target->getOperations().splice(target->end(), done.block->getOperations());
  for (auto [from, to] :
       llvm::zip(done.block->getArguments(), target->getArguments()))
    from.replaceAllUsesWith(to);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(target);
  SmallVector<Value> yielded(done.next);
  for (Value &value : yielded)
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == done.block)
      value = target->getArgument(argument.getArgNumber());
  scf::YieldOp::create(builder, b.loc, yielded);
  // The number is no result.
  SmallVector<Value> values{count};
  values.append(op.getResults().begin(), op.getResults().end());
  return values;
}

FailureOr<LoopResults> LoopWriter::results(ArrayRef<Value> values) {
  Value iterations = values.front();
  values = values.drop_front();
  LoopResults results;
  for (auto [number, slot] : llvm::enumerate(slots)) {
    const size_t count = typesOf(slot).size();
    Tensor tensor = tensorOf(slot, values.take_front(count));
    values = values.drop_front(count);
    if (!tensor)
      return failure();
    if (number < parts.state.size())
      results.state.push_back(tensor);
    if (number < firstCollected)
      continue;
    if (hasCondition()) {
      // There is room for more than there were.
      Dims dims = tensor->dims;
      dims.front() = b.sizes.symbols.fresh("iterations", 0);
      b.indices.defineHere(dims.front(), iterations);
      Value some = graph::ResizeRowsOp::create(
          b.builder, b.loc, typeOf(dims, tensor->element),
          denseValue(b, tensor), iterations);
      TRY(tensor, wrap(b, some, dims, tensor->element));
    }
    results.collected.push_back(tensor);
  }
  return results;
}

FailureOr<LoopResults> LoopWriter::run() {
  if (parts.condition) {
    condition = slots.size();
    slots.push_back({rearrange(b, parts.condition, {})});
  }
  while (true) {
    Attempt now;
    FailureOr<bool> isDone = attempt(now);
    if (succeeded(isDone) && !*isDone) {
      now.holder.erase();
      continue;
    }
    if (succeeded(isDone) && !condition && !parts.count)
      isDone = b.fail("nothing ends the loop: it has neither a greatest count "
                      "nor a condition");
    if (failed(isDone)) {
      now.holder.erase();
      return failure();
    }
    SmallVector<Value> values =
        hasCondition() ? writeWhile(now) : writeFor(now);
    now.holder.erase();
    return results(values);
  }
}

FailureOr<LoopResults> repeat(GraphBuilder &b, const LoopParts &parts,
                              Body body) {
  return LoopWriter(b, parts, body).run();
}

} // namespace tilewright::build
