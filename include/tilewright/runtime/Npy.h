// NumPy's .npy files.
#ifndef TILEWRIGHT_RUNTIME_NPY_H
#define TILEWRIGHT_RUNTIME_NPY_H

#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <filesystem>
#include <vector>

namespace tilewright::runtime {

/// Reads a .npy file: version 1.0, 2.0 or 3.0, little-endian, C or Fortran
/// order. The result is row-major. Errors name the file, what was expected and
/// what was found. Element types that NumPy lacks are read as unsigned integers
/// of the same width; see HostTensor::reinterpretAs.
TILEWRIGHT_API StatusOr<HostTensor> readNpy(const std::filesystem::path &path);

/// The same from memory; messages call the bytes `origin`.
TILEWRIGHT_API StatusOr<HostTensor> parseNpy(std::span<const std::byte> bytes,
                                             std::string_view origin);

/// Writes version 1.0 in C order. bf16 and the smaller floats are written as
/// unsigned integers of the same width; an element of i4 or f4E2M1FN takes one
/// byte.
TILEWRIGHT_API Status writeNpy(const std::filesystem::path &path,
                               const TensorView &tensor);

/// Returns the bytes that writeNpy writes.
TILEWRIGHT_API StatusOr<std::vector<std::byte>>
printNpy(const TensorView &tensor);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_NPY_H
