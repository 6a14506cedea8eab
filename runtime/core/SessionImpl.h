// The memory, the plans and the stream of a session. For sources only.
#ifndef TILEWRIGHT_RUNTIME_CORE_SESSIONIMPL_H
#define TILEWRIGHT_RUNTIME_CORE_SESSIONIMPL_H

#include "runtime/core/Binding.h"
#include "runtime/core/ExecutionPlan.h"
#include "tilewright/runtime/Model.h"
#include <atomic>
#include <map>
#include <optional>

namespace tilewright::runtime {

/// The only element as a kernel takes it: see KernelArgument.
uint64_t wordOf(DType dtype, std::span<const std::byte> data);

/// An error if the package was compiled for other elements of the input.
Status checkValue(const InterfaceTensor &input,
                  std::span<const std::byte> data);

/// Checks dtype, rank and static dimensions. Messages call the data `origin`.
Status checkInput(const InterfaceTensor &input, DType dtype,
                  std::span<const int64_t> shape, std::string_view origin,
                  const std::string &describeInputs);

/// The index of a tensor in `list`. The error lists all; `kind` is "input",
/// "output" or "state".
StatusOr<size_t> findTensor(const std::vector<InterfaceTensor> &list,
                            std::string_view name, std::string_view kind);

/// An error if an output is bound to memory of another shape.
Status checkBoundShape(const InterfaceTensor &output,
                       const std::optional<Binding> &bound, const Shape &shape);

struct Session::Impl {
  explicit Impl(const Model &model) : model(model) {}

  /// Sets `buffer` to memory of at least `bytes` bytes.
  Status grow(std::shared_ptr<Buffer> &buffer, size_t bytes);
  /// Finds or makes the plan for the current inputs.
  StatusOr<ExecutionPlan *> plan();
  /// Makes the session's memory large enough and the launches up to date.
  Status prepare(ExecutionPlan &plan);
  Status placeMemory(ExecutionPlan &plan);
  Status placeOutput(ExecutionPlan &plan, size_t output);
  Status planLaunches(ExecutionPlan &plan);
  /// Plans a launch whose symbols inputs bind, or changes its addresses.
  Status planFixed(ExecutionPlan &plan, size_t step);
  /// Plans a launch whose arguments are evaluated.
  Status planStep(const ExecutionPlan &plan, size_t step,
                  PreparedLaunch &launch) const;
  /// Sets addresses and words of a launch. Plans it again where a word may
  /// change sizes, or if `isNew`.
  Status changeStep(const ExecutionPlan &plan, size_t step,
                    PreparedLaunch &launch, bool isNew) const;
  /// Whether a launch has the addresses and words of now.
  [[nodiscard]] bool isCurrent(const ExecutionPlan &plan, size_t step,
                               const PreparedLaunch &launch) const;
  /// Finds or plans the launch for these values of symbols.
  StatusOr<const PreparedLaunch *>
  prepareLaunch(ExecutionPlan &plan, size_t step, const Bindings &symbols);
  /// The bytes of a buffer now.
  StatusOr<size_t> bytesOf(const ExecutionPlan &plan, size_t buffer,
                           const Bindings &symbols) const;
  /// Makes the memory of an open buffer large enough. With `keeps` its content
  /// stays, and the memory at least doubles.
  Status makeRoom(ExecutionPlan &plan, size_t buffer, const Bindings &symbols,
                  bool keeps = false);
  /// Makes the bound tensors of a step's arguments copied ones. Whether there
  /// is any.
  bool stopInPlace(const ExecutionPlan &plan, size_t step);
  [[nodiscard]] uint64_t address(const ExecutionPlan &plan,
                                 size_t buffer) const;

