//===- TensorProto.h - Tensors in ONNX's .pb files --------------*- C++ -*-===//
#ifndef TILEWRIGHT_FRONTENDS_ONNX_TENSORPROTO_H
#define TILEWRIGHT_FRONTENDS_ONNX_TENSORPROTO_H

#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <filesystem>
#include <optional>
#include <vector>

namespace tilewright {

/// Reads a serialized onnx.TensorProto, or an OptionalProto that has one. Types
/// of less than a byte are unpacked to a byte an element. Errors name the file,
/// what was expected and found.
TILEWRIGHT_PRIVATE_API StatusOr<runtime::HostTensor>
readTensorProto(const std::filesystem::path &path);

/// Reads the tensors of a serialized onnx.SequenceProto, or of an OptionalProto
/// that has one. Errors: as above.
TILEWRIGHT_PRIVATE_API StatusOr<std::vector<runtime::HostTensor>>
readSequenceProto(const std::filesystem::path &path);

/// The number of an element type among ONNX's data types; nothing for types of
/// less than a byte.
std::optional<int> onnxTypeOf(runtime::DType dtype);

} // namespace tilewright

#endif // TILEWRIGHT_FRONTENDS_ONNX_TENSORPROTO_H
