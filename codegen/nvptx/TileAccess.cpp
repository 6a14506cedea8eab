//===- TileAccess.cpp - A tile of a view in global memory -----------------===//
#include "codegen/nvptx/TileAccess.h"

#include "codegen/layout/Access.h"
#include "codegen/numeric/ElementTypes.h"
#include "codegen/nvptx/PredicatedAccess.h"
#include "codegen/nvptx/Threads.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/TileGpu.h"
#include "codegen/transforms/ElementOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tileir/analysis/Divisibility.h"

using namespace mlir;

namespace tilewright::nvptx {

LogicalResult checkSeparable(Operation *op, RankedTensorType tile) {
  if (!layout::hasSeparableCell(tilegpu::layoutOf(tile)))
    return reject(op, "expected a layout in which threads and registers choose "
                      "different bits of each coordinate");
  return success();
}

/// The address `base` moved by a number of elements.
static Value moved(Emission &e, const TileAccess &access, Value base,
                   Value elements) {
  ImplicitLocOpBuilder &b = e.b;
  Value bytes = b.createOrFold<arith::MulIOp>(elements, index(b, access.bytes));
  bytes = b.createOrFold<arith::IndexCastOp>(b.getI64Type(), bytes);
  return b.createOrFold<arith::AddIOp>(base, bytes);
}

/// The address of what register 0 would hold without its own coordinates.
static Value threadAddress(Emission &e, const TileAccess &access) {
  ImplicitLocOpBuilder &b = e.b;
  Value elements = index(b, 0);
  for (size_t dim = 0; dim < access.part.size(); ++dim) {
    Value at = b.createOrFold<arith::MulIOp>(access.part[dim],
                                             index(b, access.steps[dim]));
    at = b.createOrFold<arith::AddIOp>(access.first[dim], at);
    at = b.createOrFold<arith::MulIOp>(at, access.view->strides[dim]);
    elements = b.createOrFold<arith::AddIOp>(elements, at);
  }
  return moved(e, access, access.view->base, elements);
}

void complete(Emission &e, TileAccess &access, RankedTensorType tile,
              const tilegpu::ElementOrder &memory) {
  ImplicitLocOpBuilder &b = e.b;
  for (int64_t dim = 0; dim < tile.getRank(); ++dim)
    access.part.push_back(arith::IndexCastUIOp::create(
        b, b.getIndexType(), threadPart(e, access.layout, dim)));
  access.element = typeOf(tile.getElementType());
  access.stored = numeric::storedType(access.element);
  access.bytes = tilegpu::elementBits(tile.getElementType()) / 8;
  auto groups = [&](int64_t contiguous) {
    return layout::vectorAccess(
        access.layout, memory.order, unsigned(access.bytes * 8),
        unsigned(access.bytes * contiguous), e.accessBits);
  };
  access.groups = groups(memory.contiguous);
  access.edgeGroups = groups(memory.contiguousAtEdge);
  access.address = threadAddress(e, access);
  access.inTile = inTile(e, access.layout, tile.getShape());
}

/// By dimension, whether the end of the view may be within the tile: it is not
/// where tiles begin at multiples of their size, which divides the view.
static llvm::SmallBitVector cutDims(tile::ViewAccessOpInterface op) {
  ArrayRef<int64_t> shape = op.getTile().getType().getShape();
  llvm::SmallBitVector isCut(shape.size(), true);
  for (auto [dim, size] : llvm::enumerate(shape)) {
    const bool isDense = op.getSteps().empty() || op.getSteps()[dim] == 1;
    const bool isAligned =
        !op.getByElement() || tile::divisorOf(op.getOffsets()[dim]) % size == 0;
    if (isDense && isAligned &&
        tile::divisorOfDim(op.getView(), unsigned(dim)) % size == 0)
      isCut.reset(unsigned(dim));
  }
  return isCut;
}

TileAccess accessOf(Emission &e, tile::ViewAccessOpInterface op) {
  ImplicitLocOpBuilder &b = e.b;
  RankedTensorType tile = op.getTile().getType();
  TileAccess access;
  access.view = &e.views.at(op.getView());
  access.alias = e.aliasing.of(op.getView());
  access.layout = tilegpu::layoutOf(tile);
  access.shape.assign(tile.getShape().begin(), tile.getShape().end());
  access.steps.assign(tile.getRank(), 1);
  if (!op.getSteps().empty())
    access.steps.assign(op.getSteps().begin(), op.getSteps().end());
  for (int64_t dim = 0; dim < tile.getRank(); ++dim) {
    Value offset = e.get(op.getOffsets()[dim]);
    if (!op.getByElement())
      offset =
          b.createOrFold<arith::MulIOp>(offset, index(b, tile.getDimSize(dim)));
    access.first.push_back(offset);
  }
  access.isCut = cutDims(op);
  complete(e, access, tile, tilegpu::elementOrder(op));
  return access;
}

/// What register `reg` adds to this thread's part of the coordinate along
/// `dim`, an index.
static Value ofRegister(Emission &e, const TileAccess &access, int64_t reg,
                        unsigned dim) {
  ImplicitLocOpBuilder &b = e.b;
  Value constant = index(b, registerPart(access.layout, reg, dim));
  Value repeat = repeatPart(e, access.layout, reg, dim);
  if (!repeat)
    return constant;
  repeat = b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), repeat);
  return b.createOrFold<arith::AddIOp>(repeat, constant);
}

