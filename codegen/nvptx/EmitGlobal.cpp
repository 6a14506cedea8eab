//===- EmitGlobal.cpp - Tiles of views in global memory -------------------===//
//
// A thread loads and stores its registers in groups of neighbours, one vector
// access each. Where a tile may reach beyond its view there are two versions:
// one for tiles that lie inside, without a check, and one that checks each
// group.
//
//===----------------------------------------------------------------------===//
#include "codegen/layout/Access.h"
#include "codegen/nvptx/ThreadEmitter.h"
#include "codegen/transforms/MemoryOrder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::nvptx {

/// One tile of a view, as this thread sees it.
struct ThreadEmitter::TileAccess {
  const View *view = nullptr;
  layout::Layout layout;
  SmallVector<int64_t> shape, steps;
  /// View element of the tile's element 0, and what this thread adds to the
  /// coordinates, along each dimension.
  SmallVector<Value> first, part;
  /// Element type in registers and in memory, and its bytes there.
  Type element, stored;
  int64_t bytes = 0;
  layout::VectorAccess groups;
  /// What the addresses of this thread's elements have in common, an i64.
  Value address;
  /// Registers of this thread that are padding in some thread.
  Value inTile;
};

ThreadEmitter::TileAccess
ThreadEmitter::accessOf(TypedValue<tile::ViewType> view, RankedTensorType tile,
                        ValueRange offsets, bool byElement,
                        ArrayRef<int64_t> steps) {
  TileAccess access;
  access.view = &views.at(view);
  access.layout = tilegpu::layoutOf(tile);
  access.shape.assign(tile.getShape().begin(), tile.getShape().end());
  access.steps.assign(tile.getRank(), 1);
  if (!steps.empty())
    access.steps.assign(steps.begin(), steps.end());
  for (int64_t dim = 0; dim < tile.getRank(); ++dim) {
    Value offset = get(offsets[dim]);
    if (!byElement)
      offset = b.createOrFold<arith::MulIOp>(loc, offset,
                                             index(tile.getDimSize(dim)));
    access.first.push_back(offset);
  }
  complete(access, tile,
           gpu::memoryOrder(view, tile, offsets, byElement, steps));
  return access;
}

/// Fills in what follows from view, layout and first element.
void ThreadEmitter::complete(TileAccess &access, RankedTensorType tile,
                             const gpu::MemoryOrder &memory) {
  for (int64_t dim = 0; dim < tile.getRank(); ++dim)
    access.part.push_back(arith::IndexCastUIOp::create(
        b, loc, b.getIndexType(), threadPart(access.layout, dim)));
  access.element = typeOf(tile.getElementType());
  access.stored = numeric::storedType(access.element);
  access.bytes = tilegpu::elementBits(tile.getElementType()) / 8;
  access.groups = layout::vectorAccess(
      access.layout, memory.order, unsigned(access.bytes * 8),
      unsigned(access.bytes * memory.contiguous), 128);
  access.address = threadAddress(access);
  access.inTile = inTile(access.layout, tile.getShape());
}

LogicalResult ThreadEmitter::checkSeparable(Operation *op,
                                            RankedTensorType tile) {
  if (!layout::isSeparable(tilegpu::layoutOf(tile)))
    return refuse(op, "expected a layout in which threads and registers choose "
                      "different bits of each coordinate");
  return success();
}

template <typename Op>
FailureOr<ThreadEmitter::TileAccess>
ThreadEmitter::checkedAccess(Op op, RankedTensorType tile) {
  if (failed(checkSeparable(op, tile)))
    return failure();
  return accessOf(op.getView(), tile, op.getOffsets(), op.getByElement(),
                  op.getSteps());
}

/// The address `base` moved by a number of elements.
Value ThreadEmitter::moved(const TileAccess &access, Value base,
                           Value elements) {
  Value bytes =
      b.createOrFold<arith::MulIOp>(loc, elements, index(access.bytes));
  bytes = b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), bytes);
  return b.createOrFold<arith::AddIOp>(loc, base, bytes);
}

/// The address of what register 0 would hold without its own coordinates.
Value ThreadEmitter::threadAddress(const TileAccess &access) {
  Value elements = index(0);
  for (size_t dim = 0; dim < access.part.size(); ++dim) {
    Value at = b.createOrFold<arith::MulIOp>(loc, access.part[dim],
                                             index(access.steps[dim]));
    at = b.createOrFold<arith::AddIOp>(loc, access.first[dim], at);
    at = b.createOrFold<arith::MulIOp>(loc, at, access.view->strides[dim]);
    elements = b.createOrFold<arith::AddIOp>(loc, elements, at);
  }
  return moved(access, access.view->base, elements);
}

/// The address of register `reg`'s element, an i64.
Value ThreadEmitter::groupAddress(const TileAccess &access, int64_t reg) {
  layout::Dims at = access.layout.apply(layout::inRegister(reg, 0));
  Value elements = index(0);
  for (unsigned dim = 0; dim < at.rank(); ++dim) {
    Value own = b.createOrFold<arith::MulIOp>(
        loc, index(at[dim] * access.steps[dim]), access.view->strides[dim]);
    elements = b.createOrFold<arith::AddIOp>(loc, elements, own);
  }
  return moved(access, access.address, elements);
}

