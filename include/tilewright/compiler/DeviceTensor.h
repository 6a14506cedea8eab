// Tensors in a device's memory.
#ifndef TILEWRIGHT_COMPILER_DEVICETENSOR_H
#define TILEWRIGHT_COMPILER_DEVICETENSOR_H

#include "tilewright/runtime/Device.h"
#include "tilewright/runtime/HalfFloats.h"
#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Export.h"

namespace tilewright {

/// The element type that stores a C++ type T.
template <class T> struct DTypeOf {
  static_assert(sizeof(T) == 0,
                "no element of a tensor is stored as this type: expected "
                "float, double, Float16, BFloat16 or an integer of 8 to 64 "
                "bits (bool: uint8_t, and DeviceTensor::allocate or a "
                "TensorView with DType::Bool)");
};
#define TILEWRIGHT_DTYPE_OF(T, DTYPE)                                          \
  template <> struct DTypeOf<T> {                                              \
    static constexpr runtime::DType dtype = runtime::DType::DTYPE;             \
  };
TILEWRIGHT_DTYPE_OF(float, F32)
TILEWRIGHT_DTYPE_OF(double, F64)
TILEWRIGHT_DTYPE_OF(Float16, F16)
TILEWRIGHT_DTYPE_OF(BFloat16, BF16)
TILEWRIGHT_DTYPE_OF(int8_t, I8)
TILEWRIGHT_DTYPE_OF(int16_t, I16)
TILEWRIGHT_DTYPE_OF(int32_t, I32)
TILEWRIGHT_DTYPE_OF(int64_t, I64)
TILEWRIGHT_DTYPE_OF(uint8_t, U8)
TILEWRIGHT_DTYPE_OF(uint16_t, U16)
TILEWRIGHT_DTYPE_OF(uint32_t, U32)
TILEWRIGHT_DTYPE_OF(uint64_t, U64)
#undef TILEWRIGHT_DTYPE_OF

/// A dense row-major tensor in a device's memory. Copies share the memory. Use
/// it from one thread at a time.
class TILEWRIGHT_API DeviceTensor {
public:
  DeviceTensor() = default;
  /// Uninitialized. Errors: invalid shape, out of memory.
  static StatusOr<DeviceTensor>
  allocate(runtime::Device &device, runtime::DType dtype, runtime::Shape shape);
  /// A tensor in existing memory: of another library, or of the host
  /// (Device::inPlace). Errors: invalid shape. A launch checks that the memory
  /// is large enough.
  static StatusOr<DeviceTensor> over(std::shared_ptr<runtime::Buffer> memory,
                                     runtime::DType dtype,
                                     runtime::Shape shape);
  /// A copy of a host tensor; it is complete when this returns.
  static StatusOr<DeviceTensor> copyOf(runtime::Device &device,
                                       runtime::Stream &stream,
                                       const runtime::TensorView &source);
  /// A copy of C++ elements. Errors: their number does not match the shape.
  template <class T>
  static StatusOr<DeviceTensor>
  copyOf(runtime::Device &device, runtime::Stream &stream,
         const runtime::Shape &shape, const std::vector<T> &elements) {
    return copyOf(device, stream, DTypeOf<T>::dtype, shape, elements);
  }

  /// The same with another element type of the width of T: for example f8E4M3FN
  /// or Bool from uint8_t.
  template <class T>
  static StatusOr<DeviceTensor>
  copyOf(runtime::Device &device, runtime::Stream &stream, runtime::DType dtype,
         const runtime::Shape &shape, const std::vector<T> &elements) {
    return copyOf(device, stream,
                  {dtype, shape, std::as_bytes(std::span(elements))});
  }

  [[nodiscard]] runtime::DType dtype() const { return type; }
  [[nodiscard]] const runtime::Shape &shape() const { return sizes; }
  /// The memory; null for a default-constructed tensor.
  [[nodiscard]] const std::shared_ptr<runtime::Buffer> &buffer() const {
    return memory;
  }

  /// The address that kernels use, for arrays of pointers; 0 for a
  /// default-constructed tensor.
  [[nodiscard]] int64_t address() const {
    return memory ? static_cast<int64_t>(memory->address()) : 0;
  }

  /// Waits for the stream's work and returns a copy in host memory.
  StatusOr<runtime::HostTensor> read(runtime::Stream &stream) const;
  /// The same as C++ elements. Errors: T has another width than the elements.
  template <class T>
  StatusOr<std::vector<T>> read(runtime::Stream &stream) const {
    TILEWRIGHT_ASSIGN_OR_RETURN(runtime::HostTensor tensor, read(stream));
    if (runtime::dtypeBytes(type) != sizeof(T))
      return Status::invalidInput(
          "the tensor's elements are " + std::string(runtime::dtypeName(type)) +
          ", read as a type of " + std::to_string(sizeof(T)) + " bytes");
    auto elements = tensor.as<T>();
    return std::vector<T>(elements.begin(), elements.end());
  }

private:
  runtime::DType type = runtime::DType::F32;
  runtime::Shape sizes = {0};
  size_t bytes = 0;
  std::shared_ptr<runtime::Buffer> memory;
};

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_DEVICETENSOR_H
