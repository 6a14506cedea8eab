// Tensors in memory of the caller, in any layout. For sources only.
#ifndef TILEWRIGHT_RUNTIME_CORE_BINDING_H
#define TILEWRIGHT_RUNTIME_CORE_BINDING_H

#include "tilewright/runtime/Model.h"

namespace tilewright::runtime {

/// A tensor in memory of the caller.
struct Binding {
  TensorMemory memory;
  /// The memory as kernels access it; null if it is copied in each run.
  std::shared_ptr<Buffer> inPlace;

  /// The strides, also of a row-major tensor.
  [[nodiscard]] Shape allStrides() const;
  [[nodiscard]] bool isContiguous() const;
  /// The bytes of the elements.
  [[nodiscard]] size_t bytes() const;
  /// The bytes from the first element to the end of the last. Errors, which
  /// begin with `what`: negative sizes or strides, or more bytes than there
  /// are.
  [[nodiscard]] StatusOr<size_t> extent(const std::string &what) const;
  /// Whether this and `other` have a byte in common.
  [[nodiscard]] bool sharesMemory(const Binding &other) const;
  /// Whether the elements of `other` are those of this, each at its place.
  [[nodiscard]] bool isSame(const Binding &other) const;
  /// Whether two elements may be one: the dimensions, by stride, do not each
  /// step over all smaller ones.
  [[nodiscard]] bool overlapsItself() const;
  /// The elements in row-major order. Of contiguous ones no copy is made:
  /// `storage` is for all others.
  std::span<const std::byte> gather(std::vector<std::byte> &storage) const;
  /// Writes the elements, which are given in row-major order.
  void scatter(std::span<const std::byte> elements) const;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_BINDING_H
