//===- Compiler.h - What run and inspect need of the compiler ---*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_COMPILER_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_COMPILER_H

#include "runtime/abi/Status.h"
#include "runtime/core/Tensor.h"
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tilewright::tool {

// In a build without the compiler these, and the command `compile`, are one
// error that says so.

/// Compiles `model` into `package` for the device of this name, for inputs of
/// these shapes where some are given; shows progress on a terminal.
Status compileForRun(const std::string &model,
                     const std::filesystem::path &package,
                     const std::string &device,
                     const std::map<std::string, std::vector<int64_t>> &shapes);

/// The levels of the kernels of `model` (.mlir) for a GPU, side by side by the
/// lines of the source, for a terminal.
StatusOr<std::string> describeKernels(const std::string &model,
                                      const std::string &target);

/// A layout as a table; as a picture too where `svg` names a file.
StatusOr<std::string> describeLayout(const std::string &layout,
                                     const std::string &svg,
                                     unsigned elementBits);

/// Reads a serialized onnx.TensorProto.
StatusOr<runtime::HostTensor> readProto(const std::filesystem::path &path);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_COMPILER_H
