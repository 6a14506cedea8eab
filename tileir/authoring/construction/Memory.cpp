// Views: loads, stores, sizes, assumptions.
#include "tileir/authoring/construction/Address.h"
#include "tileir/authoring/construction/Grid.h"
#include "tileir/authoring/construction/Handles.h"
#include "tileir/authoring/construction/Literals.h"
#include "tileir/authoring/construction/Types.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright::authoring::detail {

std::optional<PlacedView> PlacedView::of(Handle view, const Address &address,
                                         const std::source_location &where) {
  KernelBuilder *c = KernelBuilder::current();
  Value value = c ? valueOf(*c, view, where) : Value();
  if (!value)
    return std::nullopt;
  PlacedView placed{*c, cast<TypedValue<tile::ViewType>>(value), {}};
  for (const Operand &at : address.at) {
    // An index has the location of the access.
    Value index = indexOf(*c, {at.handle, at.literal, where});
    if (!index)
      return std::nullopt;
    placed.at.push_back(index);
  }
  return placed;
}

/// A check, in builds with assertions, that the tile is inside the view.
static void checkInside(PlacedView &view, const Address &address, Sizes shape,
                        const std::source_location &where) {
  KernelBuilder &c = view.c;
  auto number = [&](int64_t n) {
    return constantOf(c, Literal(n), c.builder.getIndexType(), true, where);
  };
  for (auto [dim, index] : llvm::enumerate(view.at)) {
    int64_t step = address.steps.empty() ? 1 : address.steps[dim];
    Value first =
        address.byElement
            ? index
            : c.createOrFold<arith::MulIOp>(where, index, number(shape[dim]));
    Value last = c.createOrFold<arith::AddIOp>(where, first,
                                               number((shape[dim] - 1) * step));
    Value size = c.createOrFold<tile::DimOp>(where, Value(view.view), dim);
    using P = arith::CmpIPredicate;
    Value inside = c.createOrFold<arith::AndIOp>(
        where, c.createOrFold<arith::CmpIOp>(where, P::sge, first, number(0)),
        c.createOrFold<arith::CmpIOp>(where, P::slt, last, size));
    c.create<tile::AssertOp>(
        where, inside,
        ("load: the tile leaves the view along dimension " + Twine(dim)).str());
  }
}

Handle load(Handle view, const Address &address, Sizes shape,
            std::optional<Literal> padding, ElementTraits elementTraits,
            std::source_location where) {
  std::optional<PlacedView> placed = PlacedView::of(view, address, where);
  if (!placed)
    return {};
  KernelBuilder &c = placed->c;
  Type element = placed->view.getType().getElementType();
  RankedTensorType type = tileType(c, shape, element, where);
  TypedAttr pad;
  if (type && padding)
    pad = numberOf(c, *padding, element, elementTraits.isSigned, where);
  if (!type || c.hasFailed())
    return {};
  if (c.options.checkBounds && !padding)
    checkInside(*placed, address, shape, where);
  UnitAttr byElement = address.byElement ? c.builder.getUnitAttr() : UnitAttr();
  auto op = c.create<tile::LoadOp>(
      where, type, Value(placed->view), ValueRange(placed->at), byElement,
      c.builder.getDenseI64ArrayAttr(
          {address.steps.data(), address.steps.size()}),
      pad);
  return op ? handleOf(c, op.getResult()) : Handle();
}

void store(Handle view, const Address &address, Handle tile,
           std::source_location where) {
  std::optional<PlacedView> placed = PlacedView::of(view, address, where);
  Value value = placed ? valueOf(placed->c, tile, where) : Value();
  if (!value)
    return;
  Builder &b = placed->c.builder;
  placed->c.create<tile::StoreOp>(
      where, value, Value(placed->view), ValueRange(placed->at),
      address.byElement ? b.getUnitAttr() : UnitAttr(),
      b.getDenseI64ArrayAttr({address.steps.data(), address.steps.size()}));
}

/// Which i from 0 to `count` - 1 have first + i * step in [0, size), as a row
/// of masks along dimension `dim` of `rank`.
static Handle insideAlong(Handle first, Handle size, int64_t step,
                          int64_t count, size_t dim, size_t rank,
                          const std::source_location &where) {
  auto at = [&](Handle handle) { return Operand{handle, {}, where}; };
  auto number = [&](int64_t n) { return Operand{{}, Literal(n), where}; };
  constexpr ElementTraits index = traitsOf<IndexElement>,
                          narrow = traitsOf<I32>;
  // The number of i below a limit, so that all counting is in 32 bits.
  auto below = [&](const Operand &limit) {
    Handle distance = binary(Binary::sub, limit, at(first), index);
    Handle steps = binary(Binary::ceilDiv, at(distance), number(step), index);
    Handle least = binary(Binary::max, at(steps), number(0), index);
    Handle most = binary(Binary::min, at(least), number(count), index);
    return cast(at(most), index, narrow, {}, false);
  };
  std::vector<int64_t> along(rank, 1);
  along[dim] = count;
  Handle i = reshape(iota(I32::type, count, where), along, where);
  Handle low = compare(Comparison::ge, at(i), at(below(number(0))), narrow),
         high = compare(Comparison::lt, at(i), at(below(at(size))), narrow);
  return binary(Binary::bitAnd, at(low), at(high), traitsOf<Bool>);
}

