#include "verify/validate/ReadHints.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tilewright::verify {

namespace {
class Reader {
public:
  Hints hints;

  void read(Operation *op) {
    for (Type type : op->getResultTypes())
      read(type);
    op->getAttrDictionary().walk([&](Attribute each) { readNumber(each); });
    if (auto properties = op->getPropertiesAsAttribute())
      properties.walk([&](Attribute each) { readNumber(each); });
  }

private:
  /// More numbers than this of one constant are data.
  static constexpr int64_t mostElements = 64;

  void read(Type type) {
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
      for (int64_t size : shaped.getShape())
        addSize(size);
  }
  void addSize(int64_t size) {
    if (size > 1 && size <= 65536)
      hints.sizes.insert(size);
  }
  void addInteger(const llvm::APInt &value) {
    if (value.getSignificantBits() > 64)
      return;
    hints.integers.insert(value.getSExtValue());
    addSize(value.getSExtValue());
  }
  void readNumber(Attribute attribute) {
    if (auto integer = dyn_cast<IntegerAttr>(attribute))
      addInteger(integer.getValue());
    else if (auto real = dyn_cast<FloatAttr>(attribute))
      hints.reals.insert(real.getValueAsDouble());
    else if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute))
      for (int64_t number : list.asArrayRef())
        addSize(number);
    else if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
      readDense(dense);
  }
  void readDense(DenseElementsAttr dense) {
    if (!dense.isSplat() && dense.getNumElements() > mostElements)
      return;
    if (isa<FloatType>(dense.getElementType()))
      for (const llvm::APFloat &number : dense.getValues<llvm::APFloat>())
        readNumber(FloatAttr::get(dense.getElementType(), number));
    else if (dense.getElementType().isIntOrIndex())
      for (const llvm::APInt &number : dense.getValues<llvm::APInt>())
        addInteger(number);
  }
};
} // namespace

Hints readHints(ModuleOp module) {
  Reader reader;
  module.walk([&](Operation *op) { reader.read(op); });
  return std::move(reader.hints);
}

} // namespace tilewright::verify
