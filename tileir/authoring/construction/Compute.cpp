// Contractions, reductions, order.
#include "tileir/authoring/construction/Elementwise.h"
#include "tileir/authoring/construction/Handles.h"
#include "tileir/authoring/construction/Types.h"

using namespace mlir;

namespace tilewright::authoring::detail {

/// The values of tiles that one operation takes; none where there is an error.
static std::optional<SmallVector<Value>>
valuesOf(KernelBuilder *c, const Handles &handles,
         const std::source_location &where) {
  SmallVector<Value> values;
  if (!c || c->hasFailed() || !valuesOf(*c, handles, where, values))
    return std::nullopt;
  return values;
}

static Handles resultsOf(KernelBuilder &c, Operation *op, size_t count) {
  return op ? handlesOf(c, op->getResults()) : Handles(count);
}

//===--- Contractions -----------------------------------------------------===//

static tile::DotPrecision precisionOf(Precision precision) {
  switch (precision) {
  case Precision::ieee:
    return tile::DotPrecision::ieee;
  case Precision::tf32:
    return tile::DotPrecision::tf32;
  case Precision::tf32x3:
    return tile::DotPrecision::tf32x3;
  case Precision::bf16x3:
    return tile::DotPrecision::bf16x3;
  case Precision::bf16x6:
    return tile::DotPrecision::bf16x6;
  case Precision::fast:
    return tile::DotPrecision::fast;
  }
  return tile::DotPrecision::ieee;
}

Handle dot(Handle lhs, Handle rhs, Handle acc, Precision precision,
           DotTraits elementTraits, std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  auto values = valuesOf(c, {lhs, rhs, acc}, where);
  if (!values)
    return {};
  auto op = c->create<tile::DotOp>(
      where, (*values)[2].getType(), (*values)[0], (*values)[1], (*values)[2],
      precisionOf(precision), elementTraits.lhsUnsigned,
      elementTraits.rhsUnsigned);
  return op ? handleOf(*c, op.getResult()) : Handle();
}

Handle scaledDot(Handle lhs, Handle lhsScale, Handle rhs, Handle rhsScale,
                 Handle acc, std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  auto values = valuesOf(c, {lhs, lhsScale, rhs, rhsScale, acc}, where);
  if (!values)
    return {};
  auto op = c->create<tile::ScaledDotOp>(
      where, values->back().getType(), (*values)[0], (*values)[1], (*values)[2],
      (*values)[3], (*values)[4]);
  return op ? handleOf(*c, op.getResult()) : Handle();
}

std::vector<int64_t> productShape(Handle lhs, Handle rhs, int rank,
                                  std::source_location where) {
  std::vector<int64_t> shape = shapeOf(lhs, rank, where);
  shape.back() = shapeOf(rhs, rank, where).back();
  return shape;
}

//===--- Reductions and scans ---------------------------------------------===//

/// A placeholder region for a reduce or scan, until the operation is in the
/// kernel, where the user's function can run.
static SmallVector<Value> leftElements(OpBuilder &, Location,
                                       ValueRange arguments) {
  return SmallVector<Value>(arguments.take_front(arguments.size() / 2));
}

/// Fills the region of `op` by the user's function; false where there is an
/// error.
static bool fillCombine(KernelBuilder &c, Operation *op, const Combine &combine,
                        const std::source_location &where) {
  Block &block = op->getRegion(0).front();
  block.getTerminator()->erase();
  SmallVector<Value> combined;
  c.within(&block, [&] {
    Handles results = combine(handlesOf(c, block.getArguments()));
    if (valuesOf(c, results, where, combined))
      tile::YieldOp::create(c.builder, c.locationOf(where), combined);
  });
  return !c.hasFailed() && c.checked(op);
}

/// Appends a reduce or scan by the user's function; null where there is an
/// error.
template <class Op, class... A>
static Operation *combineBy(KernelBuilder &c, const Combine &combine,
                            const std::source_location &where, const A &...a) {
  auto trace = [&]() -> Operation * {
    auto op = c.create<Op>(where, a..., leftElements);
    return op && fillCombine(c, op, combine, where) ? op.getOperation()
                                                    : nullptr;
  };
  Operation *op = trace();
  c.secondTrace.run(op, trace);
  return c.hasFailed() ? nullptr : op;
}

Handles reduce(const Handles &tiles, int axis, const Combine &combine,
               std::source_location where, std::string_view name) {
  KernelBuilder *c = KernelBuilder::current();
  auto values = valuesOf(c, tiles, where);
  if (!values || !checkAxis(*c, name, axis, values->front(), where))
    return Handles(tiles.size());
  auto *op =
      combineBy<tile::ReduceOp>(*c, combine, where, ValueRange(*values), axis);
  if (!op)
    return Handles(tiles.size());
  Handles results;
  for (auto [result, value] : llvm::zip(op->getResults(), *values)) {
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(value.getType()).getShape());
    shape[axis] = 1;
    Type type = RankedTensorType::get(shape, getElementTypeOrSelf(value));
    results.push_back(handleOf(
        *c, c->createOrFold<tile::ReshapeOp>(where, type, Value(result))));
  }
  return results;
}

Handles scan(const Handles &tiles, int axis, bool reverse,
             const Combine &combine, std::source_location where,
             std::string_view name) {
  KernelBuilder *c = KernelBuilder::current();
  auto values = valuesOf(c, tiles, where);
  if (!values || !checkAxis(*c, name, axis, values->front(), where))
    return Handles(tiles.size());
  Operation *op = combineBy<tile::ScanOp>(*c, combine, where,
                                          ValueRange(*values), axis, reverse);
  return resultsOf(*c, op, tiles.size());
}

