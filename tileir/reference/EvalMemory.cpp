// Views, pointers, and the accesses through them.
#include "mlir/IR/BuiltinTypes.h"
#include "tileir/reference/ProgramInstance.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::reference {

static LogicalResult setIndex(Operation *op, int64_t value,
                              ProgramInstance &program) {
  return program.set(op->getResult(0),
                     TileValue::scalar(Element::ofInt(
                         IndexType::get(op->getContext()), value)));
}

/// Reading what holds poison is poison.
static StatusOr<Element> loadElement(Operation *op, Pointer pointer,
                                     Type pointee, Type type,
                                     ProgramInstance &program) {
  if (program.memory().isPoison(pointer, pointee))
    return Element::poison(type, op);
  return program.memory().load(pointer, pointee, type);
}

/// Writing poison is an error but in memory that holds it.
static LogicalResult storeElement(Operation *op, Pointer pointer, Type type,
                                  const Element &element,
                                  ProgramInstance &program) {
  if (element.isPoison()) {
    if (program.memory().storePoison(pointer, type).ok())
      return success();
    return poisonError(op, element, "stores a poison value");
  }
  if (Status stored = program.memory().store(pointer, type, element);
      !stored.ok())
    return errorAt(op, stored);
  return success();
}

static LogicalResult evalMakeView(tile::MakeViewOp op,
                                  ProgramInstance &program) {
  const Element &pointer = program.tile(op.getPtr()).elements[0];
  if (pointer.isPoison())
    return poisonError(op, pointer, "the pointer is a poison value");
  if (pointer.hasSpread())
    return program.stop(op, "an address");
  tile::ViewType type = op.getType();
  ViewValue view{pointer.pointer(), type.getElementType(), {}, {}};
  auto sizes = op.getSizes().begin(), strides = op.getStrides().begin();
  for (int64_t size : type.getShape()) {
    FailureOr<int64_t> known = size;
    if (ShapedType::isDynamic(size))
      known = program.scalar(op, *sizes++);
    if (failed(known))
      return failure();
    view.dims.push_back(*known);
  }
  view.strides = rowMajorStrides(view.dims);
  for (auto [dim, stride] : llvm::enumerate(type.getStrides())) {
    FailureOr<int64_t> known = stride;
    if (ShapedType::isDynamic(stride))
      known = program.scalar(op, *strides++);
    if (failed(known))
      return failure();
    view.strides[dim] = *known;
  }
  return program.set(op, view);
}

//===--- Tiles of views ---------------------------------------------------===//

static std::string indexText(Index index) {
  std::string text;
  for (int64_t i : index)
    text += (text.empty() ? "" : ", ") + std::to_string(i);
  return "[" + text + "]";
}

static Element padElement(TypedAttr pad) {
  if (auto number = dyn_cast<FloatAttr>(pad))
    return Element::ofFloat(pad.getType(), number.getValue());
  return Element::ofInteger(pad.getType(), cast<IntegerAttr>(pad).getValue());
}

static LogicalResult evalLoad(tile::LoadOp op, ProgramInstance &program) {
  const ViewValue &view = program.view(op.getView());
  auto type = cast<RankedTensorType>(op.getType());
  FailureOr<Window> window = Window::of(op, type.getShape(), program);
  if (failed(window))
    return failure();
  LogicalResult status = success();
  TileValue result = TileValue::generate(type, [&](Index i) {
    Type element = type.getElementType();
    SmallVector<int64_t> index = window->at(i);
    if (failed(status))
      return Element::zero(element);
    if (!view.contains(index)) {
      if (op.getPad())
        return padElement(op.getPadAttr());
      status = errorAt(op) << "element " << indexText(index)
                           << " is outside the view, which is "
                           << indexText(view.dims) << ", and there is no pad";
      return Element::zero(element);
    }
    StatusOr<Element> loaded = loadElement(op, view.address(index),
                                           view.elementType, element, program);
    if (loaded)
      return *loaded;
    status = errorAt(op, loaded.status());
    return Element::zero(element);
  });
  if (failed(status))
    return failure();
  return program.set(op, std::move(result));
}

