// A package on a device, and sessions that run it.
#ifndef TILEWRIGHT_RUNTIME_MODEL_H
#define TILEWRIGHT_RUNTIME_MODEL_H

#include "tilewright/manifest/PackageManifest.h"
#include "tilewright/runtime/Device.h"
#include "tilewright/runtime/Package.h"
#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

class Session;

/// A package whose kernels and weights are loaded on a device. Immutable;
/// shared by any number of sessions and threads.
class TILEWRIGHT_API Model : public std::enable_shared_from_this<Model> {
public:
  /// Loads each kernel that the steps use, and the weights.
  static StatusOr<std::shared_ptr<const Model>>
  load(std::shared_ptr<Device> device, std::shared_ptr<const Package> package);
  /// Loads the package `path`, then as above.
  static StatusOr<std::shared_ptr<const Model>>
  load(std::shared_ptr<Device> device, const std::filesystem::path &path,
       const PackageOptions &options = {});

  [[nodiscard]] const PackageManifest &manifest() const {
    return package->manifest();
  }
  [[nodiscard]] Device &device() const { return *deviceHandle; }
  /// A new session. Sessions of one model may run at the same time.
  StatusOr<std::unique_ptr<Session>> createSession() const;
  /// "x: f32[N, 3, 48, W], mask: bool[N]", for messages.
  [[nodiscard]] std::string describeInputs() const;

private:
  friend class Session;
  Model() = default;
  std::shared_ptr<Device> deviceHandle;
  std::shared_ptr<const Package> package;
  /// By step.
  std::vector<std::shared_ptr<Kernel>> kernels;
  /// By buffer id; null where the buffer is not a weight.
  std::vector<std::shared_ptr<Buffer>> weights;
};

/// Memory that a session uses for the current input shapes, in bytes.
struct MemoryUse {
  /// Inputs and outputs.
  size_t interface = 0;
  size_t weights = 0;
  /// The arena of the transients, and the largest live set in it.
  size_t arena = 0;
  size_t arenaLive = 0;
};

/// The memory of a session whose inputs have these shapes (by input, in the
/// manifest's order). Errors: shapes that the model does not take.
TILEWRIGHT_API StatusOr<MemoryUse>
planMemory(const PackageManifest &manifest, std::span<const Shape> inputShapes);

/// Time of one step, as seen by the stream.
struct StepTime {
  std::string kernel;
  std::string label;
  std::chrono::nanoseconds time{0};
};

/// Inputs, memory and a stream to run a model with. Use it from one thread at
/// a time; keeps its model alive.
class TILEWRIGHT_API Session {
public:
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  [[nodiscard]] const Model &model() const { return *owner; }

  /// Copies an input. Errors: no such input, wrong dtype, rank or static
  /// dimension. `origin` names the data in messages: "img.npy".
  Status setInput(std::string_view name, const TensorView &tensor,
                  std::string_view origin = {});
  /// Runs the model and waits. Errors: an input is missing, shapes of inputs
  /// disagree, a check of the model fails, a device fails.
  Status run();
  /// Runs like run() and measures each step; slower.
  StatusOr<std::vector<StepTime>> profile();

  /// A copy of an output of the last run.
  StatusOr<HostTensor> output(std::string_view name) const;
  /// The shape of an output for the inputs that are set.
  StatusOr<Shape> outputShape(std::string_view name);
  /// Memory for the inputs that are set.
  StatusOr<MemoryUse> memoryUse();

private:
  friend class Model;
  struct Impl;
  explicit Session(std::shared_ptr<const Model> model);
  std::shared_ptr<const Model> owner;
  std::unique_ptr<Impl> impl;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_MODEL_H