/// The address of register `reg`'s element, an i64.
static Value groupAddress(Emission &e, const TileAccess &access, int64_t reg) {
  ImplicitLocOpBuilder &b = e.b;
  Value elements = index(b, 0);
  for (unsigned dim = 0; dim < access.layout.rank(); ++dim) {
    Value own = b.createOrFold<arith::MulIOp>(ofRegister(e, access, reg, dim),
                                              index(b, access.steps[dim]));
    own = b.createOrFold<arith::MulIOp>(own, access.view->strides[dim]);
    elements = b.createOrFold<arith::AddIOp>(elements, own);
  }
  return moved(e, access, access.address, elements);
}

/// Whether register `reg`'s element is in the tile; null where it is in all
/// threads.
static Value registerInTile(Emission &e, const TileAccess &access,
                            int64_t reg) {
  if (!access.inTile ||
      access.layout.coverage(reg, tilegpu::toDims(access.shape)) ==
          layout::Coverage::always)
    return {};
  return element(e.b, access.inTile, reg);
}

/// The size of the view: one of a negative size has no elements.
static Value elementsAlong(ImplicitLocOpBuilder &b, const TileAccess &access,
                           size_t dim) {
  return b.createOrFold<arith::MaxSIOp>(access.view->sizes[dim], index(b, 0));
}

/// Whether register `reg`'s element is in the view and in the tile.
static Value groupInside(Emission &e, const TileAccess &access, int64_t reg) {
  ImplicitLocOpBuilder &b = e.b;
  Value inside;
  auto require = [&](Value condition) {
    inside =
        inside ? b.createOrFold<arith::AndIOp>(inside, condition) : condition;
  };
  for (unsigned dim = 0; dim < access.layout.rank(); ++dim) {
    Value offset = access.first[dim];
    if (access.isCut.test(dim)) {
      Value coordinate = b.createOrFold<arith::AddIOp>(
          access.part[dim], ofRegister(e, access, reg, dim));
      Value inTile = b.createOrFold<arith::MulIOp>(coordinate,
                                                   index(b, access.steps[dim]));
      offset = b.createOrFold<arith::AddIOp>(offset, inTile);
    }
    // Unsigned: negative offsets are beyond every size.
    require(arith::CmpIOp::create(b, arith::CmpIPredicate::ult, offset,
                                  elementsAlong(b, access, dim)));
  }
  if (Value inTile = registerInTile(e, access, reg))
    require(inTile);
  return inside ? inside : integer(b, 1, 1);
}

/// Whether all of the tile is in the view; the same for all threads.
static Value tileInside(Emission &e, const TileAccess &access) {
  ImplicitLocOpBuilder &b = e.b;
  Value inside = integer(b, 1, 1);
  auto require = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    inside = b.createOrFold<arith::AndIOp>(
        inside, arith::CmpIOp::create(b, predicate, lhs, rhs));
  };
  for (auto [dim, size] : llvm::enumerate(access.shape)) {
    Value first = access.first[dim], last = first;
    if (access.isCut.test(dim)) {
      last = b.createOrFold<arith::AddIOp>(
          first, index(b, (size - 1) * access.steps[dim]));
      require(arith::CmpIPredicate::sge, first, index(b, 0));
    }
    // Unsigned: what is negative, or a sum that overflows, is beyond every
    // size.
    require(arith::CmpIPredicate::ult, last, elementsAlong(b, access, dim));
  }
  return inside;
}

//===--- Loads ------------------------------------------------------------===//

Value loadVector(ImplicitLocOpBuilder &b, Value address, Value isRead,
                 Value otherwise, const AliasFacts &alias) {
  if (isRead)
    return predicatedLoad(b, address, isRead, otherwise, alias.isConstant);
  auto type = cast<VectorType>(otherwise.getType());
  Value source = globalPointer(b, address);
  unsigned bits = type.getElementTypeBitWidth() * type.getNumElements();
  auto load = LLVM::LoadOp::create(b, type, source, bits / 8);
  load.setInvariant(alias.isConstant);
  load.setAliasScopesAttr(alias.scopes);
  load.setNoaliasScopesAttr(alias.others);
  return load;
}

