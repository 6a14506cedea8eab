#include "frontends/torch/Constants.h"

#include "frontends/torch/Call.h"
#include "graph/build/TensorValues.h"

#include <cstring>

using namespace mlir;

namespace tilewright::torch {
namespace {

/// Where a constant's elements are in its storage.
struct Layout {
  SmallVector<int64_t> sizes, strides;
  int64_t offset = 0, count = 1;
  bool isRowMajor = true;
};

/// Fails where the elements are not all in the storage.
FailureOr<Layout> layoutOf(GraphBuilder &b, const std::string &name,
                           const TensorMeta &meta, int64_t available) {
  Layout layout;
  auto constant = [](const Expression &e) -> std::optional<int64_t> {
    if (e.kind != Expression::Kind::Integer || e.integer < 0)
      return std::nullopt;
    return e.integer;
  };
  auto offset = constant(meta.offset);
  bool fits = offset.has_value();
  layout.offset = offset.value_or(0);
  int64_t last = layout.offset;
  for (size_t i = 0; i < meta.sizes.size(); ++i) {
    auto size = constant(meta.sizes[i]), stride = constant(meta.strides[i]);
    if (!size || !stride)
      return b.fail("constant '" + name +
                    "' has a size or a stride that is not a number");
    layout.sizes.push_back(*size);
    layout.strides.push_back(*stride);
    int64_t reach;
    fits &= !__builtin_mul_overflow(layout.count, *size, &layout.count) &&
            !__builtin_mul_overflow(std::max<int64_t>(*size - 1, 0), *stride,
                                    &reach) &&
            !__builtin_add_overflow(last, reach, &last);
  }
  if (!fits || (layout.count > 0 && last >= available) ||
      layout.count > maximumBytes / 8)
    return b.fail("constant '" + name +
                  "' has elements behind the end of its "
                  "storage of " +
                  llvm::Twine(available) + " elements");
  int64_t expected = 1;
  for (size_t i = layout.sizes.size(); i-- > 0;) {
    layout.isRowMajor &= layout.sizes[i] == 1 || layout.strides[i] == expected;
    expected *= layout.sizes[i];
  }
  return layout;
}

/// Copies the elements in row-major order.
void copyElements(const Layout &layout, const char *from, unsigned bytes,
                  char *to) {
  SmallVector<int64_t> at(layout.sizes.size(), 0);
  for (int64_t i = 0; i < layout.count; ++i) {
    int64_t position = layout.offset;
    for (size_t d = 0; d < at.size(); ++d)
      position += at[d] * layout.strides[d];
    std::memcpy(to + i * bytes, from + position * bytes, bytes);
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < layout.sizes[d])
        break;
      at[d] = 0;
    }
  }
}

} // namespace

FailureOr<Tensor> makeConstant(GraphBuilder &b, const std::string &name,
                               const Storage &storage) {
  auto element = elementOf(b.builder.getContext(), storage.meta.dtype);
  if (!element)
    return b.fail("constant '" + name + "' has the type " +
                  std::string(dtypeNames[size_t(storage.meta.dtype)]) +
                  ", which is not supported");
  const unsigned bytes = element->bytes();
  TRY(Layout layout,
      layoutOf(b, name, storage.meta, int64_t(storage.bytes.size() / bytes)));
  auto tensor = std::make_shared<TensorInfo>();
  tensor->element = *element;
  for (int64_t size : layout.sizes)
    tensor->dims.push_back(b.sizes.constant(size));
  const char *data = storage.bytes.data();
  bool aligned = reinterpret_cast<uintptr_t>(data) % bytes == 0;
  if (layout.isRowMajor && aligned && storage.owner) {
    tensor->constant = std::make_shared<ConstantData>();
    tensor->constant->bytes =
        StringRef(data + layout.offset * bytes, layout.count * bytes);
    tensor->constant->owner = storage.owner;
  } else {
    char *copy;
    tensor->constant = ownedConstant(layout.count, bytes, copy);
    copyElements(layout, data, bytes, copy);
  }
  tensor->constant->name = name;
  if (layout.count <= 1024 && !element->isFloat()) {
    tensor->content.emplace();
    for (int64_t i = 0; i < layout.count; ++i)
      tensor->content->push_back(b.sizes.constant(intAt(*tensor, i)));
  }
  return Tensor(tensor);
}

} // namespace tilewright::torch
