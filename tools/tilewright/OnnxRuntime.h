//===- OnnxRuntime.h - ONNX Runtime as an oracle ----------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_ONNXRUNTIME_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_ONNXRUNTIME_H

#include "verify/validate/Program.h"
#include <filesystem>
#include <memory>

namespace tilewright::tool {

/// An ONNX model as a Python with the module onnxruntime runs it, in a process
/// of its own: run_onnxruntime.py, which is part of this program. Its inputs
/// and outputs are those of `signature`. A run that ONNX Runtime rejects, or in
/// which the process ends, is unfinished. Errors: no such Python, no module, a
/// model that ONNX Runtime does not take. `unsupported`: its inputs or outputs
/// are others, or of a type that no .npy file has.
StatusOr<std::unique_ptr<verify::Program>>
openOnnxRuntime(const std::string &python, const std::filesystem::path &model,
                const verify::Signature &signature);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_ONNXRUNTIME_H
