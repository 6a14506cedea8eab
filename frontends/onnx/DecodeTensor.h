// Constants of the model as tensors.
#pragma once

#include "frontends/onnx/Build.h"
#include "frontends/onnx/ModelFile.h"

namespace tilewright::onnx {

/// The element type of a TensorProto::DataType; nothing if there is none.
std::optional<Element> elementOf(mlir::MLIRContext *context, int32_t dataType);

/// How a message ends about a TensorProto::DataType that has no element:
/// "strings, which are not supported".
std::string unsupportedType(int32_t dataType);

/// Decodes a tensor of the model; the error says what is wrong with it. Data in
/// the file is referred to, not copied, when aligned.
StatusOr<Tensor> decodeTensor(ModelFile &file, Sizes &sizes,
                              const TensorProto &proto);

} // namespace tilewright::onnx
