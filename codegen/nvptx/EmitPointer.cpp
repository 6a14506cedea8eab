//===- EmitPointer.cpp - Pointers and accesses through them ---------------===//
//
// A pointer is its address, an i64.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvptx/Pointers.h"

#include "codegen/layout/Access.h"
#include "codegen/numeric/ElementTypes.h"
#include "codegen/nvptx/Atomics.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/Threads.h"
#include "codegen/nvptx/TileAccess.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/TileGpu.h"
#include "codegen/transforms/Contiguity.h"
#include "codegen/transforms/ElementOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <map>
#include <vector>

using namespace mlir;

namespace tilewright::nvptx {

/// The type pointed to, by a pointer or a tile of pointers.
static Type pointeeOf(Value pointer) {
  return cast<tile::PtrType>(getElementTypeOrSelf(pointer.getType()))
      .getPointee();
}

/// A pointer has the bits of its integer.
static void emitSame(Operation *op, Emission &e) {
  e.set(op->getResult(0), e.get(op->getOperand(0)));
}

static LogicalResult emitOffset(tile::OffsetOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  Type pointee = pointeeOf(op.getPtr());
  Type type = typeOf(op.getType());
  auto asResult = [&](Value value) -> Value {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector || isa<VectorType>(value.getType()))
      return value;
    return splat(b, value, vector.getNumElements());
  };
  Value offset = e.get(op.getOffset());
  Type wide = b.getI64Type();
  if (auto vector = dyn_cast<VectorType>(offset.getType()))
    wide = vector.clone(b.getI64Type());
  if (getElementTypeOrSelf(offset.getType()).isIndex())
    offset = arith::IndexCastOp::create(b, wide, offset);
  else if (offset.getType() != wide)
    offset = arith::ExtSIOp::create(b, wide, offset);
  Value bytes = asResult(integer(b, tilegpu::elementBits(pointee) / 8, 64));
  Value moved = arith::MulIOp::create(b, asResult(offset), bytes);
  e.set(op, arith::AddIOp::create(b, asResult(e.get(op.getPtr())), moved));
  return success();
}

//===--- One element ------------------------------------------------------===//

/// Loads the element at `address` for `op`; an i1 from its byte.
static Value loadElement(Emission &e, Value address, tile::LoadPtrOp op) {
  ImplicitLocOpBuilder &b = e.b;
  Value source = globalPointer(b, address);
  Type type = typeOf(pointeeOf(op.getPtr()));
  Type stored = numeric::storedType(type);
  Value loaded =
      op.getOrder() == tile::MemoryOrder::weak
          ? LLVM::LoadOp::create(b, stored, source)
          : LLVM::LoadOp::create(
                b, stored, source, stored.getIntOrFloatBitWidth() / 8, false,
                false, false, false, llvmOrdering(op.getOrder()),
                syncScope(*op.getScope(), e.target));
  return numeric::fromMemory(b, b.getLoc(), loaded, type);
}

static void storeElement(Emission &e, Value value, Value address,
                         tile::StorePtrOp op) {
  ImplicitLocOpBuilder &b = e.b;
  Value target = globalPointer(b, address);
  value = numeric::toMemory(b, b.getLoc(), value);
  if (op.getOrder() == tile::MemoryOrder::weak)
    LLVM::StoreOp::create(b, value, target);
  else
    LLVM::StoreOp::create(b, value, target,
                          value.getType().getIntOrFloatBitWidth() / 8, false,
                          false, false, llvmOrdering(op.getOrder()),
                          syncScope(*op.getScope(), e.target));
}

/// The same of each element of a group, with its order.
static void storeOrdered(Emission &e, Value group, Value address,
                         tile::StorePtrOp op) {
  ImplicitLocOpBuilder &b = e.b;
  auto type = cast<VectorType>(group.getType());
  const int64_t bytes = tilegpu::elementBits(pointeeOf(op.getPtr())) / 8;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    storeElement(
        e, element(b, group, i),
        b.createOrFold<arith::AddIOp>(address, integer(b, i * bytes, 64)), op);
}

//===--- Tiles ------------------------------------------------------------===//

/// The conjunction; null operands hold. Not `and`: beyond the tile, where the
/// first is false, the second may be poison.
static Value both(ImplicitLocOpBuilder &b, Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  Value no =
      arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(y.getType())));
  return arith::SelectOp::create(b, x, y, no);
}