  /// Prepares and runs the plan for the current inputs. With `times`, measures
  /// each step.
  Status run(std::vector<StepTime> *times);
  /// Runs the plan's steps and waits, also after a failure. With `times`,
  /// waits after each step and appends its time.
  Status runSteps(ExecutionPlan &plan, std::vector<StepTime> *times);
  /// Enqueues the steps: first one by one, then as a graph.
  Status enqueue(ExecutionPlan &plan);
  Status enqueueSteps(ExecutionPlan &plan, std::vector<StepTime> *times);
  /// Copies the bytes that both buffers have now.
  Status copyBuffer(const ExecutionPlan &plan, size_t from, size_t to,
                    size_t bytes);
  /// Reads the first bytes of a buffer, and waits for them.
  Status readBuffer(const ExecutionPlan &plan, size_t buffer, void *target,
                    size_t bytes);
  /// The steps of one run; see SessionSteps.cpp.
  struct Run;
  /// Where a run should end: an error.
  Status checkStop();

  /// Copies the initial contents of outputs that are changed in place.
  Status copyInitial(const ExecutionPlan &plan);
  /// The shapes of the outputs, and copies of those that are aliases of inputs,
  /// weights or states, for the symbols at the end.
  Status finishOutputs(const ExecutionPlan &plan, const Bindings &symbols);
  Status copyOutput(const ExecutionPlan &plan, size_t output, size_t bytes);
  [[nodiscard]] const Buffer &outputMemory(const ExecutionPlan &plan,
                                           size_t output) const;

  /// Where the binding of a tensor is. Error: no such name.
  StatusOr<std::optional<Binding> *> findSlot(TensorRole role,
                                              std::string_view name);
  /// An error if what is bound in another slot than `slot` shares memory with
  /// `bound`, which is for `slot`, and one of them is written, unless they are
  /// an input and its new value.
  Status checkOverlaps(const std::optional<Binding> &slot, const Binding &bound,
                       const std::string &what) const;
  /// Reads the elements of bound inputs that the host needs.
  Status readBoundWords();
  /// Copies what is bound and not in place, before the steps and after them.
  Status copyBoundIn(const ExecutionPlan &plan);
  Status copyBoundOut(const ExecutionPlan &plan);

  /// Gives a state its initial value; does not wait.
  Status resetState(size_t buffer);

  const Model &model;
  /// By input: its shape, once set.
  std::vector<std::optional<Shape>> inputShapes;
  /// By input: its scalar value for kernels that take it as one.
  std::vector<uint64_t> words;
  /// By buffer id: the memory of inputs, states and owned storage, and of bound
  /// weights that are copied.
  std::vector<std::shared_ptr<Buffer>> memory;
  /// By output: memory for a copy, where one is needed.
  std::vector<std::shared_ptr<Buffer>> copies;
  std::shared_ptr<Buffer> arena;
  /// By input, by output, and by buffer id.
  std::vector<std::optional<Binding>> boundInputs, boundOutputs, boundWeights;
  /// Of the last run.
  BoundCopies boundCopies;
  /// Counts changes of addresses and words. Plans start at 0, which is never
  /// valid.
  uint64_t generation = 1;
  /// By the values of the symbols in the manifest's order.
  std::map<std::vector<int64_t>, std::unique_ptr<ExecutionPlan>> plans;
  /// The plan of the last complete run, and the shapes of its outputs.
  const ExecutionPlan *lastRun = nullptr;
  std::vector<Shape> outputShapes;
  /// Counts the inputs that were set; `lastInputs` is that of the last run.
  uint64_t inputCount = 0, lastInputs = 0;
  /// Whether the run under way should end; when it began, and how long it may
  /// last.
  std::atomic<bool> isCancelled = false;
  std::optional<std::chrono::nanoseconds> timeLimit;
  std::chrono::steady_clock::time_point began;
  /// Another one who says so, and when it was asked last.
  std::function<bool()> isStopped;
  std::chrono::steady_clock::time_point asked;
  /// Whether the device failed to make a graph.
  bool hasNoGraphs = false;
  /// The last member, so that it is destroyed first: it waits for work in the
  /// memory.
  std::unique_ptr<Stream> stream;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_SESSIONIMPL_H
