#include "graph/transforms/Resources.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace tilewright::graph {

ArrayRef<char> bytesOf(ElementsAttr constant) {
  const Type element = constant.getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8)
    return {};
  if (auto dense = dyn_cast<DenseElementsAttr>(constant))
    return dense.getRawData();
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant);
  const AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  const int64_t bytes =
      constant.getNumElements() * element.getIntOrFloatBitWidth() / 8;
  return blob && int64_t(blob->getData().size()) == bytes ? blob->getData()
                                                          : ArrayRef<char>();
}

void freeUnused(ModuleOp module,
                llvm::SetVector<DenseResourceElementsAttr> &constants) {
  module.walk([&](Operation *op) {
    op->getAttrDictionary().walk(
        [&](DenseResourceElementsAttr data) { constants.remove(data); });
  });
  for (DenseResourceElementsAttr data : constants)
    data.getRawHandle().getResource()->setBlob(AsmResourceBlob());
}

} // namespace tilewright::graph
