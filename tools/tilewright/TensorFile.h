//===- TensorFile.h - Tensors in files and at random ------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_TENSORFILE_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_TENSORFILE_H

#include "runtime/abi/Status.h"
#include "runtime/core/Tensor.h"
#include <filesystem>
#include <random>

namespace tilewright::tool {

/// Reads a .npy file or an ONNX TensorProto (.pb).
StatusOr<runtime::HostTensor> readTensor(const std::filesystem::path &path);

/// Floats uniform in [-1, 1), integers 0 or 1, bools either.
StatusOr<runtime::HostTensor> randomTensor(runtime::DType dtype,
                                           const runtime::Shape &shape,
                                           std::mt19937_64 &generator);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_TENSORFILE_H
