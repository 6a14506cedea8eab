//===- TensorProto.h - Tensors in ONNX's .pb files --------------*- C++ -*-===//
#ifndef TILEWRIGHT_FRONTENDS_PACKAGE_TENSORPROTO_H
#define TILEWRIGHT_FRONTENDS_PACKAGE_TENSORPROTO_H

#include "runtime/abi/Status.h"
#include "runtime/core/Tensor.h"
#include <filesystem>

namespace tilewright {

/// Reads a serialized onnx.TensorProto. Types of less than a byte are unpacked
/// to a byte an element. Errors name the file, what was expected and found.
StatusOr<runtime::HostTensor>
readTensorProto(const std::filesystem::path &path);

} // namespace tilewright

#endif // TILEWRIGHT_FRONTENDS_PACKAGE_TENSORPROTO_H
