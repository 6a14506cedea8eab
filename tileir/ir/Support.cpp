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

void noteAt(InFlightDiagnostic &diagnostic, Value value, const Twine &text) {
  if (Operation *op = value.getDefiningOp())
    diagnostic.attachNote(op->getLoc()) << text;
}

Type accessedType(Type pointer) {
  if (auto type = dyn_cast<PtrType>(getElementTypeOrSelf(pointer)))
    return withElementType(pointer, type.getPointee());
  return pointer;
}

} // namespace support

} // namespace tilewright::tile
