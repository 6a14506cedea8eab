//===- LaunchFile.h - A launch of one kernel, as JSON -----------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_LAUNCHFILE_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_LAUNCHFILE_H

#include "runtime/emulator/device/Limits.h"
#include "runtime/emulator/machine/TensorMap.h"
#include "tilewright/runtime/Tensor.h"
#include <filesystem>
#include <optional>

namespace tilewright::tool {

/// A memory argument of a kernel.
struct LaunchBuffer {
  /// Contents; of a buffer that is not initialized only type and shape count.
  runtime::HostTensor tensor;
  bool initialized = false;
  /// Its output, or else the stem of its file; empty where it has neither.
  std::string name;
  /// The file that it is written to afterwards, without ".npy"; or empty.
  std::string output;
};

/// An argument of a kernel, in the order of its parameters.
struct LaunchArgument {
  enum class Kind { bytes, buffer, tensorMap };
  Kind kind = Kind::bytes;
  /// Of Kind::bytes: the parameter as it is.
  std::vector<std::byte> bytes;
  /// Index in LaunchFile::buffers; the buffer's address is passed or mapped.
  size_t buffer = 0;
  /// Without the address.
  emulator::TensorMap map;
};

struct LaunchFile {
  std::string entry;
  emulator::LaunchShape shape;
  std::vector<LaunchBuffer> buffers;
  std::vector<LaunchArgument> arguments;
};

/// Reads and checks `path`. Paths in it are relative to it. Errors name the
/// location in the JSON, what was expected and found.
StatusOr<LaunchFile> readLaunchFile(const std::filesystem::path &path);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_LAUNCHFILE_H
