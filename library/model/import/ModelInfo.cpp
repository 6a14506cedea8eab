//===- ModelInfo.cpp - What a package says of its model -------------------===//
#include "library/model/import/ModelInfo.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tilewright {

static constexpr StringLiteral attributeName = "graph.model";

void ModelInfo::writeTo(ModuleOp module) const {
  Builder b(module.getContext());
  SmallVector<NamedAttribute> texts;
  for (const auto &[key, value] : metadata)
    texts.push_back(b.getNamedAttr(key, b.getStringAttr(value)));
  SmallVector<StringRef> reasons(notReplaced.begin(), notReplaced.end());
  module->setAttr(
      attributeName,
      b.getDictionaryAttr(
          {b.getNamedAttr("name", b.getStringAttr(name)),
           b.getNamedAttr("nodes", b.getI64IntegerAttr(nodeCount)),
           b.getNamedAttr("metadata", b.getDictionaryAttr(texts)),
           b.getNamedAttr("not_replaced", b.getStrArrayAttr(reasons))}));
}

std::optional<ModelInfo> ModelInfo::of(ModuleOp module) {
  auto written = module->getAttrOfType<DictionaryAttr>(attributeName);
  if (!written)
    return std::nullopt;
  ModelInfo info;
  if (auto name = written.getAs<StringAttr>("name"))
    info.name = name.str();
  if (auto nodes = written.getAs<IntegerAttr>("nodes"))
    info.nodeCount = nodes.getInt();
  if (auto texts = written.getAs<DictionaryAttr>("metadata"))
    for (NamedAttribute text : texts)
      if (auto value = dyn_cast<StringAttr>(text.getValue()))
        info.metadata[text.getName().str()] = value.str();
  if (auto reasons = written.getAs<ArrayAttr>("not_replaced"))
    for (auto reason : reasons.getAsRange<StringAttr>())
      info.notReplaced.push_back(reason.str());
  return info;
}

} // namespace tilewright