Handle inside(Handle view, const Address &address, Sizes shape,
              std::source_location where) {
  std::optional<PlacedView> placed = PlacedView::of(view, address, where);
  if (!placed)
    return {};
  KernelBuilder &c = placed->c;
  if (!tileType(c, shape, c.builder.getI1Type(), where))
    return {};
  auto at = [&](Handle handle) { return Operand{handle, {}, where}; };
  Handle mask = full({{}, Literal(true), where}, traitsOf<Bool>, shape, where);
  for (auto [dim, index] : llvm::enumerate(placed->at)) {
    int64_t step = address.steps.empty() ? 1 : address.steps[dim];
    if (step < 1) {
      c.error(where, "inside_step",
              "insideAt: step " + Twine(step) + "; expected at least 1");
      return {};
    }
    Handle first = handleOf(c, index);
    if (!address.byElement)
      first = binary(Binary::mul, at(first), {{}, Literal(shape[dim]), where},
                     traitsOf<IndexElement>);
    Handle along =
        insideAlong(first, viewSize(view, static_cast<int>(dim), where), step,
                    shape[dim], dim, shape.size(), where);
    mask = binary(Binary::bitAnd, at(mask), at(along), traitsOf<Bool>);
  }
  return mask;
}

Handle elementAt(Handle view, const Address &address,
                 ElementTraits elementTraits, std::source_location where) {
  std::vector<int64_t> one(address.at.size(), 1);
  Handle tile = load(view, address, one, {}, elementTraits, where);
  Handle zero = scalar({{}, Literal(0), where}, traitsOf<IndexElement>);
  return extract(tile, Handles(one.size(), zero), where);
}

//===--- Sizes ------------------------------------------------------------===//

template <class Op>
static Handle sizeOf(Handle view, int dim, std::source_location where) {
  std::optional<PlacedView> placed = PlacedView::of(view, {}, where);
  if (!placed)
    return {};
  int64_t rank = placed->view.getType().getRank();
  if (dim < -rank || dim >= rank) {
    placed->c.error(
        where, "view_dim",
        "dimension " + Twine(dim) + " of a view with " + Twine(rank) +
            (rank == 1 ? " dimension" : " dimensions") + "; expected " +
            (rank == 0 ? std::string("none")
                       : llvm::formatv("{0} to {1}, negative ones from the end",
                                       -rank, rank - 1)
                             .str()));
    return {};
  }
  dim += dim < 0 ? static_cast<int>(rank) : 0;
  auto op = placed->c.create<Op>(where, Value(placed->view), uint64_t(dim));
  return op ? handleOf(placed->c, op.getResult()) : Handle();
}

Handle viewSize(Handle view, int dim, std::source_location where) {
  return sizeOf<tile::DimOp>(view, dim, where);
}

Handle viewStride(Handle view, int dim, std::source_location where) {
  return sizeOf<tile::StrideOp>(view, dim, where);
}

Handle viewBase(Handle view, std::source_location where) {
  std::optional<PlacedView> placed = PlacedView::of(view, {}, where);
  auto op = placed ? placed->c.create<tile::BaseOp>(where, Value(placed->view))
                   : nullptr;
  return op ? handleOf(placed->c, op.getResult()) : Handle();
}

Handle makeView(Handle pointer, const std::vector<Operand> &sizes,
                const std::vector<Operand> &strides,
                std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  Value value = c ? valueOf(*c, pointer, where) : Value();
  if (!value)
    return {};
  SmallVector<Value> indices;
  for (const std::vector<Operand> *operands : {&sizes, &strides})
    for (const Operand &operand : *operands) {
      indices.push_back(indexOf(*c, {operand.handle, operand.literal, where}));
      if (!indices.back())
        return {};
    }
  ValueRange given(indices);
  SmallVector<int64_t> dynamic(sizes.size(), ShapedType::kDynamic),
      dynamicStrides(strides.size(), ShapedType::kDynamic);
  auto type = tile::ViewType::get(
      dynamic, cast<tile::PtrType>(value.getType()).getPointee(),
      dynamicStrides);
  auto op = c->create<tile::MakeViewOp>(where, type, value,
                                        given.take_front(sizes.size()),
                                        given.drop_front(sizes.size()));
  return op ? handleOf(*c, op.getResult()) : Handle();
}

