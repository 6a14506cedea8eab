#include "tileir/reference/TileValue.h"

using namespace mlir;

namespace tilewright::reference {

TileValue TileValue::scalar(Element element) {
  Type type = element.getType();
  return {type, {std::move(element)}};
}

TileValue TileValue::splat(Type type, const Element &element) {
  return generate(type, [&](Index) { return element; });
}

TileValue TileValue::generate(Type type,
                              llvm::function_ref<Element(Index)> make) {
  TileValue result{type, {}};
  forEachIndex(result.shape(),
               [&](Index index) { result.elements.push_back(make(index)); });
  return result;
}

ArrayRef<int64_t> TileValue::shape() const {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getShape();
  return {};
}

const Element &TileValue::at(Index index) const {
  return elements[linearIndex(shape(), index)];
}

Element &TileValue::at(Index index) {
  return elements[linearIndex(shape(), index)];
}

bool ViewValue::contains(Index index) const {
  for (auto [coordinate, size] : llvm::zip_equal(index, dims))
    if (coordinate < 0 || coordinate >= size)
      return false;
  return true;
}

Pointer ViewValue::address(Index index) const {
  int64_t offset = 0;
  for (auto [coordinate, stride] : llvm::zip_equal(index, strides))
    offset += coordinate * stride;
  return {base.allocation,
          base.byteOffset + offset * tile::getStorageBits(elementType) / 8};
}

void forEachIndex(ArrayRef<int64_t> shape,
                  llvm::function_ref<void(Index)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    visit(index);
    int64_t dim = static_cast<int64_t>(shape.size()) - 1;
    while (dim >= 0 && ++index[dim] == shape[dim])
      index[dim--] = 0;
    if (dim < 0)
      return;
  }
}

int64_t linearIndex(ArrayRef<int64_t> shape, Index index) {
  int64_t linear = 0;
  for (auto [size, coordinate] : llvm::zip_equal(shape, index)) {
    assert(coordinate >= 0 && coordinate < size);
    linear = linear * size + coordinate;
  }
  return linear;
}

SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * shape[dim + 1];
  return strides;
}

} // namespace tilewright::reference
