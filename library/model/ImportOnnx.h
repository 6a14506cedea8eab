//===- ImportOnnx.h - An ONNX model whose inputs may be known ---*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_IMPORTONNX_H
#define TILEWRIGHT_LIBRARY_MODEL_IMPORTONNX_H

#include "frontends/onnx/Import.h"
#include "runtime/core/Tensor.h"
#include "support/Status.h"
#include <map>
#include <string>

namespace tilewright {

/// Imports the model file `path`. Where the importer must know the elements of
/// an input, it gets those of `values`, by name, and no others. Errors are the
/// importer's.
StatusOr<onnx::ImportedModel>
importOnnx(mlir::MLIRContext &context, const std::string &path,
           onnx::ImportOptions options,
           const std::map<std::string, runtime::HostTensor> &values);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_IMPORTONNX_H
