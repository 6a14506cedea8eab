// Tensors in host memory.
#ifndef TILEWRIGHT_RUNTIME_TENSOR_H
#define TILEWRIGHT_RUNTIME_TENSOR_H

#include "tilewright/manifest/DType.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// Sizes of the dimensions, outermost first.
using Shape = std::vector<int64_t>;

/// Alignment of all tensors, buffers and weights, in bytes.
inline constexpr size_t tensorAlignment = 64;

/// "[1, 3, 48, 320]".
[[nodiscard]] TILEWRIGHT_API std::string
printShape(std::span<const int64_t> shape);

/// Bytes of a dense tensor. Errors: negative dimensions, overflow.
TILEWRIGHT_API StatusOr<size_t> denseBytes(DType dtype,
                                           std::span<const int64_t> shape);

/// A dense row-major tensor that does not own its data.
struct TensorView {
  DType dtype = DType::F32;
  std::span<const int64_t> shape;
  /// denseBytes(dtype, shape) bytes.
  std::span<const std::byte> data;
};

/// A dense row-major tensor in host memory, 64-byte aligned. Copies share the
/// storage; clone() copies it.
class TILEWRIGHT_API HostTensor {
public:
  HostTensor() = default;
  /// A tensor of zeros. Errors: invalid shape, out of memory.
  static StatusOr<HostTensor> allocate(DType dtype, Shape shape);
  /// A copy of `view`.
  static StatusOr<HostTensor> copyOf(const TensorView &view);

  [[nodiscard]] DType dtype() const { return type; }
  [[nodiscard]] const Shape &shape() const { return sizes; }
  /// Number of elements.
  [[nodiscard]] size_t size() const { return byteCount / dtypeBytes(type); }
  [[nodiscard]] size_t bytes() const { return byteCount; }
  [[nodiscard]] std::byte *data() { return storage.get(); }
  [[nodiscard]] const std::byte *data() const { return storage.get(); }
  /// The elements as T, which must have the width of the element type.
  template <typename T> [[nodiscard]] std::span<T> as() {
    return {reinterpret_cast<T *>(storage.get()), byteCount / sizeof(T)};
  }
  template <typename T> [[nodiscard]] std::span<const T> as() const {
    return {reinterpret_cast<const T *>(storage.get()), byteCount / sizeof(T)};
  }
  /// Valid as long as this tensor.
  [[nodiscard]] TensorView view() const {
    return {type, sizes, {storage.get(), byteCount}};
  }
  operator TensorView() const { return view(); }
  StatusOr<HostTensor> clone() const { return copyOf(view()); }
  /// The same bits as another element type of the same width, for example a u16
  /// tensor of a .npy file as bf16. Shares the storage.
  StatusOr<HostTensor> reinterpretAs(DType dtype) const;

private:
  DType type = DType::F32;
  Shape sizes = {0};
  size_t byteCount = 0;
  std::shared_ptr<std::byte> storage;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_TENSOR_H