/// The one of two elements with indices to keep. All of it has the location of
/// the reduction.
static Combine betterOf(bool largest, ElementTraits elementTraits,
                        std::source_location where) {
  return [=](const Handles &x) -> Handles {
    auto at = [&](Handle handle) { return Operand{handle, {}, where}; };
    auto is = [&](Comparison op, size_t a, size_t b,
                  ElementTraits elementTraits) {
      return compare(op, at(x[a]), at(x[b]), elementTraits);
    };
    auto mixed = [&](Binary op, Handle a, Handle b) {
      return binary(op, at(a), at(b), traitsOf<Bool>);
    };
    using C = Comparison;
    // x: the left element and its index, the right one and its index.
    Handle same = is(C::eq, 0, 2, elementTraits),
           right = is(largest ? C::gt : C::lt, 2, 0, elementTraits);
    if (elementTraits.isFloat) {
      Handle leftIsNaN = is(C::ne, 0, 0, elementTraits),
             leftIsNumber = is(C::eq, 0, 0, elementTraits),
             rightIsNaN = is(C::ne, 2, 2, elementTraits);
      same = mixed(Binary::bitOr, same,
                   mixed(Binary::bitAnd, leftIsNaN, rightIsNaN));
      right = mixed(Binary::bitOr, right,
                    mixed(Binary::bitAnd, leftIsNumber, rightIsNaN));
    }
    Handle isFirst = is(C::lt, 3, 1, traitsOf<I32>);
    right = mixed(Binary::bitOr, right, mixed(Binary::bitAnd, same, isFirst));
    return {select(at(right), at(x[2]), at(x[0]), elementTraits),
            select(at(right), at(x[3]), at(x[1]), traitsOf<I32>)};
  };
}

Handle locationOf(Handle tile, int axis, bool largest,
                  ElementTraits elementTraits, std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  auto values = valuesOf(c, {tile}, where);
  const char *name = largest ? "argMax" : "argMin";
  if (!values || !checkAxis(*c, name, axis, values->front(), where))
    return {};
  std::vector<int64_t> shape = shapeOf(
      tile, cast<RankedTensorType>(values->front().getType()).getRank(), where);
  std::vector<int64_t> along(shape.size(), 1);
  along[axis] = shape[axis];
  Handle row = reshape(iota(I32::type, shape[axis], where), along, where);
  Handle indices = broadcast(row, shape, where);
  return reduce({tile, indices}, axis, betterOf(largest, elementTraits, where),
                where, name)[1];
}

//===--- Order and counting -----------------------------------------------===//

Handles sort(const Handles &tiles, int axis, bool descending, bool isUnsigned,
             std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  auto values = valuesOf(c, tiles, where);
  if (!values || !checkAxis(*c, "sort", axis, values->front(), where))
    return Handles(tiles.size());
  auto op =
      c->create<tile::SortOp>(where, TypeRange(ValueRange(*values)), *values,
                              uint64_t(axis), descending, isUnsigned);
  return resultsOf(*c, op, tiles.size());
}

Handles topK(Handle tile, int64_t count, int axis, bool smallest,
             bool isUnsigned, std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  auto values = valuesOf(c, {tile}, where);
  if (!values || !checkAxis(*c, "topK", axis, values->front(), where))
    return Handles(2);
  auto source = cast<RankedTensorType>(values->front().getType());
  std::vector<int64_t> shape(source.getShape().begin(),
                             source.getShape().end());
  if (count < 1 || count > shape[axis]) {
    c->error(where, "top_k_count",
             "topK: " + Twine(count) + " elements of a dimension of " +
                 Twine(shape[axis]) + "; expected 1 to " + Twine(shape[axis]));
    return Handles(2);
  }
  shape[axis] = count;
  RankedTensorType type = tileType(*c, shape, source.getElementType(), where);
  if (!type)
    return Handles(2);
  auto op = c->create<tile::TopKOp>(
      where, type, type.clone(c->builder.getI32Type()), values->front(),
      uint64_t(axis), smallest, isUnsigned);
  return resultsOf(*c, op, 2);
}

Handle histogram(Handle tile, int64_t bins, std::optional<Handle> mask,
                 std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  auto values = valuesOf(c, mask ? Handles{tile, *mask} : Handles{tile}, where);
  if (!values)
    return {};
  RankedTensorType type =
      tileType(*c, Sizes(&bins, 1), c->builder.getI32Type(), where);
  auto op = type ? c->create<tile::HistogramOp>(where, type, values->front(),
                                                mask ? values->back() : Value())
                 : nullptr;
  return op ? handleOf(*c, op.getResult()) : Handle();
}

Handles philox(const std::vector<Operand> &counterAndKey,
               std::source_location where) {
  SmallVector<const Operand *> operands;
  for (const Operand &operand : counterAndKey)
    operands.push_back(&operand);
  SmallVector<ElementTraits> operandTraits(operands.size(), traitsOf<U32>);
  std::optional<Elementwise> e =
      Elementwise::of("philox", operands, operandTraits);
  if (!e)
    return Handles(4);
  SmallVector<Type> types(4, e->values.front().getType());
  auto op = e->c.create<tile::PhiloxOp>(where, TypeRange(types),
                                        ValueRange(e->values));
  return resultsOf(e->c, op, 4);
}

} // namespace tilewright::authoring::detail