void storeVector(ImplicitLocOpBuilder &b, Value address, Value isWritten,
                 Value value, const AliasFacts &alias) {
  if (isWritten)
    return predicatedStore(b, address, isWritten, value);
  auto type = cast<VectorType>(value.getType());
  Value target = globalPointer(b, address);
  unsigned bits = type.getElementTypeBitWidth() * type.getNumElements();
  auto store = LLVM::StoreOp::create(b, value, target, bits / 8);
  store.setAliasScopesAttr(alias.scopes);
  store.setNoaliasScopesAttr(alias.others);
}

Value loadInGroups(ImplicitLocOpBuilder &b, const layout::Layout &layout,
                   const layout::VectorAccess &groups, LoadGroup load) {
  const size_t width = groups.elements;
  std::vector<int32_t> from(size_t(layout.items()), -1);
  SmallVector<Value> parts;
  ArrayRef<int32_t> registers = groups.registers;
  for (size_t at = 0; at < registers.size(); at += width) {
    for (size_t i = 0; i < width; ++i)
      from[registers[at + i]] = int32_t(parts.size() * width + i);
    parts.push_back(load(registers.slice(at, width)));
  }
  // Copies of loaded registers.
  std::vector<int32_t> copies = layout::registerCopies(layout);
  for (auto [reg, source] : llvm::enumerate(copies))
    from[reg] = from[source];
  return pick(b, concatenated(b, parts), from);
}

/// Loads all groups of a tile inside the view. With a padding value, of one
/// that may extend beyond it: what is outside is not read.
static Value loadGroups(Emission &e, const TileAccess &access, Value pad) {
  ImplicitLocOpBuilder &b = e.b;
  const layout::VectorAccess &groups = pad ? access.edgeGroups : access.groups;
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(access.stored));
  Value otherwise = splat(b, pad ? numeric::toMemory(b, b.getLoc(), pad) : zero,
                          int64_t(groups.elements));
  return loadInGroups(
      b, access.layout, groups, [&](ArrayRef<int32_t> registers) {
        const int64_t reg = registers.front();
        Value address = groupAddress(e, access, reg);
        Value isRead =
            pad ? groupInside(e, access, reg) : registerInTile(e, access, reg);
        Value loaded = loadVector(b, address, isRead, otherwise, access.alias);
        return numeric::fromMemory(b, b.getLoc(), loaded, access.element);
      });
}

Value loadTile(Emission &e, const TileAccess &access, Value pad) {
  if (!pad)
    return loadGroups(e, access, {});
  ImplicitLocOpBuilder &b = e.b;
  auto yield = [&](Value value) { scf::YieldOp::create(b, value); };
  return scf::IfOp::create(
             b, tileInside(e, access),
             [&](OpBuilder &, Location) { yield(loadGroups(e, access, {})); },
             [&](OpBuilder &, Location) {
               yield(access.isCut.any() ? loadGroups(e, access, pad)
                                        : splat(b, pad, access.layout.items()));
             })
      .getResult(0);
}

//===--- Groups -----------------------------------------------------------===//

static void accessGroups(Emission &e, const TileAccess &access, bool checked,
                         TileGroup visit) {
  const layout::VectorAccess &groups =
      checked ? access.edgeGroups : access.groups;
  int64_t width = groups.elements;
  ArrayRef<int32_t> registers = groups.registers;
  for (size_t at = 0; at < registers.size(); at += size_t(width)) {
    int64_t reg = registers[at];
    Value inside =
        checked ? groupInside(e, access, reg) : registerInTile(e, access, reg);
    visit(groupAddress(e, access, reg), inside,
          registers.slice(at, size_t(width)));
  }
}

/// In two versions: for a tile that is inside the view, and with checks.
static void accessInOrOut(Emission &e, const TileAccess &access, Value inside,
                          TileGroup visit) {
  auto version = [&](bool checked) {
    return [&, checked](OpBuilder &, Location) {
      accessGroups(e, access, checked, visit);
      scf::YieldOp::create(e.b);
    };
  };
  scf::IfOp::create(e.b, inside, version(false), version(true));
}

void writeGroups(Emission &e, const TileAccess &access, TileGroup write) {
  ImplicitLocOpBuilder &b = e.b;
  emitWhen(b, ownsElements(e, access.layout), [&] {
    Value inside = tileInside(e, access);
    if (access.isCut.none())
      return emitWhen(b, inside,
                      [&] { accessGroups(e, access, false, write); });
    accessInOrOut(e, access, inside, write);
  });
}

void readGroups(Emission &e, const TileAccess &access, bool isPadded,
                TileGroup read) {
  emitWhen(e.b, ownsElements(e, access.layout), [&] {
    if (isPadded)
      return accessInOrOut(e, access, tileInside(e, access), read);
    accessGroups(e, access, false, read);
  });
}

} // namespace tilewright::nvptx