/// Whether register `reg`'s element is in the view and in the tile.
Value ThreadEmitter::groupInside(const TileAccess &access, int64_t reg) {
  layout::Dims at = access.layout.apply(layout::inRegister(reg, 0));
  Value inside;
  auto require = [&](Value condition) {
    inside = inside ? b.createOrFold<arith::AndIOp>(loc, inside, condition)
                    : condition;
  };
  for (unsigned dim = 0; dim < at.rank(); ++dim) {
    Value coordinate =
        b.createOrFold<arith::AddIOp>(loc, access.part[dim], index(at[dim]));
    Value place = b.createOrFold<arith::MulIOp>(loc, coordinate,
                                                index(access.steps[dim]));
    place = b.createOrFold<arith::AddIOp>(loc, access.first[dim], place);
    // Unsigned: negative places are beyond every size. A view of a negative
    // size has no elements.
    Value size =
        b.createOrFold<arith::MaxSIOp>(loc, access.view->sizes[dim], index(0));
    require(
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place, size));
  }
  if (access.inTile)
    require(element(access.inTile, reg));
  return inside ? inside : integer(1, 1);
}

/// Whether all of the tile is in the view; the same for all threads.
Value ThreadEmitter::tileInside(const TileAccess &access) {
  Value inside = integer(1, 1);
  for (auto [dim, size] : llvm::enumerate(access.shape)) {
    Value first = access.first[dim], end = access.view->sizes[dim];
    Value last = b.createOrFold<arith::AddIOp>(
        loc, first, index((size - 1) * access.steps[dim]));
    Value from = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, first,
                                       index(0));
    Value to =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, last, end);
    inside = b.createOrFold<arith::AndIOp>(
        loc, inside, b.createOrFold<arith::AndIOp>(loc, from, to));
  }
  return inside;
}

//===--- Loads ------------------------------------------------------------===//

/// Loads all groups. With a padding value, checks each: a group outside reads
/// the view's first elements instead, which exist, and drops them.
Value ThreadEmitter::loadGroups(const TileAccess &access, Value pad) {
  int64_t width = access.groups.elements;
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  auto type = VectorType::get({width}, access.stored);
  std::vector<int32_t> from(size_t(access.layout.items()), -1);
  SmallVector<Value> parts;
  ArrayRef<int32_t> registers = access.groups.registers;
  for (size_t at = 0; at < registers.size(); at += size_t(width)) {
    int64_t reg = registers[at];
    Value address = groupAddress(access, reg);
    Value inside;
    if (pad || access.inTile) {
      inside = pad ? groupInside(access, reg) : element(access.inTile, reg);
      address =
          arith::SelectOp::create(b, loc, inside, address, access.view->base);
    }
    Value source = LLVM::IntToPtrOp::create(b, loc, pointer, address);
    Value loaded = LLVM::LoadOp::create(b, loc, type, source,
                                        unsigned(access.bytes * width));
    loaded = numeric::fromMemory(b, loc, loaded, access.element);
    if (pad)
      loaded =
          arith::SelectOp::create(b, loc, inside, loaded, splat(pad, width));
    for (int64_t i = 0; i < width; ++i)
      from[registers[at + i]] = int32_t(parts.size() * width + i);
    parts.push_back(loaded);
  }
  // Copies of loaded registers.
  std::vector<int32_t> copies = layout::registerCopies(access.layout);
  for (auto [reg, source] : llvm::enumerate(copies))
    from[reg] = from[source];
  while (parts.size() > 1) {
    SmallVector<Value> halves;
    for (size_t i = 0; i + 1 < parts.size(); i += 2)
      halves.push_back(joined(parts[i], parts[i + 1]));
    if (parts.size() % 2)
      halves.push_back(parts.back());
    parts = halves;
  }
  return pick(parts.front(), from);
}

LogicalResult ThreadEmitter::emitLoad(tile::LoadOp op) {
  FailureOr<TileAccess> made =
      checkedAccess(op, cast<RankedTensorType>(op.getType()));
  if (failed(made))
    return failure();
  TileAccess &access = *made;
  if (!op.getPad()) {
    set(op, loadGroups(access, Value()));
    return success();
  }
  Value pad =
      arith::ConstantOp::create(b, loc, numeric::inRegister(*op.getPad()));
  // An empty view has no element to read in place of one outside.
  Value exists = integer(1, 1);
  for (Value size : access.view->sizes)
    exists = b.createOrFold<arith::AndIOp>(
        loc, exists,
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, size,
                              index(0)));
  auto yield = [&](Value value) { scf::YieldOp::create(b, loc, value); };
  auto versions = scf::IfOp::create(
      b, loc, tileInside(access),
      [&](OpBuilder &, Location) { yield(loadGroups(access, {})); },
      [&](OpBuilder &, Location) {
        auto checked = scf::IfOp::create(
            b, loc, exists,
            [&](OpBuilder &, Location) { yield(loadGroups(access, pad)); },
            [&](OpBuilder &, Location) {
              yield(splat(pad, access.layout.items()));
            });
        yield(checked.getResult(0));
      });
  set(op, versions.getResult(0));
  return success();
}

