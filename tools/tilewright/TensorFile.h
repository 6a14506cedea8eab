//===- TensorFile.h - Tensors in files and at random ------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_TENSORFILE_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_TENSORFILE_H

#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Status.h"
#include <filesystem>
#include <random>

namespace tilewright::tool {

/// Reads a .npy file or an ONNX TensorProto (.pb).
StatusOr<runtime::HostTensor> readTensor(const std::filesystem::path &path);

/// The tensor of a .npy file, which cannot say bf16: integers without sign of
/// the width of `dtype` are of that type. Anything else is as it was.
StatusOr<runtime::HostTensor> takenAs(runtime::DType dtype,
                                      const runtime::HostTensor &tensor);

/// One number of this type. A text that is none, or does not fit, is wrong
/// usage of --scalar NAME.
StatusOr<runtime::HostTensor> scalarTensor(const std::string &name,
                                           runtime::DType dtype,
                                           const std::string &text);

/// Whether a path is a package's: X.twp, or any folder.
bool isPackage(const std::filesystem::path &path);

/// "equal to cpu's", "3 of 1024 elements differ from cpu's, by at most 1e-06".
std::string describeDifference(const runtime::HostTensor &tensor,
                               const runtime::HostTensor &expected,
                               const std::string &device);

/// Floats uniform in [-1, 1), integers 0 or 1, bools either.
StatusOr<runtime::HostTensor> randomTensor(runtime::DType dtype,
                                           const runtime::Shape &shape,
                                           std::mt19937_64 &generator);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_TENSORFILE_H
