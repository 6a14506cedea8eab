//===- SourceDims.cpp - Where the dimensions of turned tiles come from ----===//
#include "codegen/cpu/SourceDims.h"

#include "codegen/cpu/CpuOp.h"

using namespace mlir;

namespace tilewright::cpu {

bool rearrangesTile(Operation *op) {
  const CpuOp *known = lookupOp(op);
  return known && known->sourceDims;
}

std::optional<SmallVector<DimGroup>> dimGroupsOfSource(Operation *op) {
  if (!rearrangesTile(op))
    return std::nullopt;
  return lookupOp(op)->sourceDims(op);
}

std::optional<SmallVector<int>> dimsOfSource(Operation *op) {
  std::optional<SmallVector<DimGroup>> groups = dimGroupsOfSource(op);
  if (!groups)
    return std::nullopt;
  SmallVector<int> dims;
  for (const DimGroup &group : *groups) {
    if (group.size() > 1)
      return std::nullopt;
    dims.push_back(group.empty() ? -1 : group.front());
  }
  return dims;
}

bool mergesDims(Operation *op) {
  return rearrangesTile(op) && !dimsOfSource(op);
}

} // namespace tilewright::cpu
