// NumPy's .npy files.
#ifndef TILEWRIGHT_RUNTIME_NPY_H
#define TILEWRIGHT_RUNTIME_NPY_H

#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <filesystem>
#include <vector>

namespace tilewright::runtime {

/// Reads a .npy file: versions 1.0, 2.0 and 3.0, little-endian, C or Fortran
/// order (the result is row-major). Errors name the file, what was expected
/// and what was found. Element types that NumPy lacks arrive as unsigned
/// integers of their width; see HostTensor::reinterpretAs.
TILEWRIGHT_API StatusOr<HostTensor> readNpy(const std::filesystem::path &path);

/// The same, from memory; `origin` names the bytes in messages.
TILEWRIGHT_API StatusOr<HostTensor> parseNpy(std::span<const std::byte> bytes,
                                             std::string_view origin);

/// Writes version 1.0 in C order. bf16 and the smaller floats are written as
/// unsigned integers of their width; i4 and f4E2M1FN take a byte an element.
TILEWRIGHT_API Status writeNpy(const std::filesystem::path &path,
                               const TensorView &tensor);

/// The bytes that writeNpy writes.
TILEWRIGHT_API StatusOr<std::vector<std::byte>>
printNpy(const TensorView &tensor);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_NPY_H
