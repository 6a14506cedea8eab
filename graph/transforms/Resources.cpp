#include "graph/transforms/Resources.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace tilewright::graph {

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