static LogicalResult evalStore(tile::StoreOp op, ProgramInstance &program) {
  const ViewValue &view = program.view(op.getView());
  const TileValue &value = program.tile(op.getValue());
  FailureOr<Window> window = Window::of(op, value.shape(), program);
  if (failed(window))
    return failure();
  LogicalResult status = success();
  forEachIndex(value.shape(), [&](Index i) {
    SmallVector<int64_t> index = window->at(i);
    if (succeeded(status) && view.contains(index))
      status = storeElement(op, view.address(index), view.elementType,
                            value.at(i), program);
  });
  return status;
}

//===--- Pointers ---------------------------------------------------------===//

/// The element of a tile, or of a scalar that applies to all.
static const Element &pick(const TileValue &value, size_t i) {
  return value.elements[value.elements.size() == 1 ? 0 : i];
}

static LogicalResult evalOffset(tile::OffsetOp op, ProgramInstance &program) {
  const TileValue &pointers = program.tile(op.getPtr());
  const TileValue &offsets = program.tile(op.getOffset());
  TileValue result{op.getType(), {}};
  auto type = cast<tile::PtrType>(result.elementType());
  int64_t bytes = tile::getStorageBits(type.getPointee()) / 8;
  size_t count = std::max(pointers.elements.size(), offsets.elements.size());
  for (size_t i = 0; i < count; ++i) {
    const Element &from = pick(pointers, i), &by = pick(offsets, i);
    if (from.isPoison() || by.isPoison()) {
      const Element &poison = from.isPoison() ? from : by;
      result.elements.push_back(Element::poison(type, poison.poisonOrigin()));
      continue;
    }
    Pointer pointer = from.pointer();
    // Of any number, as addresses are computed: modulo 2^64.
    pointer.byteOffset =
        int64_t(uint64_t(pointer.byteOffset) + uint64_t(bytes) * by.toInt());
    const bool isOpen = from.hasSpread() || by.hasSpread();
    result.elements.push_back(
        Element::ofPointer(type, pointer)
            .withSpread(isOpen ? Spread::any() : Spread()));
  }
  return program.set(op, std::move(result));
}

static Type pointeeOf(const Element &pointer) {
  return cast<tile::PtrType>(pointer.getType()).getPointee();
}

/// Whether element `i` of an access is enabled.
static FailureOr<bool> isEnabled(Operation *op, mlir::Value mask, size_t i,
                                 ProgramInstance &program) {
  if (!mask)
    return true;
  const Element &enabled = program.tile(mask).elements[i];
  if (enabled.isPoison())
    return poisonError(op, enabled, "the mask is a poison value");
  if (enabled.hasSpread())
    return program.stop(op, "a mask");
  return enabled.isTrue();
}

static FailureOr<Element> loadThrough(tile::LoadPtrOp op, size_t i,
                                      ProgramInstance &program) {
  FailureOr<bool> enabled = isEnabled(op, op.getMask(), i, program);
  if (failed(enabled))
    return failure();
  Type type = getElementTypeOrSelf(op.getType());
  if (!*enabled)
    return op.getOther() ? program.tile(op.getOther()).elements[i]
                         : Element::zero(type);
  const Element &pointer = program.tile(op.getPtr()).elements[i];
  if (pointer.isPoison())
    return poisonError(op, pointer, "the pointer is a poison value");
  if (pointer.hasSpread())
    return program.stop(op, "an address");
  StatusOr<Element> loaded =
      loadElement(op, pointer.pointer(), pointeeOf(pointer), type, program);
  if (!loaded)
    return errorAt(op, loaded.status());
  return *loaded;
}

static LogicalResult evalLoadPtr(tile::LoadPtrOp op, ProgramInstance &program) {
  TileValue result{op.getType(), {}};
  size_t count = program.tile(op.getPtr()).elements.size();
  for (size_t i = 0; i < count; ++i) {
    FailureOr<Element> element = loadThrough(op, i, program);
    if (failed(element))
      return failure();
    result.elements.push_back(std::move(*element));
  }
  return program.set(op, std::move(result));
}

