//===- OnnxFrontend.h - ONNX among the frontends ----------------*- C++ -*-===//
#ifndef TILEWRIGHT_FRONTENDS_ONNX_ONNXFRONTEND_H
#define TILEWRIGHT_FRONTENDS_ONNX_ONNXFRONTEND_H

#include "tilewright/mlir/Frontend.h"

namespace tilewright::onnx {

/// ONNX models; docs/onnx.md says which. The import gets the elements of inputs
/// that it requires.
std::unique_ptr<const frontend::Frontend> createFrontend();

} // namespace tilewright::onnx

#endif // TILEWRIGHT_FRONTENDS_ONNX_ONNXFRONTEND_H
