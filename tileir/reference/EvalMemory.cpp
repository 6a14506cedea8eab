// Views, pointers, and the accesses through them.
#include "mlir/IR/BuiltinTypes.h"
#include "tileir/reference/Program.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::reference {

static LogicalResult setIndex(Operation *op, int64_t value, Program &program) {
  return program.set(op->getResult(0),
                     TileValue::scalar(Element::ofInt(
                         IndexType::get(op->getContext()), value)));
}

/// Writing poison is an error.
static LogicalResult storeElement(Operation *op, Pointer pointer,
                                  const Element &element, Program &program) {
  if (element.isPoison())
    return errorAt(op) << "stores a poison value: it comes from an operation "
                          "that is not defined for its operands";
  if (llvm::Error error = program.memory().store(pointer, element))
    return errorAt(op, std::move(error));
  return success();
}

//===--- Tiles of views ---------------------------------------------------===//

/// The elements of a view that a tile covers: tile element `i` is view element
/// `begin + i * step`.
struct Window {
  SmallVector<int64_t> begin, step;

  SmallVector<int64_t> at(Index i) const {
    SmallVector<int64_t> index;
    for (auto [first, stride, offset] : llvm::zip_equal(begin, step, i))
      index.push_back(first + offset * stride);
    return index;
  }
};

template <typename Op>
static FailureOr<Window> windowOf(Op op, ArrayRef<int64_t> tileShape,
                                  Program &program) {
  Window window;
  for (auto [dim, offset] : llvm::enumerate(op.getOffsets())) {
    FailureOr<int64_t> value = program.scalar(op, offset);
    if (failed(value))
      return failure();
    window.begin.push_back(op.getByElement() ? *value
                                             : *value * tileShape[dim]);
    window.step.push_back(op.getSteps().empty() ? 1 : op.getSteps()[dim]);
  }
  return window;
}

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

static LogicalResult evalLoad(tile::LoadOp op, Program &program) {
  const ViewValue &view = program.view(op.getView());
  auto type = cast<RankedTensorType>(op.getType());
  FailureOr<Window> window = windowOf(op, type.getShape(), program);
  if (failed(window))
    return failure();
  LogicalResult status = success();
  TileValue result = TileValue::generate(type, [&](Index i) {
    Type element = view.elementType;
    SmallVector<int64_t> index = window->at(i);
    if (failed(status))
      return Element::poison(element);
    if (!view.contains(index)) {
      if (op.getPad())
        return padElement(op.getPadAttr());
      status = errorAt(op) << "element " << indexText(index)
                           << " is outside the view, which is "
                           << indexText(view.dims) << ", and there is no pad";
      return Element::poison(element);
    }
    llvm::Expected<Element> loaded =
        program.memory().load(view.address(index), element);
    if (loaded)
      return *loaded;
    status = errorAt(op, loaded.takeError());
    return Element::poison(element);
  });
  if (failed(status))
    return failure();
  return program.set(op, std::move(result));
}

static LogicalResult evalStore(tile::StoreOp op, Program &program) {
  const ViewValue &view = program.view(op.getView());
  const TileValue &value = program.tile(op.getValue());
  FailureOr<Window> window = windowOf(op, value.shape(), program);
  if (failed(window))
    return failure();
  LogicalResult status = success();
  forEachIndex(value.shape(), [&](Index i) {
    SmallVector<int64_t> index = window->at(i);
    if (succeeded(status) && view.contains(index))
      status = storeElement(op, view.address(index), value.at(i), program);
  });
  return status;
}

//===--- Pointers ---------------------------------------------------------===//

/// The element of a tile, or the one of a scalar that stands for all.
static const Element &pick(const TileValue &value, size_t i) {
  return value.elements[value.elements.size() == 1 ? 0 : i];
}

static LogicalResult evalOffset(tile::OffsetOp op, Program &program) {
  const TileValue &pointers = program.tile(op.getPtr());
  const TileValue &offsets = program.tile(op.getOffset());
  TileValue result{op.getType(), {}};
  auto type = cast<tile::PtrType>(result.elementType());
  int64_t bits = tile::getStorageBits(type.getPointee());
  size_t count = std::max(pointers.elements.size(), offsets.elements.size());
  for (size_t i = 0; i < count; ++i) {
    const Element &from = pick(pointers, i), &by = pick(offsets, i);
    if (from.isPoison() || by.isPoison()) {
      result.elements.push_back(Element::poison(type));
      continue;
    }
    Pointer pointer = from.pointer();
    pointer.bitOffset += bits * by.toInt();
    result.elements.push_back(Element::ofPointer(type, pointer));
  }
  return program.set(op, std::move(result));
}

/// Whether element `i` of an access is enabled.
static FailureOr<bool> isEnabled(Operation *op, mlir::Value mask, size_t i,
                                 Program &program) {
  if (!mask)
    return true;
  const Element &enabled = program.tile(mask).elements[i];
  if (enabled.isPoison())
    return errorAt(op) << "the mask is a poison value";
  return enabled.isTrue();
}

static FailureOr<Element> loadThrough(tile::LoadPtrOp op, size_t i,
                                      Program &program) {
  FailureOr<bool> enabled = isEnabled(op, op.getMask(), i, program);
  if (failed(enabled))
    return failure();
  Type type = getElementTypeOrSelf(op.getType());
  if (!*enabled)
    return op.getOther() ? program.tile(op.getOther()).elements[i]
                         : Element::zero(type);
  const Element &pointer = program.tile(op.getPtr()).elements[i];
  if (pointer.isPoison())
    return errorAt(op) << "the pointer is a poison value";
  llvm::Expected<Element> loaded =
      program.memory().load(pointer.pointer(), type);
  if (!loaded)
    return errorAt(op, loaded.takeError());
  return *loaded;
}

static LogicalResult evalLoadPtr(tile::LoadPtrOp op, Program &program) {
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

static LogicalResult evalStorePtr(tile::StorePtrOp op, Program &program) {
  const TileValue &pointers = program.tile(op.getPtr());
  const TileValue &value = program.tile(op.getValue());
  for (size_t i = 0; i < pointers.elements.size(); ++i) {
    FailureOr<bool> enabled = isEnabled(op, op.getMask(), i, program);
    if (failed(enabled))
      return failure();
    if (!*enabled)
      continue;
    if (pointers.elements[i].isPoison())
      return errorAt(op) << "the pointer is a poison value";
    if (failed(storeElement(op, pointers.elements[i].pointer(),
                            value.elements[i], program)))
      return failure();
  }
  return success();
}

void addMemoryOps(OpTable &table) {
  table.add<tile::DimOp>([](tile::DimOp op, Program &program) {
    return setIndex(op, program.view(op.getView()).dims[op.getDim()], program);
  });
  table.add<tile::StrideOp>([](tile::StrideOp op, Program &program) {
    return setIndex(op, program.view(op.getView()).strides[op.getDim()],
                    program);
  });
  table.add<tile::CountOp>([](tile::CountOp op, Program &program) {
    int64_t size = program.view(op.getView()).dims[op.getDim()];
    return setIndex(op, llvm::divideCeil(size, op.getExtent()), program);
  });
  table.add<tile::BaseOp>([](tile::BaseOp op, Program &program) {
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
