//===- KeptConstants.cpp - Constants that outlive passes ------------------===//
#include "library/model/KeptConstants.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tilewright {

/// The same data, owned by nobody.
static AsmResourceBlob viewOf(const AsmResourceBlob &data) {
  return UnmanagedAsmResourceBlob::allocateWithAlign(data.getData(),
                                                     data.getDataAlignment());
}

void KeptConstants::keep(ModuleOp module) {
  llvm::DenseSet<DialectResourceBlobManager::BlobEntry *> known;
  for (const Kept &kept : all)
    known.insert(kept.entry);
  module.walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](DenseResourceElementsAttr constant) {
      auto *entry = constant.getRawHandle().getResource();
      AsmResourceBlob *data = entry ? entry->getBlob() : nullptr;
      if (!data || !known.insert(entry).second)
        return;
      all.push_back({entry, std::move(*data)});
      entry->setBlob(viewOf(all.back().data));
    });
  });
}

void KeptConstants::restore() {
  for (const Kept &kept : all)
    if (const AsmResourceBlob *data = kept.entry->getBlob();
        !data || data->getData().empty())
      kept.entry->setBlob(viewOf(kept.data));
}

} // namespace tilewright