//===--- Stores -----------------------------------------------------------===//

void ThreadEmitter::writeGroups(const TileAccess &access, bool checked,
                                WriteGroup write) {
  int64_t width = access.groups.elements;
  ArrayRef<int32_t> registers = access.groups.registers;
  for (size_t at = 0; at < registers.size(); at += size_t(width)) {
    int64_t reg = registers[at];
    Value inside = checked         ? groupInside(access, reg)
                   : access.inTile ? element(access.inTile, reg)
                                   : Value();
    emitWhen(inside, [&] {
      write(groupAddress(access, reg), registers.slice(at, size_t(width)));
    });
  }
}

void ThreadEmitter::writeGroups(const TileAccess &access, WriteGroup write) {
  emitWhen(ownsElements(access.layout), [&] {
    scf::IfOp::create(
        b, loc, tileInside(access),
        [&](OpBuilder &, Location) {
          writeGroups(access, false, write);
          scf::YieldOp::create(b, loc);
        },
        [&](OpBuilder &, Location) {
          writeGroups(access, true, write);
          scf::YieldOp::create(b, loc);
        });
  });
}

LogicalResult ThreadEmitter::emitStore(tile::StoreOp op) {
  FailureOr<TileAccess> made =
      checkedAccess(op, cast<RankedTensorType>(op.getValue().getType()));
  if (failed(made))
    return failure();
  TileAccess &access = *made;
  Value value = numeric::toMemory(b, loc, get(op.getValue()));
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  writeGroups(access, [&](Value address, ArrayRef<int32_t> registers) {
    Value target = LLVM::IntToPtrOp::create(b, loc, pointer, address);
    LLVM::StoreOp::create(b, loc, pick(value, registers), target,
                          unsigned(access.bytes * access.groups.elements));
  });
  return success();
}

LogicalResult ThreadEmitter::emitAtomicReduce(tile::AtomicReduceOp op) {
  FailureOr<TileAccess> access =
      checkedAccess(op, cast<RankedTensorType>(op.getValue().getType()));
  if (failed(access))
    return failure();
  Value value = get(op.getValue());
  writeGroups(*access, [&](Value address, ArrayRef<int32_t> registers) {
    updateGroup(op.getKind(), {op.getOrder(), op.getScope()}, address,
                pick(value, registers));
  });
  return success();
}

//===--- Constants --------------------------------------------------------===//

Value ThreadEmitter::dataOf(Attribute data, Type type) {
  LLVM::GlobalOp global;
  auto globals = module.getOps<LLVM::GlobalOp>();
  for (LLVM::GlobalOp other : globals)
    if (other.getValueAttr() == data && other.getType() == type)
      global = other;
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    std::string name = (kernel.getSymName() + "_data" +
                        Twine(std::distance(globals.begin(), globals.end())))
                           .str();
    global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                    LLVM::Linkage::Internal, name, data,
                                    /*alignment=*/16, /*addrSpace=*/1);
  }
  return LLVM::AddressOfOp::create(b, loc, global);
}

/// The elements in the module's data, row-major.
ThreadEmitter::View ThreadEmitter::viewOf(DenseElementsAttr elements) {
  DenseElementsAttr data = numeric::inMemory(elements);
  auto array =
      LLVM::LLVMArrayType::get(data.getElementType(), data.getNumElements());
  View view;
  view.base =
      LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), dataOf(data, array));
  int64_t stride = 1;
  for (int64_t size : llvm::reverse(elements.getType().getShape())) {
    view.sizes.insert(view.sizes.begin(), index(size));
    view.strides.insert(view.strides.begin(), index(stride));
    stride *= size;
  }
  return view;
}

/// A load of a view of the module's data.
LogicalResult ThreadEmitter::emitConstantTile(arith::ConstantOp op) {
  auto tile = cast<RankedTensorType>(op.getType());
  if (failed(checkSeparable(op, tile)))
    return failure();
  View view = viewOf(cast<DenseElementsAttr>(op.getValue()));
  TileAccess access;
  access.view = &view;
  access.layout = tilegpu::layoutOf(tile);
  access.shape.assign(tile.getShape().begin(), tile.getShape().end());
  access.steps.assign(tile.getRank(), 1);
  access.first.assign(tile.getRank(), index(0));
  gpu::MemoryOrder memory;
  memory.order = layout::rowMajorOrder(tile.getRank());
  if (tile.getRank()) {
    int64_t row = tile.getShape().back();
    int64_t most = 128 / tilegpu::elementBits(tile.getElementType());
    memory.contiguous = std::min(row & -row, most);
  }
  complete(access, tile, memory);
  set(op, loadGroups(access, {}));
  return success();
}

} // namespace tilewright::nvptx
