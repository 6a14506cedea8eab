#include "runtime/core/Binding.h"
#include "support/Format.h"
#include <algorithm>
#include <cstring>

namespace tilewright::runtime {

Shape Binding::allStrides() const {
  if (!memory.strides.empty())
    return memory.strides;
  Shape strides(memory.shape.size(), 1);
  for (size_t d = strides.size(); d-- > 1;)
    strides[d - 1] = strides[d] * std::max<int64_t>(memory.shape[d], 1);
  return strides;
}

bool Binding::isContiguous() const {
  const Shape strides = allStrides();
  int64_t expected = 1;
  for (size_t d = strides.size(); d-- > 0;) {
    if (memory.shape[d] == 0)
      return true;
    if (memory.shape[d] != 1 && strides[d] != expected)
      return false;
    expected *= memory.shape[d];
  }
  return true;
}

/// Calls `visit` with the offset of each row of the innermost dimension, in
/// elements and in row-major order.
template <typename Visit>
static void forEachRow(const Shape &shape, const Shape &strides, Visit visit) {
  const size_t outer = shape.size() - 1;
  if (std::ranges::find(shape, 0) != shape.end())
    return;
  Shape at(outer, 0);
  int64_t offset = 0;
  while (true) {
    visit(offset);
    size_t d = outer;
    for (; d-- > 0;) {
      offset += strides[d];
      if (++at[d] < shape[d])
        break;
      offset -= at[d] * strides[d];
      at[d] = 0;
    }
    if (d == size_t(-1))
      return;
  }
}

/// Copies rows between the strided tensor and a dense one. `copy` takes the
/// addresses of one element in both.
template <typename Copy>
static void forEachElement(const Binding &bound, Copy copy) {
  const Shape &shape = bound.memory.shape;
  const Shape strides = bound.allStrides();
  const size_t bytes = dtypeBytes(bound.memory.dtype);
  size_t dense = 0;
  forEachRow(shape, strides, [&](int64_t row) {
    for (int64_t i = 0; i < shape.back(); ++i, dense += bytes)
      copy(bound.memory.data.data() + size_t(row + i * strides.back()) * bytes,
           dense);
  });
}

size_t Binding::bytes() const {
  const StatusOr<size_t> dense = denseBytes(memory.dtype, memory.shape);
  return dense.ok() ? *dense : 0; // Checked when it was bound.
}

std::span<const std::byte>
Binding::gather(std::vector<std::byte> &storage) const {
  const size_t size = bytes();
  if (isContiguous())
    return memory.data.first(size);
  storage.resize(size);
  const size_t elementBytes = dtypeBytes(memory.dtype);
  forEachElement(*this, [&](const std::byte *element, size_t dense) {
    std::memcpy(storage.data() + dense, element, elementBytes);
  });
  return storage;
}

void Binding::scatter(std::span<const std::byte> elements) const {
  const size_t elementBytes = dtypeBytes(memory.dtype);
  forEachElement(*this, [&](std::byte *element, size_t dense) {
    std::memcpy(element, elements.data() + dense, elementBytes);
  });
}

StatusOr<size_t> Binding::extent(const std::string &what) const {
  if (const auto dense = denseBytes(memory.dtype, memory.shape); !dense.ok())
    return dense.status().prefixed(what);
  if (!memory.strides.empty() && memory.strides.size() != memory.shape.size())
    return Status::invalidInput(
        format("{}: expected {} strides, as memory has shape {}, found {}",
               {what, memory.shape.size(), printShape(memory.shape),
                memory.strides.size()}));
  const Shape strides = allStrides();
  int64_t last = 0;
  bool isHuge = false;
  for (size_t d = 0; d < strides.size(); ++d) {
    if (strides[d] < 0)
      return Status::unsupported(
          format("{}: expected strides that are not negative, found {}; copy "
                 "the tensor",
                 {what, printShape(strides)}));
    int64_t step = 0;
    isHuge |= __builtin_mul_overflow(std::max<int64_t>(memory.shape[d], 1) - 1,
                                     strides[d], &step) ||
              __builtin_add_overflow(last, step, &last);
  }
  size_t bytes = 0;
  isHuge |= __builtin_mul_overflow(size_t(last) + 1, dtypeBytes(memory.dtype),
                                   &bytes);
  if (std::ranges::find(memory.shape, 0) != memory.shape.end())
    return size_t(0);
  if (isHuge || bytes > memory.data.size())
    return Status::invalidInput(
        format("{}: a tensor of shape {} with strides {} needs {} bytes, found "
               "{}",
               {what, printShape(memory.shape), printShape(strides),
                isHuge ? "more than 2^63" : std::to_string(bytes),
                memory.data.size()}));
  return bytes;
}

bool Binding::sharesMemory(const Binding &other) const {
  const StatusOr<size_t> size = extent(""), otherSize = other.extent("");
  if (!size.ok() || !otherSize.ok() || !*size || !*otherSize)
    return false;
  const std::byte *begin = memory.data.data(),
                  *otherBegin = other.memory.data.data();
  if (begin >= otherBegin + *otherSize || otherBegin >= begin + *size)
    return false;
  if (isContiguous() && other.isContiguous())
    return true;
  // Elements of one may lie between those of the other.
  std::vector<bool> isUsed(*size);
  const size_t bytes = dtypeBytes(memory.dtype);
  forEachElement(*this, [&](const std::byte *element, size_t) {
    std::fill_n(isUsed.begin() + (element - begin), bytes, true);
  });
  bool shares = false;
  forEachElement(other, [&](const std::byte *element, size_t) {
    for (size_t i = 0; i < dtypeBytes(other.memory.dtype); ++i) {
      const std::ptrdiff_t at = element + i - begin;
      shares |= at >= 0 && size_t(at) < *size && isUsed[size_t(at)];
    }
  });
  return shares;
}

bool Binding::isSame(const Binding &other) const {
  return memory.data.data() == other.memory.data.data() &&
         memory.dtype == other.memory.dtype &&
         memory.shape == other.memory.shape &&
         allStrides() == other.allStrides();
}

bool Binding::overlapsItself() const {
  const Shape strides = allStrides();
  std::vector<std::pair<int64_t, int64_t>> dims;
  for (size_t d = 0; d < strides.size(); ++d)
    if (memory.shape[d] > 1)
      dims.emplace_back(strides[d], memory.shape[d]);
  std::ranges::sort(dims);
  int64_t covered = 0;
  for (auto [stride, size] : dims) {
    if (stride <= covered)
      return true;
    covered += (size - 1) * stride;
  }
  return false;
}

} // namespace tilewright::runtime
