#include "runtime/core/SessionRun.h"
#include "support/Format.h"

namespace tilewright::runtime {

Status Session::Impl::checkStop() {
  constexpr std::chrono::milliseconds patience(20);
  const auto now = timeLimit || isStopped
                       ? std::chrono::steady_clock::now()
                       : std::chrono::steady_clock::time_point();
  if (isStopped && now - asked > patience) {
    asked = now;
    if (isStopped())
      isCancelled = true;
  }
  if (isCancelled)
    return Status(StatusCode::cancelled, "the run was cancelled");
  if (timeLimit && now - began > *timeLimit)
    return Status(StatusCode::cancelled,
                  format("the run took more than {} ms, its time limit",
                         {std::chrono::duration_cast<std::chrono::milliseconds>(
                              *timeLimit)
                              .count()}));
  return {};
}

Status Session::Impl::enqueueSteps(ExecutionPlan &plan,
                                   std::vector<StepTime> *times) {
  TILEWRIGHT_RETURN_IF_ERROR(copyInitial(plan));
  Run steps(*this, plan, times != nullptr);
  TILEWRIGHT_RETURN_IF_ERROR(steps.list(model.tree->list));
  if (times)
    *times = steps.takeTimes();
  return finishOutputs(plan, steps.symbols());
}

Status Session::Impl::enqueue(ExecutionPlan &plan) {
  if (plan.graph)
    return stream->launch(*plan.graph);
  bool captures = plan.hasRun && !hasNoGraphs && !model.tree->hasDecisions;
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
  if (!enqueued.ok() || !finished.ok())
    plan.generation = 0; // A loop may have been left with places swapped.
  return enqueued.ok() ? finished : enqueued;
}

Status Session::Impl::copyInitial(const ExecutionPlan &plan) {
  const std::vector<BufferManifest> &buffers = model.manifest().buffers;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (std::optional<size_t> from = buffers[i].initial;
        from && buffers[i].kind == BufferManifest::Kind::output &&
        address(plan, i) != address(plan, *from))
      TILEWRIGHT_RETURN_IF_ERROR(
          copyBuffer(plan, *from, i, plan.storage[i].bytes));
  return {};
}

Status Session::Impl::finishOutputs(const ExecutionPlan &plan,
                                    const Bindings &symbols) {
  outputShapes.clear();
  for (size_t i = 0; i < plan.outputShapes.size(); ++i) {
    const InterfaceTensor &output = model.manifest().outputs[i];
    const BufferStorage &storage = plan.storage[output.buffer];
    const std::string where = format("output '{}'", {output.name});
    TILEWRIGHT_ASSIGN_OR_RETURN(size_t held,
                                bytesOf(plan, output.buffer, symbols));
    if (plan.outputShapes[i]) {
      outputShapes.push_back(*plan.outputShapes[i]);
    } else {
      TILEWRIGHT_ASSIGN_OR_RETURN(Shape shape,
                                  evaluateShape(output, symbols, where));
      TILEWRIGHT_ASSIGN_OR_RETURN(size_t bytes,
                                  denseBytes(output.dtype, shape));
      if (bytes > held)
        return Status::invalidInput(
            format("{} of shape {} needs {} bytes, its buffer has {}",
                   {where, printShape(shape), bytes, held}));
      TILEWRIGHT_RETURN_IF_ERROR(
          checkBoundShape(output, boundOutputs[i], shape));
      outputShapes.push_back(std::move(shape));
    }
    if (storage.kind != StorageKind::owned)
      TILEWRIGHT_RETURN_IF_ERROR(copyOutput(plan, i, held));
  }
  return {};
}

Status Session::Impl::copyOutput(const ExecutionPlan &plan, size_t output,
                                 size_t bytes) {
  const std::optional<Binding> &bound = boundOutputs[output];
  Buffer *target = bound ? bound->inPlace.get() : nullptr;
  if (!target) {
    TILEWRIGHT_RETURN_IF_ERROR(grow(copies[output], bytes));
    target = copies[output].get();
  }
  const size_t buffer = model.manifest().outputs[output].buffer;
  const Place &place = plan.places[plan.storage[buffer].root];
  return stream->copy(*target, 0, *place.memory, place.offset,
                      std::min(bytes, target->size()));
}

const Buffer &Session::Impl::outputMemory(const ExecutionPlan &plan,
                                          size_t output) const {
  const BufferStorage &storage =
      plan.storage[model.manifest().outputs[output].buffer];
  if (storage.kind == StorageKind::owned)
    return *plan.places[storage.root].memory;
  const std::optional<Binding> &bound = boundOutputs[output];
  return bound && bound->inPlace ? *bound->inPlace : *copies[output];
}

Status Session::Impl::run(std::vector<StepTime> *times) {
  isCancelled = false;
  began = asked = std::chrono::steady_clock::now();
  lastRun = nullptr;
  boundCopies = {};
  TILEWRIGHT_ASSIGN_OR_RETURN(ExecutionPlan * current, plan());
  TILEWRIGHT_RETURN_IF_ERROR(readBoundWords());
  TILEWRIGHT_RETURN_IF_ERROR(prepare(*current));
  TILEWRIGHT_RETURN_IF_ERROR(copyBoundIn(*current));
  TILEWRIGHT_RETURN_IF_ERROR(runSteps(*current, times));
  TILEWRIGHT_RETURN_IF_ERROR(copyBoundOut(*current));
  lastRun = current;
  lastInputs = inputCount;
  return {};
}

} // namespace tilewright::runtime
