#include "tileir/authoring/construction/Types.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright::authoring {

using detail::Sizes;

Type typeOf(KernelBuilder &c, ElementType type) {
  if (type.isIndex)
    return c.builder.getIndexType();
  switch (type.dtype) {
  case runtime::DType::F16:
    return c.builder.getF16Type();
  case runtime::DType::BF16:
    return c.builder.getBF16Type();
  case runtime::DType::F32:
    return c.builder.getF32Type();
  case runtime::DType::F64:
    return c.builder.getF64Type();
  case runtime::DType::F8E4M3FN:
    return Float8E4M3FNType::get(&c.context);
  case runtime::DType::F8E5M2:
    return Float8E5M2Type::get(&c.context);
  case runtime::DType::F4E2M1FN:
    return Float4E2M1FNType::get(&c.context);
  case runtime::DType::F8E8M0FNU:
    return Float8E8M0FNUType::get(&c.context);
  default:
    return c.builder.getIntegerType(runtime::dtypeInfo(type.dtype).bits);
  }
}

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return shape.empty() ? "no dimensions" : text;
}

RankedTensorType tileType(KernelBuilder &c, Sizes shape, Type element,
                          const std::source_location &where) {
  // Far beyond what a program can hold; code for it would take minutes.
  constexpr int64_t mostElements = int64_t{1} << 24;
  int64_t elements = 1;
  for (int64_t size : shape) {
    if (size < 1) {
      c.error(where, "tile_size",
              "a tile of " + shapeText({shape.data(), shape.size()}) +
                  ": expected sizes of at least 1, found " + Twine(size));
      return {};
    }
    elements = size > mostElements ? size : elements * size;
    if (elements > mostElements) {
      c.error(where, "tile_size",
              "a tile of " + shapeText({shape.data(), shape.size()}) +
                  ": expected at most " + Twine(mostElements) +
                  " elements; let a loop or the grid go over smaller tiles");
      return {};
    }
  }
  return RankedTensorType::get({shape.data(), shape.size()}, element);
}

bool checkAxis(KernelBuilder &c, StringRef name, int &axis, Value tile,
               const std::source_location &where) {
  int64_t rank = cast<RankedTensorType>(tile.getType()).getRank();
  if (axis >= -rank && axis < rank) {
    axis += axis < 0 ? static_cast<int>(rank) : 0;
    return true;
  }
  c.error(where, "axis",
          name + ": axis " + Twine(axis) + " of a tile with " +
              (rank == 0
                   ? std::string("no dimensions; expand it first")
                   : llvm::formatv("{0} dimension{1}; expected {2} to {3}, "
                                   "negative ones from the end",
                                   rank, rank == 1 ? "" : "s", -rank, rank - 1)
                         .str()));
  return false;
}

} // namespace tilewright::authoring
