// Arrays of Python and tensors of ours.
#ifndef TILEWRIGHT_PYTHON_SRC_ARRAYS_H
#define TILEWRIGHT_PYTHON_SRC_ARRAYS_H

#include "tilewright/manifest/DType.h"
#include "tilewright/runtime/Tensor.h"
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <optional>
#include <string>

namespace tilewright::python {

namespace nb = nanobind;

/// An array in host memory, unconverted.
struct HostArray {
  /// Keeps the memory alive. Of ml_dtypes' types the integers of their width.
  nb::ndarray<> array;
  runtime::DType dtype = runtime::DType::F32;
  runtime::Shape shape;
  /// In elements; empty where the array is dense and row-major.
  runtime::Shape strides;
  std::byte *data = nullptr;
  /// Bytes from `data` to the end of the last element.
  size_t bytes = 0;
};

/// Whether an object is meant as an array: it has DLPack, or is NumPy's.
bool isArray(nb::handle object);

/// The array in an object; `what` starts messages: "argument 0". Copies
/// nothing. Raises: no array, one that may not be written (where `writable`),
/// of a type that we do not have, not in host memory, with negative strides, or
/// not aligned to its elements.
HostArray hostArray(nb::handle object, bool writable, const std::string &what);

/// The type that `found` elements are read as where `expected` is wanted:
/// integers carry the types of their width that NumPy lacks.
runtime::DType carriedType(runtime::DType found, runtime::DType expected);

/// A NumPy array over the tensor's memory, which it shares. Types that NumPy
/// lacks are those of ml_dtypes where it is installed, else integers of the
/// same width.
nb::object toNumpy(const runtime::HostTensor &tensor);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_SRC_ARRAYS_H
