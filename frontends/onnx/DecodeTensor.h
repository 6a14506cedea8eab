// Constants of the model as tensors.
#pragma once

#include "frontends/onnx/Build.h"
#include "frontends/onnx/ModelFile.h"

namespace tilewright::onnx {

/// The element type of a TensorProto::DataType; nothing if there is none.
std::optional<Element> elementOf(mlir::MLIRContext *context, int32_t dataType);

/// Whether no input or output can have this type: kernels do not, so that only
/// constants have it, in front of nodes that are folded.
bool isOfConstantsOnly(Element element);

/// Decodes a tensor of the model; the error says what is wrong with it. Data in
/// the file is referred to, not copied, when aligned.
StatusOr<Tensor> decodeTensor(ModelFile &file, Sizes &sizes,
                              const TensorProto &proto);

} // namespace tilewright::onnx
