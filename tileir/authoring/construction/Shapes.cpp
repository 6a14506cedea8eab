// Making tiles, and moving their elements.
#include "tileir/authoring/construction/Handles.h"
#include "tileir/authoring/construction/Literals.h"
#include "tileir/authoring/construction/Types.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::authoring::detail {

namespace {
/// An operation's tile operand, with the construction it belongs to.
struct Source {
  KernelBuilder *c = KernelBuilder::current();
  Value value;
  RankedTensorType type;

  Source(Handle handle, const std::source_location &where)
      : value(c ? valueOf(*c, handle, where) : Value()),
        type(value ? cast<RankedTensorType>(value.getType())
                   : RankedTensorType()) {}
  explicit operator bool() const { return bool(value); }
  ArrayRef<int64_t> shape() const { return type.getShape(); }

  /// Appends an operation from it to a tile of `shape`.
  template <class Op, class... A>
  Handle to(Sizes shape, const std::source_location &where, A &&...a) const {
    RankedTensorType result = tileType(*c, shape, type.getElementType(), where);
    if (!result)
      return {};
    auto op = c->create<Op>(where, result, value, std::forward<A>(a)...);
    return op ? handleOf(*c, op.getResult()) : Handle();
  }
  /// Whether the tile has this dimension, an error where not.
  bool has(StringRef name, int &axis, const std::source_location &where) const {
    return checkAxis(*c, name, axis, value, where);
  }
};
} // namespace

//===--- New tiles --------------------------------------------------------===//

std::vector<int64_t> shapeOf(Handle tile, int rank,
                             std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  Value value = c ? valueOf(*c, tile, where) : Value();
  if (!value)
    return std::vector<int64_t>(rank, 1);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  return {shape.begin(), shape.end()};
}

int64_t sizeOf(Handle tile, int dim, std::source_location where) {
  Source x(tile, where);
  return x && x.has("size", dim, where) ? x.shape()[dim] : 1;
}

Handle scalar(const Operand &x, ElementTraits elementTraits) {
  KernelBuilder *c = KernelBuilder::current();
  if (!c || c->hasFailed())
    return {};
  return handleOf(*c, scalarOf(*c, x, typeOf(*c, elementTraits.type),
                               elementTraits.isSigned));
}

Handle full(const Operand &x, ElementTraits elementTraits, Sizes shape,
            std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  if (!c || c->hasFailed())
    return {};
  RankedTensorType type =
      tileType(*c, shape, typeOf(*c, elementTraits.type), where);
  if (!type)
    return {};
  if (x.literal.kind != Literal::none)
    return handleOf(
        *c, constantOf(*c, x.literal, type, elementTraits.isSigned, where));
  Value value = valueOf(*c, x.handle, x.where);
  return value
             ? handleOf(*c, c->createOrFold<tile::SplatOp>(where, type, value))
             : Handle();
}

Handle iota(ElementType type, int64_t size, std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  if (!c || c->hasFailed())
    return {};
  RankedTensorType result =
      tileType(*c, Sizes(&size, 1), typeOf(*c, type), where);
  auto op = result ? c->create<tile::IotaOp>(where, result) : nullptr;
  return op ? handleOf(*c, op.getResult()) : Handle();
}

//===--- Shapes -----------------------------------------------------------===//

Handle reshape(Handle tile, Sizes shape, std::source_location where) {
  Source x(tile, where);
  return x ? x.to<tile::ReshapeOp>(shape, where) : Handle();
}

Handle broadcast(Handle tile, Sizes shape, std::source_location where) {
  Source x(tile, where);
  if (x && x.shape() == ArrayRef<int64_t>(shape.data(), shape.size()))
    return tile;
  return x ? x.to<tile::BroadcastOp>(shape, where) : Handle();
}

