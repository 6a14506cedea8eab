// Loops and conditions.
#include "tileir/authoring/construction/Handles.h"
#include "tileir/authoring/construction/Literals.h"
#include "tileir/authoring/construction/Types.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::authoring::detail {

/// A tile's shape: element types and ranks are the matter of C++.
static std::string typeText(Type type) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return "a tile of " + shapeText(tile.getShape());
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Whether what a body returns has the types of what came in.
static bool checkCarried(KernelBuilder &c, StringRef name, ValueRange before,
                         ValueRange after, const std::source_location &where) {
  for (auto [i, values] : llvm::enumerate(llvm::zip(before, after))) {
    auto [first, second] = values;
    if (first.getType() == second.getType())
      continue;
    c.error(where, "carried_type",
            name + ": value " + Twine(i) + " is " + typeText(first.getType()) +
                " before the body and " + typeText(second.getType()) +
                " after it; expected one shape");
    return false;
  }
  return true;
}

/// Runs `body` in `block` and ends it with Yield.
template <class Yield, class F>
static bool fill(KernelBuilder &c, Block *block,
                 const std::source_location &where,
                 SmallVectorImpl<Value> &values, F body) {
  return c.within(block, [&] {
    Handles results = body();
    if (c.hasFailed() || !valuesOf(c, results, where, values))
      return false;
    Yield::create(c.builder, c.locationOf(where), values);
    return true;
  });
}

/// Appends a loop with `body`; null where there is an error. `bounds` are its
/// begin, end and step.
static scf::ForOp traceLoop(KernelBuilder &c, std::array<Value, 3> bounds,
                            ValueRange inits, const LoopBody &body,
                            const std::source_location &where) {
  // Without a body of the builder's own making, so that the terminator is ours.
  auto op = scf::ForOp::create(c.builder, c.locationOf(where), bounds[0],
                               bounds[1], bounds[2], inits,
                               [](OpBuilder &, Location, Value, ValueRange) {});
  SmallVector<Value> yielded;
  bool good = fill<scf::YieldOp>(c, op.getBody(), where, yielded, [&] {
    return body(handleOf(c, op.getInductionVar()),
                handlesOf(c, op.getRegionIterArgs()));
  });
  good =
      good && checkCarried(c, "loop", inits, yielded, where) && c.checked(op);
  return good ? op : nullptr;
}

Handles loop(const Operand &begin, const Operand &end, const Operand &step,
             const Handles &initial, const LoopBody &body,
             std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  SmallVector<Value> inits;
  if (!c || c->hasFailed() || !valuesOf(*c, initial, where, inits))
    return Handles(initial.size());
  Value low = indexOf(*c, begin), high = indexOf(*c, end),
        by = indexOf(*c, step);
  if (!low || !high || !by)
    return Handles(initial.size());
  APInt number;
  if (matchPattern(by, m_ConstantInt(&number)) &&
      !number.isStrictlyPositive()) {
    c->error(step.where, "loop_step",
             "loop: the step is " + Twine(number.getSExtValue()) +
                 ", expected at least 1; to go down, compute the index from "
                 "an index that goes up");
    return Handles(initial.size());
  }
  auto trace = [&]() -> Operation * {
    return traceLoop(*c, {low, high, by}, inits, body, where);
  };
  Operation *op = trace();
  c->secondTrace.run(op, trace);
  return op && !c->hasFailed() ? handlesOf(*c, op->getResults())
                               : Handles(initial.size());
}

Handles branch(const Operand &condition, const Body &then,
               const Body &otherwise, std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  if (!c || c->hasFailed())
    return {};
  Value holds = scalarOf(*c, condition, c->builder.getI1Type(), false);
  if (!holds)
    return {};
  Location location = c->locationOf(where);
  // The types of the results are known once the bodies are.
  auto draft = scf::IfOp::create(c->builder, location, TypeRange(), holds,
                                 /*addThenBlock=*/true,
                                 /*addElseBlock=*/bool(otherwise));
  SmallVector<Value> thenValues, elseValues;
  if (!fill<scf::YieldOp>(*c, draft.thenBlock(), where, thenValues, then))
    return Handles(thenValues.size());
  if (otherwise &&
      !fill<scf::YieldOp>(*c, draft.elseBlock(), where, elseValues, otherwise))
    return Handles(thenValues.size());
  if (otherwise)
    for (auto [a, b] : llvm::zip(thenValues, elseValues))
      if (a.getType() != b.getType()) {
        c->error(where, "carried_type",
                 "when: one body returns " + typeText(a.getType()) +
                     ", the other " + typeText(b.getType()) +
                     "; expected one shape");
        return Handles(thenValues.size());
      }
  auto op = scf::IfOp::create(c->builder, location,
                              TypeRange(ValueRange(thenValues)), holds,
                              /*addThenBlock=*/false, /*addElseBlock=*/false);
  op.getThenRegion().takeBody(draft.getThenRegion());
  op.getElseRegion().takeBody(draft.getElseRegion());
  draft.erase();
  return c->checked(op) ? handlesOf(*c, op.getResults())
                        : Handles(thenValues.size());
}

/// Appends a while loop; null where there is an error.
static scf::WhileOp traceWhile(KernelBuilder &c, ValueRange inits,
                               const StateCondition &condition,
                               const StateBody &body,
                               const std::source_location &where) {
  Location location = c.locationOf(where);
  SmallVector<Type> types(inits.getTypes());
  SmallVector<Location> locations(types.size(), location);
  auto op = scf::WhileOp::create(c.builder, location, types, inits);
  Block *before = c.builder.createBlock(&op.getBefore(), {}, types, locations);
  Block *after = c.builder.createBlock(&op.getAfter(), {}, types, locations);
  c.builder.setInsertionPointAfter(op);
  c.within(before, [&] {
    Value holds =
        valueOf(c, condition(handlesOf(c, before->getArguments())), where);
    if (holds)
      scf::ConditionOp::create(c.builder, location, holds,
                               before->getArguments());
  });
  SmallVector<Value> yielded;
  bool good =
      !c.hasFailed() && fill<scf::YieldOp>(c, after, where, yielded, [&] {
        return body(handlesOf(c, after->getArguments()));
      });
  good = good && checkCarried(c, "loopWhile", inits, yielded, where) &&
         c.checked(op);
  return good ? op : nullptr;
}

Handles loopWhile(const Handles &initial, const StateCondition &condition,
                  const StateBody &body, std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  SmallVector<Value> inits;
  if (!c || c->hasFailed() || !valuesOf(*c, initial, where, inits))
    return Handles(initial.size());
  auto trace = [&]() -> Operation * {
    return traceWhile(*c, inits, condition, body, where);
  };
  Operation *op = trace();
  c->secondTrace.run(op, trace);
  return op && !c->hasFailed() ? handlesOf(*c, op->getResults())
                               : Handles(initial.size());
}

} // namespace tilewright::authoring::detail
