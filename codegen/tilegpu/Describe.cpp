//===- Describe.cpp - Tiles and locations for people ----------------------===//
#include "codegen/tilegpu/Describe.h"

#include "codegen/tilegpu/TileGpu.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright::tilegpu {

std::string describe(Location location) {
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    return llvm::formatv("{0}:{1}", file.getLine(), file.getColumn());
  if (auto name = location->findInstanceOf<NameLoc>())
    return name.getName().str();
  return "-";
}

std::string describe(ArrayRef<int64_t> shape, Type element) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << toDims(shape).text() << " " << element;
  return text;
}

std::string describe(RankedTensorType tile) {
  return describe(tile.getShape(), tile.getElementType());
}

} // namespace tilewright::tilegpu
