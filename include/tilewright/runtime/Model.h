// Models: packages loaded on a device, and sessions that run them.
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
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

class Session;
struct StepTree;

/// A package with its kernels and weights loaded on a device. Immutable; shared
/// by any number of sessions and threads.
class TILEWRIGHT_API Model : public std::enable_shared_from_this<Model> {
public:
  /// Loads the weights and the kernels of all steps.
  static StatusOr<std::shared_ptr<const Model>>
  load(std::shared_ptr<Device> device, std::shared_ptr<const Package> package);
  /// The same for the package in the folder `path`.
  static StatusOr<std::shared_ptr<const Model>>
  load(std::shared_ptr<Device> device, const std::filesystem::path &path,
       const PackageOptions &options = {});

  [[nodiscard]] const PackageManifest &manifest() const {
    return package->manifest();
  }
  [[nodiscard]] Device &device() const { return *deviceHandle; }
  /// Creates a session. Sessions of one model may run at the same time.
  StatusOr<std::unique_ptr<Session>> createSession() const;
  /// "x: f32[N, 3, 48, W], mask: bool[N]", for messages.
  [[nodiscard]] std::string describeInputs() const;

private:
  friend class Session;
  Model() = default;
  std::shared_ptr<Device> deviceHandle;
  std::shared_ptr<const Package> package;
  std::shared_ptr<const StepTree> tree;
  /// For each step of the tree the variants of its kernel, best first; none
  /// where it is no launch.
  std::vector<std::vector<std::shared_ptr<Kernel>>> kernels;
  /// Indexed by buffer id; null if the buffer is not a weight.
  std::vector<std::shared_ptr<Buffer>> weights;
};

/// Memory of a session for the current input shapes, in bytes. Memory of the
/// caller (Session::bind) counts as if it were the session's.
struct MemoryUse {
  /// Inputs and outputs.
  size_t interface = 0;
  size_t weights = 0;
  /// The arena of the transient buffers, and its largest live set.
  size_t arena = 0;
  size_t arenaLive = 0;
  /// What the session keeps from run to run.
  size_t states = 0;
};

/// The memory of a session with these input shapes, in the order of the
/// manifest's inputs. Errors: shapes that the model does not accept.
TILEWRIGHT_API StatusOr<MemoryUse>
planMemory(const PackageManifest &manifest, std::span<const Shape> inputShapes);

/// The time of one launch or copy, measured on the stream.
struct StepTime {
  std::string kernel;
  std::string label;
  /// Of all times that it ran.
  std::chrono::nanoseconds time{0};
  /// How often it ran; more than once in a loop.
  int64_t runs = 1;
};

/// What memory of the caller stands for in a session.
enum class TensorRole { input, output, weight };

/// Memory of the caller with the elements of a tensor.
struct TensorMemory {
  DType dtype = DType::F32;
  Shape shape;
  /// In elements, not negative; empty for a row-major tensor.
  Shape strides;
  /// Begins with the first element, and contains all of them. May be aligned
  /// in any way.
  std::span<std::byte> data;
  /// Keeps the memory alive; null: the caller does, until the tensor is
  /// unbound, bound again, or the session is gone.
  std::shared_ptr<const void> owner = nullptr;
};

/// Copies of a run between memory of the caller and that of the session.
struct BoundCopies {
  size_t count = 0;
  size_t bytes = 0;
};

/// Runs a model: its inputs, states, memory and stream. Use it from one thread
/// at a time. Keeps its model alive.
class TILEWRIGHT_API Session {
public:
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  [[nodiscard]] const Model &model() const { return *owner; }

  /// Copies an input. Errors: no such input, wrong dtype, rank or static
  /// dimension. Messages call the data `origin`, for example "img.npy".
  Status setInput(std::string_view name, const TensorView &tensor,
                  std::string_view origin = {});
  /// Runs the model and waits. Errors: an input is missing, shapes of inputs
  /// are inconsistent, a check of the model fails, a size that a kernel
  /// computed is out of its bounds, the device fails; `cancelled` after
  /// cancel() and after the time limit.
  Status run();
  /// Runs like run() and measures each step, which is slower. Steps that did
  /// not run are not listed.
  StatusOr<std::vector<StepTime>> profile();
  /// Ends the run that is under way before its next step; does nothing if there
  /// is none. May be called from any thread.
  void cancel();
  /// Ends the runs from now on before the first step after this time; nothing:
  /// they may last as long as they do.
  void setTimeLimit(std::optional<std::chrono::nanoseconds> limit);
  /// Asks in the runs from now on, before a step and at most every 20 ms, on
  /// the thread that runs, whether to end, as after cancel(); null: nobody is
  /// asked.
  void setStopCheck(std::function<bool()> isStopped);

  /// A copy of an output of the last run.
  StatusOr<HostTensor> output(std::string_view name) const;
  /// The shape of an output for the current inputs. Error: it depends on data,
  /// and the model has not run with these inputs.
  StatusOr<Shape> outputShape(std::string_view name);
  /// The memory for the current inputs.
  StatusOr<MemoryUse> memoryUse();

  /// Gives each state its initial value, as it has in a new session. A run that
  /// fails after its checks may leave states half updated: reset them.
  Status resetStates();
  /// A copy of a state. Errors: no such state.
  StatusOr<HostTensor> state(std::string_view name) const;
  /// Copies into a state. Errors: no such state, wrong dtype or shape.
  Status setState(std::string_view name, const TensorView &tensor);
  /// Copies the values of all states of `other`, which nobody uses meanwhile.
  /// Error: it is a session of another model.
  Status copyStates(const Session &other);

  /// Makes the runs from now on read an input or a weight from memory of the
  /// caller, or write an output there, in place of the session's own memory:
  /// without a copy where kernels can access it and it is contiguous, aligned
  /// to its elements, and no guard of a kernel asks for more; else with one
  /// copy in each run (boundCopies). The caller may change elements between
  /// runs. A weight has the name of its tensor in the package. To bind again,
  /// at another address, costs no planning. setInput ends the binding of an
  /// input. After an output is bound or unbound there are no outputs until the
  /// next run. An output that is the new value of an input may have the memory
  /// of that input: then the input is changed where it is.
  ///
  /// Errors: no such name, wrong dtype, rank or static dimension, memory that
  /// is too small, an output that shares memory with another bound tensor or
  /// itself. If an output has another shape than the memory, run() fails.
  Status bind(TensorRole role, std::string_view name, TensorMemory memory);
  /// Ends a binding. The session's own memory is used again: the value of an
  /// input must be set. Errors: no such name.
  Status unbind(TensorRole role, std::string_view name);
  /// The copies of the last run that bindings needed.
  [[nodiscard]] BoundCopies boundCopies() const;

private:
  friend class Model;
  struct Impl;
  explicit Session(std::shared_ptr<const Model> model);
  std::shared_ptr<const Model> owner;
  std::unique_ptr<Impl> impl;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_MODEL_H
