#include "tileir/ir/Support.h"

using namespace mlir;

namespace tilewright::tile {

namespace support {

InFlightDiagnostic opError(Operation *op) {
  InFlightDiagnostic diagnostic = op->emitError();
  diagnostic << op->getName().getStringRef() << ": ";
  return diagnostic;
}

std::string shapeText(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t size : shape) {
    if (!text.empty())
      text += 'x';
    text += ShapedType::isDynamic(size) ? "?" : std::to_string(size);
  }
  return text;
}

ArrayRef<int64_t> shapeOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getShape();
  if (auto view = dyn_cast<ViewType>(type))
    return view.getShape();
  return {};
}

Type withoutLayout(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? RankedTensorType::get(tile.getShape(), tile.getElementType())
              : type;
}

bool sameButLayouts(TypeRange a, TypeRange b) {
  return llvm::equal(llvm::map_range(a, withoutLayout),
                     llvm::map_range(b, withoutLayout));
}

void noteAt(InFlightDiagnostic &diagnostic, Value value, const Twine &text) {
  if (Operation *op = value.getDefiningOp())
    diagnostic.attachNote(op->getLoc()) << text;
}

Type accessedType(Type pointer) {
  if (auto type = dyn_cast<PtrType>(getElementTypeOrSelf(pointer)))
    return withElementType(pointer, type.getPointee());
  return pointer;
}

LogicalResult verifyAccess(Operation *op, RankedTensorType tile,
                           TypedValue<ViewType> view, size_t offsets,
                           bool byElement, ArrayRef<int64_t> steps,
                           const AccessRules &rules) {
  ViewType viewType = view.getType();
  if (tile.getRank() != viewType.getRank())
    return opError(op) << "the tile " << shapeText(tile.getShape()) << " has "
                       << tile.getRank() << " dimensions, the view " << viewType
                       << " has " << viewType.getRank() << " (" << rules.rank
                       << ")";
  if (static_cast<int64_t>(offsets) != viewType.getRank())
    return opError(op) << offsets << " indices for a view with "
                       << viewType.getRank() << " dimensions (" << rules.offsets
                       << ")";
  if (tile.getElementType() != viewType.getElementType())
    return opError(op) << "the tile has elements " << tile.getElementType()
                       << ", the view " << viewType.getElementType() << " ("
                       << rules.element << ")";
  bool sized = static_cast<int64_t>(steps.size()) == viewType.getRank();
  bool positive = llvm::all_of(steps, [](int64_t s) { return s > 0; });
  if (!steps.empty() && (!byElement || !sized || !positive))
    return opError(op) << "steps [" << steps
                       << "]; expected one positive number for each of "
                       << viewType.getRank()
                       << " dimensions, with offsets in elements ("
                       << rules.steps << ")";
  return success();
}

} // namespace support

} // namespace tilewright::tile