Handle expand(Handle tile, int axis, std::source_location where) {
  Source x(tile, where);
  if (!x)
    return {};
  // One more position than there are dimensions.
  int64_t positions = x.type.getRank() + 1;
  if (axis < -positions || axis >= positions) {
    x.c->error(where, "axis",
               "expand: axis " + Twine(axis) + " for a tile of " +
                   shapeText(x.shape()) + "; expected " + Twine(-positions) +
                   " to " + Twine(positions - 1) +
                   ", negative ones from the end of the result");
    return {};
  }
  axis += axis < 0 ? static_cast<int>(positions) : 0;
  SmallVector<int64_t> shape(x.shape());
  shape.insert(shape.begin() + axis, 1);
  return x.to<tile::ReshapeOp>(shape, where);
}

Handle squeeze(Handle tile, int axis, std::source_location where) {
  Source x(tile, where);
  if (!x || !x.has("squeeze", axis, where))
    return {};
  if (x.shape()[axis] != 1) {
    x.c->error(where, "squeeze_size",
               "squeeze: dimension " + Twine(axis) + " of a tile of " +
                   shapeText(x.shape()) + " has size " +
                   Twine(x.shape()[axis]) + ", expected 1");
    return {};
  }
  SmallVector<int64_t> shape(x.shape());
  shape.erase(shape.begin() + axis);
  return x.to<tile::ReshapeOp>(shape, where);
}

Handle transpose(Handle tile, Sizes permutation, std::source_location where) {
  Source x(tile, where);
  if (!x)
    return {};
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    // Out of range: the verifier reports it.
    shape.push_back(dim >= 0 && dim < x.type.getRank() ? x.shape()[dim] : 1);
  return x.to<tile::TransposeOp>(
      shape, where, ArrayRef<int64_t>(permutation.data(), permutation.size()));
}

Handle concat(const Handles &tiles, int axis, std::source_location where) {
  if (KernelBuilder *c = KernelBuilder::current(); c && tiles.empty())
    c->error(where, "no_tiles", "concat: no tiles; expected at least one");
  if (tiles.empty())
    return {};
  Source first(tiles.front(), where);
  SmallVector<Value> values;
  if (!first || !valuesOf(*first.c, tiles, where, values) ||
      !first.has("concat", axis, where))
    return {};
  SmallVector<int64_t> shape(first.shape());
  shape[axis] = 0;
  for (Value value : values)
    shape[axis] += cast<RankedTensorType>(value.getType()).getDimSize(axis);
  RankedTensorType type =
      tileType(*first.c, shape, first.type.getElementType(), where);
  auto op = type ? first.c->create<tile::ConcatOp>(where, type, values, axis)
                 : nullptr;
  return op ? handleOf(*first.c, op.getResult()) : Handle();
}

Handle join(const Handles &tiles, std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  SmallVector<Value> values;
  if (!c || c->hasFailed())
    return {};
  if (tiles.empty()) {
    c->error(where, "no_tiles", "join: no tiles; expected at least one");
    return {};
  }
  if (!valuesOf(*c, tiles, where, values))
    return {};
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(values.front().getType()).getShape());
  shape.push_back(static_cast<int64_t>(values.size()));
  RankedTensorType type =
      tileType(*c, shape, getElementTypeOrSelf(values.front()), where);
  auto op = type ? c->create<tile::JoinOp>(where, type, values) : nullptr;
  return op ? handleOf(*c, op.getResult()) : Handle();
}

Handles split(Handle tile, size_t count, std::source_location where) {
  Source x(tile, where);
  if (!x)
    return Handles(count);
  ArrayRef<int64_t> shape = x.shape();
  if (shape.back() != static_cast<int64_t>(count)) {
    x.c->error(where, "split_count",
               "split: into " + Twine(count) +
                   " parts, the last dimension of " + shapeText(shape) +
                   " is " + Twine(shape.back()) +
                   "; expected as many parts, reshape the tile first");
    return Handles(count);
  }
  SmallVector<Type> types(
      count, RankedTensorType::get(shape.drop_back(), x.type.getElementType()));
  auto op = x.c->create<tile::SplitOp>(where, TypeRange(types), x.value);
  return op ? handlesOf(*x.c, op.getResults()) : Handles(count);
}

