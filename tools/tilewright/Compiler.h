//===- Compiler.h - What run and inspect need of the compiler ---*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_COMPILER_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_COMPILER_H

#include "tilewright/manifest/Precision.h"
#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Status.h"
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tilewright {
class Plugins;
} // namespace tilewright

namespace tilewright::tool {

// In a build without the compiler these, and the command `compile`, return one
// error that says so.

/// Those of --plugin; null where there are none. Errors: as Plugins::load.
StatusOr<std::shared_ptr<const Plugins>>
loadPlugins(const std::vector<std::string> &files);

/// The inputs that a model is compiled to run with, by name.
struct RunInputs {
  std::map<std::string, std::vector<int64_t>> shapes;
  std::map<std::string, runtime::HostTensor> tensors;
  /// Compile for the tensors' shapes alone.
  bool fixShapes = false;
};

/// How a model is compiled to run.
struct CompileForRun {
  /// Of each device the targets that it runs, best first; the first that there
  /// is a compiler for is taken.
  std::vector<std::vector<std::string>> targets;
  /// Which of a file's tile kernels; empty: the only one.
  std::string kernel;
  /// Flags of MLIR, with commas; empty: exact.
  std::string fastMath;
  /// Of products of f32.
  runtime::Precision precision = runtime::Precision::ieee;
  /// Whether PTX has the source's lines.
  bool lineInfo = false;
  /// Frontends, passes and targets from outside; may be null, here and below.
  std::shared_ptr<const Plugins> plugins;
};

/// Compiles `model` into `package`; shows progress on a terminal. What the
/// compiler must know of the inputs' elements it takes from the tensors.
Status compileForRun(const std::string &model,
                     const std::filesystem::path &package,
                     const CompileForRun &how, const RunInputs &inputs);

/// Whether `plugins` add a target of that name.
bool addsTarget(const Plugins *plugins, const std::string &target);

/// Whether a file is a hand-written tile kernel.
bool isKernelFile(const std::filesystem::path &path, const Plugins *plugins);
/// Whether fixed shapes of inputs may allow more of a model to compile.
bool needsShapes(const std::filesystem::path &model, const Plugins *plugins);

/// The levels of the kernels of `model` (.mlir) for a GPU, side by side by the
/// lines of the source, for a terminal. Only the kernel of that name, if it is
/// not empty.
StatusOr<std::string> describeKernels(const std::string &model,
                                      const std::string &target,
                                      const std::string &kernel);

/// A layout as a table; with a file `svg` as a picture too.
StatusOr<std::string> describeLayout(const std::string &layout,
                                     const std::string &svg,
                                     unsigned elementBits);

/// Reads a serialized onnx.TensorProto.
StatusOr<runtime::HostTensor> readProto(const std::filesystem::path &path);

/// Reads the tensors of a serialized onnx.SequenceProto.
StatusOr<std::vector<runtime::HostTensor>>
readSequence(const std::filesystem::path &path);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_COMPILER_H