//===--- Assumptions of the caller ----------------------------------------===//

/// The number of a kernel's argument; an error, about `what`, where the value
/// is none.
static std::optional<unsigned>
numberOf(KernelBuilder &c, Handle argument, const std::source_location &where,
         const char *what = "an assumption about a view") {
  Value value = valueOf(c, argument, where);
  if (!value)
    return std::nullopt;
  auto given = dyn_cast<BlockArgument>(value);
  if (given && given.getOwner() == &c.kernel.getRegion().front())
    return given.getArgNumber();
  c.error(where, "assumption",
          Twine(what) + " that is no parameter of the kernel; expected one "
                        "that the caller passes");
  return std::nullopt;
}

/// Sets an attribute of a kernel's argument.
static void assumption(Handle argument, StringRef name, Attribute attribute,
                       KernelBuilder &c, const std::source_location &where) {
  if (std::optional<unsigned> number = numberOf(c, argument, where)) {
    c.kernel.setArgAttr(*number, name, attribute);
    c.checked(c.kernel);
  }
}

void assumeAlignment(Handle argument, int64_t bytes,
                     std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  if (c && !llvm::isPowerOf2_64(uint64_t(std::max<int64_t>(bytes, 0))))
    c->error(where, "assumption",
             "assumeAligned: found " + Twine(bytes) +
                 " bytes, expected a power of two");
  if (c)
    assumption(argument, tile::TileDialect::kAlignAttr,
               c->builder.getI64IntegerAttr(bytes), *c, where);
}

void assumeDivisible(Handle argument, Sizes sizes, std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  for (int64_t size : sizes)
    if (c && size < 1)
      c->error(where, "assumption",
               "assumeDivisible: found " + Twine(size) +
                   ", expected at least 1; 1 assumes nothing");
  if (c)
    assumption(argument, tile::TileDialect::kDimDivisibleAttr,
               c->builder.getDenseI64ArrayAttr({sizes.data(), sizes.size()}),
               *c, where);
}

void assumeDisjoint(Handle argument, Handle other, std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  if (!c)
    return;
  std::optional<unsigned> number = numberOf(*c, argument, where);
  std::optional<unsigned> second = numberOf(*c, other, where);
  if (!number || !second)
    return;
  if (number == second)
    return c->error(where, "assumption",
                    "assumeDisjoint: found the view itself, expected another");
  constexpr StringRef name = tile::TileDialect::kDisjointAttr;
  SmallVector<int64_t> all;
  if (auto known = c->kernel.getArgAttrOfType<DenseI64ArrayAttr>(*number, name))
    llvm::append_range(all, known.asArrayRef());
  all.push_back(*second);
  assumption(argument, name, c->builder.getDenseI64ArrayAttr(all), *c, where);
}

void workspace(Handle argument, const Operand &elements, Zeroed zeroed,
               std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  if (!c)
    return;
  std::optional<unsigned> number =
      numberOf(*c, argument, where, "workspace: a pointer");
  Value count = indexOf(*c, elements);
  if (!number || !count)
    return;
  AffineExpr size = gridExpression(c->kernel, count);
  if (!size)
    return c->error(where, "grid_expression",
                    "workspace: its size is computed from what a launch does "
                    "not know; expected sums, products, ceilDiv, floorDiv and "
                    "remainders (by positive numbers) of the sizes of views, "
                    "of integer arguments and of numbers");
  Type type = c->kernel.getArgumentTypes()[*number];
  if (*number + 1 != c->kernel.getNumArguments())
    return c->error(where, "kernel_c6",
                    "workspace: found parameter " + Twine(*number) + " of " +
                        Twine(c->kernel.getNumArguments()) +
                        ", expected the last one");
  const int64_t bits =
      cast<tile::PtrType>(type).getPointee().getIntOrFloatBitWidth();
  auto bytes =
      AffineMap::get(0, c->kernel.getGrid().getNumSymbols(),
                     bits < 8 ? size.ceilDiv(8 / bits) : size * (bits / 8));
  static constexpr StringRef names[] = {"never", "once", "launch"};
  c->kernel.setArgAttr(*number, tile::TileDialect::kWorkspaceAttr,
                       AffineMapAttr::get(bytes));
  assumption(argument, tile::TileDialect::kZeroedAttr,
             c->builder.getStringAttr(names[size_t(zeroed)]), *c, where);
}

} // namespace tilewright::authoring::detail