Value forEachPointer(Emission &e, RankedTensorType tile, Value mask,
                     Value other, llvm::function_ref<Value(int64_t)> access) {
  ImplicitLocOpBuilder &b = e.b;
  const layout::Layout &layout = tilegpu::layoutOf(tile);
  mask = both(b, inTile(e, layout, tile.getShape()), mask);
  if (mask && !other)
    other = zero(b, typeOf(tile));
  SmallVector<Value> results;
  for (auto [reg, source] : llvm::enumerate(layout::registerCopies(layout))) {
    if (size_t(source) != reg)
      results.push_back(results[source]);
    else if (mask)
      results.push_back(emitWhen(b, element(b, mask, int64_t(reg)),
                                 element(b, other, int64_t(reg)),
                                 [&] { return access(int64_t(reg)); }));
    else
      results.push_back(access(int64_t(reg)));
  }
  return vectorOf(b, results);
}

namespace {
/// Accesses of a tile of pointers that move neighbours at once.
class PointerGroups {
public:
  PointerGroups(Emission &e, tile::PointerAccessOpInterface op,
                const layout::Layout &layout, ArrayRef<int64_t> shape);

  layout::VectorAccess groups;
  AliasFacts alias;

  Value address(Emission &e, int64_t reg) const {
    const Place &place = places[reg];
    Value first = element(e.b, addresses, place.first);
    return place.bytes ? arith::AddIOp::create(e.b, first,
                                               integer(e.b, place.bytes, 64))
                       : first;
  }
  /// Null: everywhere.
  Value isAccessed(Emission &e, int64_t reg) const {
    const int64_t known = isMaskOfRow ? places[reg].first : reg;
    return both(e.b, inTile ? element(e.b, inTile, reg) : Value(),
                mask ? element(e.b, mask, known) : Value());
  }

private:
  /// The first register of a row, and how far behind its element.
  struct Place {
    int64_t first, bytes;
  };
  void findRows(tile::PointerAccessOpInterface op, const layout::Layout &layout,
                int64_t size, unsigned dim);

  /// By register; null masks hold everywhere.
  Value addresses, mask, inTile;
  std::vector<Place> places;
  /// Whether the mask is the same in a whole row.
  bool isMaskOfRow = false;
};
} // namespace

PointerGroups::PointerGroups(Emission &e, tile::PointerAccessOpInterface op,
                             const layout::Layout &layout,
                             ArrayRef<int64_t> shape)
    : addresses(e.get(op.getPtr())),
      mask(op.getMask() ? e.get(op.getMask()) : Value()),
      inTile(nvptx::inTile(e, layout, shape)) {
  const tilegpu::ElementOrder memory = tilegpu::elementOrder(op);
  const unsigned bits = unsigned(tilegpu::elementBits(op.getPointee()));
  groups = layout::vectorAccess(layout, memory.order, bits,
                                unsigned(bits / 8 * memory.contiguous),
                                e.accessBits);
  if (Value view = tilegpu::viewOf(op.getPtr()))
    alias = e.aliasing.of(view);
  for (int64_t reg = 0; reg < layout.items(); ++reg)
    places.push_back({reg, 0});
  if (memory.order.rank() > 0)
    findRows(op, layout, shape[memory.order[0]], unsigned(memory.order[0]));
}

/// Where whole rows are neighbours, one address is enough for each row of a
/// thread: the others are constants behind it. Of each row it is that of the
/// register with the least coordinate, which is in the tile if another is.
void PointerGroups::findRows(tile::PointerAccessOpInterface op,
                             const layout::Layout &layout, int64_t size,
                             unsigned dim) {
  if (!layout::isSeparable(layout) ||
      tilegpu::runsAlong(op.getPtr(), dim).ascending < size)
    return;
  isMaskOfRow = mask && tilegpu::runsAlong(op.getMask(), dim).constant >= size;
  std::map<std::vector<int64_t>, int64_t> firstOfRow;
  auto rowOf = [&](int64_t reg) {
    std::vector<int64_t> row;
    for (unsigned other = 0; other < layout.rank(); ++other)
      row.push_back(other == dim ? 0 : registerPart(layout, reg, other));
    return row;
  };
  for (int64_t reg = 0; reg < layout.items(); ++reg) {
    int64_t &first = firstOfRow.try_emplace(rowOf(reg), reg).first->second;
    if (registerPart(layout, reg, dim) < registerPart(layout, first, dim))
      first = reg;
  }
  const int64_t bytes = tilegpu::elementBits(op.getPointee()) / 8;
  for (int64_t reg = 0; reg < layout.items(); ++reg) {
    const int64_t first = firstOfRow[rowOf(reg)];
    places[reg] = {first, (registerPart(layout, reg, dim) -
                           registerPart(layout, first, dim)) *
                              bytes};
  }
}