static LogicalResult evalStorePtr(tile::StorePtrOp op,
                                  ProgramInstance &program) {
  const TileValue &pointers = program.tile(op.getPtr());
  const TileValue &value = program.tile(op.getValue());
  for (size_t i = 0; i < pointers.elements.size(); ++i) {
    FailureOr<bool> enabled = isEnabled(op, op.getMask(), i, program);
    if (failed(enabled))
      return failure();
    if (!*enabled)
      continue;
    if (pointers.elements[i].isPoison())
      return poisonError(op, pointers.elements[i],
                         "the pointer is a poison value");
    if (pointers.elements[i].hasSpread())
      return program.stop(op, "an address");
    const Element &pointer = pointers.elements[i];
    if (failed(storeElement(op, pointer.pointer(), pointeeOf(pointer),
                            value.elements[i], program)))
      return failure();
  }
  return success();
}

/// Applies `cast` to each element that is not poison.
static TileValue castEach(const TileValue &source, Type type,
                          llvm::function_ref<Element(const Element &)> cast) {
  TileValue result{type, {}};
  for (const Element &element : source.elements)
    result.elements.push_back(
        element.isPoison()
            ? Element::poison(result.elementType(), element.poisonOrigin())
            : cast(element).withSpread(element.hasSpread() ? Spread::any()
                                                           : Spread()));
  return result;
}

static void addPointerCasts(OpTable &table) {
  table.add<tile::PtrCastOp>([](tile::PtrCastOp op, ProgramInstance &program) {
    Type type = getElementTypeOrSelf(op.getType());
    auto cast = [&](const Element &pointer) {
      return Element::ofPointer(type, pointer.pointer());
    };
    return program.set(op,
                       castEach(program.tile(op.getPtr()), op.getType(), cast));
  });
  table.add<tile::PtrToIntOp>([](tile::PtrToIntOp op,
                                 ProgramInstance &program) {
    Type type = getElementTypeOrSelf(op.getType());
    auto cast = [&](const Element &pointer) {
      return Element::ofInt(type,
                            program.memory().addressOf(pointer.pointer()));
    };
    return program.set(op,
                       castEach(program.tile(op.getPtr()), op.getType(), cast));
  });
  table.add<tile::IntToPtrOp>([](tile::IntToPtrOp op,
                                 ProgramInstance &program) {
    Type type = getElementTypeOrSelf(op.getType());
    auto cast = [&](const Element &address) {
      return Element::ofPointer(type,
                                program.memory().pointerTo(address.toInt()));
    };
    return program.set(
        op, castEach(program.tile(op.getAddress()), op.getType(), cast));
  });
}

void addMemoryOps(OpTable &table) {
  addPointerCasts(table);
  table.add<tile::MakeViewOp>(evalMakeView);
  table.add<tile::DimOp>([](tile::DimOp op, ProgramInstance &program) {
    return setIndex(op, program.view(op.getView()).dims[op.getDim()], program);
  });
  table.add<tile::StrideOp>([](tile::StrideOp op, ProgramInstance &program) {
    return setIndex(op, program.view(op.getView()).strides[op.getDim()],
                    program);
  });
  table.add<tile::CountOp>([](tile::CountOp op, ProgramInstance &program) {
    int64_t size = program.view(op.getView()).dims[op.getDim()];
    return setIndex(op, llvm::divideCeil(size, op.getExtent()), program);
  });
  table.add<tile::BaseOp>([](tile::BaseOp op, ProgramInstance &program) {
    Pointer base = program.view(op.getView()).base;
    return program.set(
        op, TileValue::scalar(Element::ofPointer(op.getType(), base)));
  });
  table.add<tile::LoadOp>(evalLoad);
  table.add<tile::StoreOp>(evalStore);
  table.add<tile::OffsetOp>(evalOffset);
  table.add<tile::LoadPtrOp>(evalLoadPtr);
  table.add<tile::StorePtrOp>(evalStorePtr);
}

} // namespace tilewright::reference
