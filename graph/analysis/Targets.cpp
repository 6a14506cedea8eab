//===- Targets.cpp - What targets say of themselves -----------------------===//
#include "graph/analysis/Targets.h"

using namespace mlir;

namespace tilewright::graph {

int64_t factOf(tile::TargetAttr target, StringRef name) {
  DictionaryAttr facts = target.getFacts();
  auto value = facts ? facts.getAs<IntegerAttr>(name) : IntegerAttr();
  return value ? value.getInt() : 0;
}

int64_t matrixProductsOf(tile::TargetAttr target) {
  return factOf(target, "matrix_products");
}

} // namespace tilewright::graph
