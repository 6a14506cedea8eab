#include "runtime/cuda/Stream.h"
#include "runtime/cuda/Buffer.h"
#include "runtime/cuda/Event.h"
#include "runtime/cuda/Module.h"
#include "support/Format.h"
#include <algorithm>
#include <cstring>

namespace tilewright::runtime::cuda {

/// Bytes of pinned memory of a stream. A piece of this size takes some hundred
/// microseconds, much more than its host call.
static constexpr size_t stagingBytes = size_t{1} << 20;

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

CudaGraph::~CudaGraph() {
  CurrentContext current(*context);
  static_cast<void>(context->driver().cuGraphExecDestroy(handle));
}

CudaStream::CudaStream(std::shared_ptr<Context> owner)
    : context(std::move(owner)), work(std::make_unique<HostWork>()) {
  context->loss().watch(&log);
}

StatusOr<std::unique_ptr<Stream>>
CudaStream::create(std::shared_ptr<Context> owner) {
  std::unique_ptr<CudaStream> stream(new CudaStream(std::move(owner)));
  Context &context = *stream->context;
  CurrentContext current(context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  const Driver &cuda = context.driver();
  TILEWRIGHT_RETURN_IF_ERROR(
      context.check(cuda.cuStreamCreate(&stream->handle, streamNonBlocking)));
  // Now, since later it might wait for enqueued work.
  TILEWRIGHT_RETURN_IF_ERROR(context.check(
      cuda.cuMemAllocHost_v2(&stream->work->staging, stagingBytes)));
  return std::unique_ptr<Stream>(std::move(stream));
}

CudaStream::~CudaStream() {
  if (capturing)
    static_cast<void>(endCapture());
  CurrentContext current(*context);
  const Driver &cuda = context->driver();
  bool isDone =
      !handle || context->check(cuda.cuStreamSynchronize(handle)).ok();
  context->loss().unwatch(&log);
  if (!isDone)
    work->callRest();
  if (handle)
    static_cast<void>(cuda.cuStreamDestroy_v2(handle));
  if (!isDone)
    context->adopt(std::move(work)); // The driver may still hold it.
  else if (work->staging)
    static_cast<void>(cuda.cuMemFreeHost(work->staging));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The address of a part of a buffer of this device.
static StatusOr<CUdeviceptr> addressIn(const Context &context,
                                       const Buffer &buffer, size_t offset) {
  const auto *own = dynamic_cast<const CudaBuffer *>(&buffer);
  if (own && own->owner() == &context)
    return CUdeviceptr(own->address() + offset);
  return Status::invalidInput("the buffer belongs to another device");
}

Status CudaStream::rejectCapture(const char *what) const {
  if (!capturing)
    return {};
  return Status::unsupported(std::string(what) +
                             ": a graph holds launches and copies within the "
                             "device; end the capture first");
}

StatusOr<bool> CudaStream::isIdle() {
  Result query = context->driver().cuStreamQuery(handle);
  if (query.code == CUDA_ERROR_NOT_READY)
    return false;
  TILEWRIGHT_RETURN_IF_ERROR(context->check(query));
  return true;
}

Status CudaStream::copyToDevice(Buffer &target, size_t targetOffset,
                                const void *source, size_t bytes) {
  TILEWRIGHT_RETURN_IF_ERROR(
      checkRange(target, targetOffset, bytes, "copy to device"));
  TILEWRIGHT_RETURN_IF_ERROR(rejectCapture("copy to device"));
  TILEWRIGHT_ASSIGN_OR_RETURN(CUdeviceptr to,
                              addressIn(*context, target, targetOffset));
  CurrentContext current(*context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  if (bytes == 0)
    return {};
  TILEWRIGHT_ASSIGN_OR_RETURN(bool idle, isIdle());
  if (!idle)
    return uploadStaged(to, static_cast<const std::byte *>(source), bytes);
  return context->check(
      context->driver().cuMemcpyHtoDAsync_v2(to, source, bytes, handle));
}

Status CudaStream::copyToHost(void *target, const Buffer &source,
                              size_t sourceOffset, size_t bytes) {
  TILEWRIGHT_RETURN_IF_ERROR(
      checkRange(source, sourceOffset, bytes, "copy to host"));
  TILEWRIGHT_RETURN_IF_ERROR(rejectCapture("copy to host"));
  TILEWRIGHT_ASSIGN_OR_RETURN(CUdeviceptr from,
                              addressIn(*context, source, sourceOffset));
  CurrentContext current(*context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  if (bytes == 0)
    return {};
  TILEWRIGHT_ASSIGN_OR_RETURN(bool idle, isIdle());
  if (!idle)
    return downloadStaged(static_cast<std::byte *>(target), from, bytes);
  return context->check(
      context->driver().cuMemcpyDtoHAsync_v2(target, from, bytes, handle));
}

Status CudaStream::copy(Buffer &target, size_t targetOffset,
                        const Buffer &source, size_t sourceOffset,
                        size_t bytes) {
  TILEWRIGHT_RETURN_IF_ERROR(
      checkRange(target, targetOffset, bytes, "target of copy"));
  TILEWRIGHT_RETURN_IF_ERROR(
      checkRange(source, sourceOffset, bytes, "source of copy"));
  TILEWRIGHT_ASSIGN_OR_RETURN(CUdeviceptr to,
                              addressIn(*context, target, targetOffset));
  TILEWRIGHT_ASSIGN_OR_RETURN(CUdeviceptr from,
                              addressIn(*context, source, sourceOffset));
  CurrentContext current(*context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  if (bytes == 0)
    return {};
  return context->check(
      context->driver().cuMemcpyDtoDAsync_v2(to, from, bytes, handle));
}

// The pieces share the memory: the stream's order separates them.

Status CudaStream::uploadStaged(CUdeviceptr target, const std::byte *source,
                                size_t bytes) {
  void *staging = work->staging;
  for (size_t done = 0; done < bytes; done += stagingBytes) {
    size_t piece = std::min(stagingBytes, bytes - done);
    TILEWRIGHT_RETURN_IF_ERROR(enqueueHost(
        [=] { std::memcpy(staging, source + done, piece); }, false));
    TILEWRIGHT_RETURN_IF_ERROR(
        context->check(context->driver().cuMemcpyHtoDAsync_v2(
            target + done, staging, piece, handle)));
  }
  return {};
}

Status CudaStream::downloadStaged(std::byte *target, CUdeviceptr source,
                                  size_t bytes) {
  void *staging = work->staging;
  for (size_t done = 0; done < bytes; done += stagingBytes) {
    size_t piece = std::min(stagingBytes, bytes - done);
    TILEWRIGHT_RETURN_IF_ERROR(
        context->check(context->driver().cuMemcpyDtoHAsync_v2(
            staging, source + done, piece, handle)));
    TILEWRIGHT_RETURN_IF_ERROR(enqueueHost(
        [=] { std::memcpy(target + done, staging, piece); }, false));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Launches, host calls and events
//===----------------------------------------------------------------------===//

Status CudaStream::launch(const Kernel &kernel, std::span<const uint64_t> words,
                          const Grid &grid) {
  const auto *own = dynamic_cast<const CudaKernel *>(&kernel);
  auto where = [&] { return format("kernel '{}'", {kernel.manifest().name}); };
  if (!own || own->context() != context.get())
    return Status::invalidInput(where() + " belongs to another device");
  if (words.size() != own->wordCount())
    return Status::invalidInput(
        format("{} takes {} words, found {}",
               {where(), own->wordCount(), words.size()}));
  TILEWRIGHT_ASSIGN_OR_RETURN(int64_t count, programCount(grid));
  if (count == 0)
    return {};
  Status fits = checkGrid(grid, own->manifest(), context->facts().limits);
  if (!fits.ok())
    return fits.prefixed(where());
  CurrentContext current(*context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  log.add(own->name());
  Status launched = context->check(own->launch(handle, words, grid));
  return launched.ok() ? launched : launched.prefixed(where());
}

Status CudaStream::enqueueHost(std::function<void()> function, bool always) {
  work->add(std::move(function), always);
  Result enqueued = context->driver().cuLaunchHostFunc(
      handle, HostWork::callFirst, work.get());
  if (!enqueued.ok())
    work->retract();
  return context->check(enqueued);
}

Status CudaStream::hostCall(std::function<void()> function) {
  TILEWRIGHT_RETURN_IF_ERROR(rejectCapture("host call"));
  CurrentContext current(*context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  return enqueueHost(std::move(function), true);
}

static StatusOr<CudaEvent *> ownEvent(const Context &context, Event &event) {
  auto *own = dynamic_cast<CudaEvent *>(&event);
  if (own && own->owner() == &context)
    return own;
  return Status::invalidInput("the event belongs to another device");
}

Status CudaStream::record(Event &event) {
  TILEWRIGHT_ASSIGN_OR_RETURN(CudaEvent * own, ownEvent(*context, event));
  TILEWRIGHT_RETURN_IF_ERROR(rejectCapture("record of an event"));
  CurrentContext current(*context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  return own->record(handle);
}

Status CudaStream::wait(Event &event) {
  TILEWRIGHT_ASSIGN_OR_RETURN(CudaEvent * own, ownEvent(*context, event));
  TILEWRIGHT_RETURN_IF_ERROR(rejectCapture("wait for an event"));
  CurrentContext current(*context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  return own->wait(handle);
}

Status CudaStream::synchronize() {
  TILEWRIGHT_RETURN_IF_ERROR(rejectCapture("synchronize"));
  CurrentContext current(*context);
  Status status = current.status();
  if (status.ok())
    status = context->check(context->driver().cuStreamSynchronize(handle));
  if (!context->lost().ok())
    work->callRest();
  if (status.ok())
    log.clear();
  return status;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

Status CudaStream::beginCapture() {
  TILEWRIGHT_RETURN_IF_ERROR(rejectCapture("begin of a capture"));
  CurrentContext current(*context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  TILEWRIGHT_RETURN_IF_ERROR(context->check(
      context->driver().cuStreamBeginCapture_v2(handle, streamCaptureRelaxed)));
  capturing = true;
  return {};
}

StatusOr<std::shared_ptr<Graph>> CudaStream::endCapture() {
  if (!capturing)
    return Status::invalidInput("no graph is captured on this stream");
  CurrentContext current(*context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  capturing = false;
  const Driver &cuda = context->driver();
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  TILEWRIGHT_RETURN_IF_ERROR(
      context->check(cuda.cuStreamEndCapture(handle, &graph)));
  Status made =
      context->check(cuda.cuGraphInstantiateWithFlags(&executable, graph, 0));
  Status destroyed = context->check(cuda.cuGraphDestroy(graph));
  TILEWRIGHT_RETURN_IF_ERROR(made);
  std::vector<LaunchLog::Name> names;
  log.collect(names);
  auto result =
      std::make_shared<CudaGraph>(context, executable, std::move(names));
  TILEWRIGHT_RETURN_IF_ERROR(destroyed);
  return std::shared_ptr<Graph>(std::move(result));
}

Status CudaStream::launch(const Graph &graph) {
  const auto *own = dynamic_cast<const CudaGraph *>(&graph);
  if (!own || own->context != context)
    return Status::invalidInput("the graph belongs to another device");
  TILEWRIGHT_RETURN_IF_ERROR(rejectCapture("launch of a graph"));
  CurrentContext current(*context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  for (const LaunchLog::Name &name : own->names)
    log.add(name);
  return context->check(context->driver().cuGraphLaunch(own->handle, handle));
}

} // namespace tilewright::runtime::cuda
