//===- SourceDims.cpp - Where the dimensions of turned tiles come from ----===//
#include "codegen/cpu/SourceDims.h"

#include "tileir/ir/Tile.h"

using namespace mlir;

namespace tilewright::cpu {

std::optional<SmallVector<int>> dimsOfSource(Operation *op) {
  SmallVector<int> dims;
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    for (int64_t dim : transpose.getPermutation())
      dims.push_back(static_cast<int>(dim));
    return dims;
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
    dims.push_back(-1);
    if (size == 1)
      continue;
    skipUnits();
    if (at == end || from[at] != size)
      return std::nullopt;
    dims.back() = at++;
  }
  skipUnits();
  if (at != end)
    return std::nullopt;
  return dims;
}

} // namespace tilewright::cpu