void forEachGroup(Emission &e, tile::PointerAccessOpInterface op,
                  RankedTensorType tile, AccessGroup access) {
  const PointerGroups all(e, op, tilegpu::layoutOf(tile), tile.getShape());
  ArrayRef<int32_t> registers = all.groups.registers;
  const size_t width = all.groups.elements;
  for (size_t at = 0; at < registers.size(); at += width)
    access(all.address(e, registers[at]), all.isAccessed(e, registers[at]),
           registers.slice(at, width), all.alias);
}

static Value loadGroups(Emission &e, tile::LoadPtrOp op,
                        RankedTensorType tile) {
  ImplicitLocOpBuilder &b = e.b;
  const layout::Layout &layout = tilegpu::layoutOf(tile);
  const PointerGroups all(e, op, layout, tile.getShape());
  Value other = op.getOther() ? e.get(op.getOther()) : zero(b, typeOf(tile));
  other = numeric::toMemory(b, b.getLoc(), other);
  return loadInGroups(b, layout, all.groups, [&](ArrayRef<int32_t> registers) {
    const int64_t reg = registers.front();
    Value loaded = loadVector(b, all.address(e, reg), all.isAccessed(e, reg),
                              pick(b, other, registers), all.alias);
    return numeric::fromMemory(b, b.getLoc(), loaded,
                               typeOf(tile.getElementType()));
  });
}

Value emitOnce(Emission &e, RankedTensorType tile,
               llvm::function_ref<Value()> access) {
  ImplicitLocOpBuilder &b = e.b;
  Value owns = ownsElements(e, tilegpu::layoutOf(tile));
  return emitWhen(b, owns, owns ? zero(b, typeOf(tile)) : Value(), access);
}

LogicalResult rejectScalar(Operation *op) {
  return reject(op, "expected a tile, found a scalar: broadcast-results runs "
                    "before");
}

static LogicalResult emitLoadPtr(tile::LoadPtrOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  Value addresses = e.get(op.getPtr());
  Value mask = op.getMask() ? e.get(op.getMask()) : Value();
  Value other = op.getOther() ? e.get(op.getOther()) : Value();
  bool weak = op.getOrder() == tile::MemoryOrder::weak;
  auto tile = dyn_cast<RankedTensorType>(op.getType());
  if (!tile) {
    if (!weak)
      return rejectScalar(op);
    if (mask && !other)
      other = zero(b, typeOf(op.getType()));
    e.set(op, emitWhen(b, mask, other,
                       [&] { return loadElement(e, addresses, op); }));
    return success();
  }
  if (weak) {
    e.set(op, loadGroups(e, op, tile));
    return success();
  }
  e.set(op, emitOnce(e, tile, [&] {
          return forEachPointer(e, tile, mask, other, [&](int64_t reg) {
            return loadElement(e, element(b, addresses, reg), op);
          });
        }));
  return success();
}

static LogicalResult emitStorePtr(tile::StorePtrOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  Value addresses = e.get(op.getPtr()), value = e.get(op.getValue());
  Value mask = op.getMask() ? e.get(op.getMask()) : Value();
  auto tile = dyn_cast<RankedTensorType>(op.getValue().getType());
  if (!tile) {
    // One thread of the block stores a scalar.
    Value first = isFirstThread(e);
    emitWhen(b, both(b, first, mask),
             [&] { storeElement(e, value, addresses, op); });
    return success();
  }
  const bool isWeak = op.getOrder() == tile::MemoryOrder::weak;
  if (isWeak)
    value = numeric::toMemory(b, b.getLoc(), value);
  emitWhen(b, ownsElements(e, tilegpu::layoutOf(tile)), [&] {
    forEachGroup(e, op, tile,
                 [&](Value address, Value isWritten,
                     ArrayRef<int32_t> registers, const AliasFacts &alias) {
                   Value group = pick(b, value, registers);
                   if (isWeak)
                     return storeVector(b, address, isWritten, group, alias);
                   emitWhen(b, isWritten,
                            [&] { storeOrdered(e, group, address, op); });
                 });
  });
  return success();
}

void addPointerOps(GpuOps &ops) {
  addAll<tile::PtrCastOp, tile::PtrToIntOp, tile::IntToPtrOp>(ops, emitSame);
  add(ops, emitOffset);
  add(ops, emitLoadPtr);
  add(ops, emitStorePtr);
}

} // namespace tilewright::nvptx
