#include "runtime/core/SessionImpl.h"

namespace tilewright::runtime {

Status Session::Impl::measure(const ExecutionPlan &plan, size_t step,
                              std::vector<StepTime> &times) {
  using Clock = std::chrono::steady_clock;
  TILEWRIGHT_ASSIGN_OR_RETURN(auto start, model.device().createEvent());
  TILEWRIGHT_ASSIGN_OR_RETURN(auto end, model.device().createEvent());
  Clock::time_point before = Clock::now();
  TILEWRIGHT_RETURN_IF_ERROR(stream->record(*start));
  TILEWRIGHT_RETURN_IF_ERROR(launchStep(plan, step));
  TILEWRIGHT_RETURN_IF_ERROR(stream->record(*end));
  TILEWRIGHT_RETURN_IF_ERROR(stream->synchronize());
  std::chrono::nanoseconds time = Clock::now() - before;
  auto measured = end->since(*start);
  if (measured.ok())
    time = *measured; // Without the way to the device and back.
  else if (measured.status().code() != StatusCode::unsupported)
    return measured.status();
  const StepManifest &manifest = model.manifest().steps[step];
  times.push_back(
      {manifest.copy ? "copy" : manifest.kernel, manifest.label, time});
  return {};
}

Status Session::Impl::copyStep(const ExecutionPlan &plan,
                               const CopyManifest &copy) {
  auto memoryOf = [&](size_t buffer) -> std::pair<Buffer &, size_t> {
    const BufferStorage &storage = plan.storage[buffer];
    if (storage.kind == StorageKind::arena)
      return {*arena, storage.offset};
    return {*plan.memory[storage.root], 0};
  };
  const auto [from, fromOffset] = memoryOf(copy.from);
  const auto [to, toOffset] = memoryOf(copy.to);
  return stream->copy(to, toOffset, from, fromOffset,
                      plan.storage[copy.to].bytes);
}

Status Session::Impl::launchStep(const ExecutionPlan &plan, size_t step) {
  if (const std::optional<CopyManifest> &copy =
          model.manifest().steps[step].copy)
    return copyStep(plan, *copy);
  const VariantPlan &launch = plan.launches[step];
  return runtime::launch(*stream, *model.kernels[step][launch.variant],
                         launch.plan);
}

Status Session::Impl::enqueueSteps(const ExecutionPlan &plan,
                                   std::vector<StepTime> *times) {
  TILEWRIGHT_RETURN_IF_ERROR(copyInitial(plan));
  for (size_t step = 0; step < plan.launches.size(); ++step)
    TILEWRIGHT_RETURN_IF_ERROR(times ? measure(plan, step, *times)
                                     : launchStep(plan, step));
  return copyOutputs(plan);
}

Status Session::Impl::enqueue(ExecutionPlan &plan) {
  if (plan.graph)
    return stream->launch(*plan.graph);
  bool captures = plan.hasRun && !hasNoGraphs;
  plan.hasRun = true;
  if (captures) {
    Status begun = stream->beginCapture();
    if (!begun.ok() && begun.code() != StatusCode::unsupported)
      return begun;
    hasNoGraphs = !begun.ok();
    captures = begun.ok();
  }
  Status enqueued = enqueueSteps(plan, nullptr);
  if (!captures)
    return enqueued;
  StatusOr<std::shared_ptr<Graph>> graph = stream->endCapture();
  TILEWRIGHT_RETURN_IF_ERROR(enqueued);
  TILEWRIGHT_ASSIGN_OR_RETURN(plan.graph, std::move(graph));
  return stream->launch(*plan.graph);
}

Status Session::Impl::runSteps(ExecutionPlan &plan,
                               std::vector<StepTime> *times) {
  Status enqueued = times ? enqueueSteps(plan, times) : enqueue(plan);
  Status finished = stream->synchronize();
  return enqueued.ok() ? finished : enqueued;
}

Status Session::Impl::copyInitial(const ExecutionPlan &plan) {
  const std::vector<BufferManifest> &buffers = model.manifest().buffers;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (std::optional<size_t> from = buffers[i].initial;
        from && buffers[i].kind == BufferManifest::Kind::output &&
        plan.memory[i]->address() != plan.memory[*from]->address())
      TILEWRIGHT_RETURN_IF_ERROR(stream->copy(
          *plan.memory[i], 0, *plan.memory[*from], 0, plan.storage[i].bytes));
  return {};
}

Status Session::Impl::copyOutputs(const ExecutionPlan &plan) {
  const std::vector<InterfaceTensor> &outputs = model.manifest().outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const BufferStorage &storage = plan.storage[outputs[i].buffer];
    if (storage.kind == StorageKind::owned)
      continue;
    const std::optional<Binding> &bound = boundOutputs[i];
    Buffer &target = bound && bound->inPlace ? *bound->inPlace : *copies[i];
    TILEWRIGHT_RETURN_IF_ERROR(
        stream->copy(target, 0, *plan.memory[storage.root], 0,
                     std::min(storage.bytes, target.size())));
  }
  return {};
}

const Buffer &Session::Impl::outputMemory(const ExecutionPlan &plan,
                                          size_t output) const {
  const BufferStorage &storage =
      plan.storage[model.manifest().outputs[output].buffer];
  if (storage.kind == StorageKind::owned)
    return *plan.memory[storage.root];
  const std::optional<Binding> &bound = boundOutputs[output];
  return bound && bound->inPlace ? *bound->inPlace : *copies[output];
}

Status Session::Impl::run(std::vector<StepTime> *times) {
  lastRun = nullptr;
  boundCopies = {};
  TILEWRIGHT_ASSIGN_OR_RETURN(ExecutionPlan * current, plan());
  TILEWRIGHT_RETURN_IF_ERROR(readBoundWords());
  TILEWRIGHT_RETURN_IF_ERROR(prepare(*current));
  TILEWRIGHT_RETURN_IF_ERROR(copyBoundIn(*current));
  TILEWRIGHT_RETURN_IF_ERROR(runSteps(*current, times));
  TILEWRIGHT_RETURN_IF_ERROR(copyBoundOut(*current));
  lastRun = current;
  return {};
}

} // namespace tilewright::runtime