Handle slice(Handle tile, Sizes offsets, Sizes shape, Sizes steps,
             std::source_location where) {
  Source x(tile, where);
  auto numbers = [](Sizes sizes) {
    return ArrayRef<int64_t>(sizes.data(), sizes.size());
  };
  return x ? x.to<tile::SliceOp>(shape, where, numbers(offsets), numbers(steps))
           : Handle();
}

//===--- Elements ---------------------------------------------------------===//

/// A check, in builds with assertions, that all of `index` are in [0, size).
static bool checkIndex(KernelBuilder &c, StringRef name, Value index,
                       int64_t size, const std::source_location &where) {
  if (!c.options.checkBounds)
    return true;
  Type type = index.getType(), element = getElementTypeOrSelf(type);
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (!llvm::isUIntN(bits, size))
    return true;
  Value last =
      constantOf(c, Literal(size - 1), type, /*isSigned=*/false, where);
  // As unsigned numbers: also below 0.
  Value inside = c.createOrFold<arith::CmpIOp>(where, arith::CmpIPredicate::ule,
                                               index, last);
  return bool(c.create<tile::AssertOp>(
      where, inside,
      (name + ": index outside of a dimension of " + Twine(size) + " elements")
          .str()));
}

Handle gather(Handle tile, Handle indices, int axis,
              std::source_location where) {
  Source x(tile, where), i(indices, where);
  if (!x || !i || !x.has("gather", axis, where))
    return {};
  if (!checkIndex(*x.c, "gather", i.value, x.shape()[axis], where))
    return {};
  RankedTensorType type =
      tileType(*x.c, i.shape(), x.type.getElementType(), where);
  auto op =
      type ? x.c->create<tile::GatherOp>(where, type, x.value, i.value, axis)
           : nullptr;
  return op ? handleOf(*x.c, op.getResult()) : Handle();
}

Handle extract(Handle tile, const Handles &index, std::source_location where) {
  Source x(tile, where);
  SmallVector<Value> values;
  if (!x || !valuesOf(*x.c, index, where, values))
    return {};
  for (auto [dim, value] : llvm::enumerate(values)) {
    int64_t size = x.shape()[dim];
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)) && number.uge(size)) {
      x.c->error(where, "extract_index",
                 "extract: index " + Twine(number.getSExtValue()) +
                     " in dimension " + Twine(dim) + " of a tile of " +
                     shapeText(x.shape()) + "; expected 0 to " +
                     Twine(size - 1));
      return {};
    }
    if (!checkIndex(*x.c, "extract", value, size, where))
      return {};
  }
  auto op = x.c->create<tile::ExtractOp>(where, x.type.getElementType(),
                                         x.value, values);
  return op ? handleOf(*x.c, op.getResult()) : Handle();
}

Handle nextCarry(Handle carry, Handle scanned, int axis,
                 std::source_location where) {
  Source before(carry, where), x(scanned, where);
  if (!before || !x || !x.has("scanFrom", axis, where))
    return {};
  std::vector<int64_t> offsets(x.shape().size(), 0), shape(x.shape());
  offsets[axis] = shape[axis] - 1;
  shape[axis] = 1;
  if (before.shape() != ArrayRef<int64_t>(shape)) {
    x.c->error(where, "carry_shape",
               "scanFrom: the carry is " + shapeText(before.shape()) +
                   ", the tile " + shapeText(x.shape()) + "; expected " +
                   shapeText(shape) + ", size 1 along axis " + Twine(axis));
    return {};
  }
  return slice(scanned, offsets, shape, {}, where);
}

} // namespace tilewright::authoring::detail
