//===- SourceDims.cpp - Where the dimensions of turned tiles come from ----===//
#include "codegen/cpu/SourceDims.h"

#include "tileir/ir/Tile.h"

using namespace mlir;

namespace tilewright::cpu {

std::optional<SmallVector<DimGroup>> dimGroupsOfSource(Operation *op) {
  SmallVector<DimGroup> groups;
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    for (int64_t dim : transpose.getPermutation())
      groups.push_back({static_cast<int>(dim)});
    return groups;
  }
  auto reshape = dyn_cast<tile::ReshapeOp>(op);
  if (!reshape)
    return std::nullopt;
  auto from = cast<RankedTensorType>(reshape.getSource().getType()).getShape();
  auto to = cast<RankedTensorType>(reshape.getResult().getType()).getShape();
  int at = 0, end = static_cast<int>(from.size());
  auto skipUnits = [&] {
    while (at < end && from[at] == 1)
      ++at;
  };
  for (int64_t size : to) {
    DimGroup &group = groups.emplace_back();
    int64_t merged = 1;
    while (merged < size) {
      skipUnits();
      if (at == end)
        return std::nullopt;
      merged *= from[at];
      group.push_back(at++);
    }
    if (merged != size)
      return std::nullopt;
  }
  skipUnits();
  if (at != end)
    return std::nullopt;
  return groups;
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

} // namespace tilewright::cpu
