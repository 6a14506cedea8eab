// Streams, events and graphs of the fake driver.
#include "test/fake_driver/Objects.h"

namespace tilewright::runtime::cuda {

extern thread_local bool inHostFunction;

//===----------------------------------------------------------------------===//
// A stream is a thread with a queue
//===----------------------------------------------------------------------===//

CUstream_st::CUstream_st(CUcontext context)
    : context(context), worker([this] { run(); }) {}

CUstream_st::~CUstream_st() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
    changed.notify_all();
  }
  worker.join();
}

void CUstream_st::enqueue(Work work) {
  std::lock_guard lock(mutex);
  queue.push_back(std::move(work));
  changed.notify_all();
}

void CUstream_st::drain() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return queue.empty() && !busy; });
}

bool CUstream_st::isIdle() {
  std::lock_guard lock(mutex);
  return queue.empty() && !busy;
}

void CUstream_st::run() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return stopping || !queue.empty(); });
    if (queue.empty())
      return;
    Work work = std::move(queue.front());
    queue.pop_front();
    busy = true;
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
    busy = false;
    changed.notify_all();
  }
}

CUresult rejectCapture(CUstream stream) {
  if (!stream->capture)
    return 0;
  stream->captureIsInvalid = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult submit(CUstream stream, Work work) {
  CUcontext context = stream->context;
  Work unlessLost = [context, work = std::move(work)] {
    if (context->sticky == 0)
      work();
  };
  if (stream->capture)
    stream->capture->nodes.push_back(std::move(unlessLost));
  else
    stream->enqueue(std::move(unlessLost));
  return 0;
}

static void complete(EventState &event, uint64_t number) {
  std::lock_guard lock(event.mutex);
  event.completed = number;
  event.when = std::chrono::steady_clock::now();
  event.changed.notify_all();
}

static void await(EventState &event, uint64_t number) {
  std::unique_lock lock(event.mutex);
  event.changed.wait(lock, [&] { return event.completed >= number; });
}

template <typename Handle>
static void erase(std::set<Handle> &set, Handle handle) {
  std::lock_guard lock(state().mutex);
  set.erase(handle);
}
template <typename Handle>
static void insert(std::set<Handle> &set, Handle handle) {
  std::lock_guard lock(state().mutex);
  set.insert(handle);
}

} // namespace tilewright::runtime::cuda

using namespace tilewright::runtime::cuda;

extern "C" {

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  if (CUresult answer = enter("cuStreamCreate", Needs::context))
    return answer;
  if (flags > streamNonBlocking)
    return CUDA_ERROR_INVALID_VALUE;
  *stream = new CUstream_st(currentContext());
  insert(state().streams, *stream);
  return 0;
}

CUresult cuStreamQuery(CUstream stream) {
  if (CUresult answer = enter("cuStreamQuery", Needs::context))
    return answer;
  if (!isLive(state().streams, stream, "cuStreamQuery"))
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult rejected = rejectCapture(stream))
    return rejected;
  return stream->isIdle() ? CUresult(stream->context->sticky)
                          : CUDA_ERROR_NOT_READY;
}

CUresult cuStreamSynchronize(CUstream stream) {
  if (CUresult answer = enter("cuStreamSynchronize", Needs::context))
    return answer;
  if (!isLive(state().streams, stream, "cuStreamSynchronize"))
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult rejected = rejectCapture(stream))
    return rejected;
  stream->drain();
  return stream->context->sticky;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  if (CUresult answer = enter("cuStreamWaitEvent", Needs::context))
    return answer;
  if (!isLive(state().streams, stream, "cuStreamWaitEvent") ||
      !isLive(state().events, event, "cuStreamWaitEvent"))
    return CUDA_ERROR_INVALID_HANDLE;
  std::lock_guard lock(event->state->mutex);
  stream->enqueue([state = event->state, number = event->state->begun] {
    await(*state, number);
  });
  return flags ? CUDA_ERROR_INVALID_VALUE : 0;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  CUresult answer = enter("cuStreamDestroy_v2", Needs::context);
  if (!isLive(state().streams, stream, "cuStreamDestroy_v2"))
    return CUDA_ERROR_INVALID_HANDLE;
  erase(state().streams, stream);
  delete stream;
  return answer;
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  if (CUresult answer = enter("cuLaunchHostFunc", Needs::context))
    return answer;
  if (!isLive(state().streams, stream, "cuLaunchHostFunc"))
    return CUDA_ERROR_INVALID_HANDLE;
  static std::mutex oneThread;
  return submit(stream, [=] {
    std::lock_guard lock(oneThread);
    inHostFunction = true;
    function(data);
    inHostFunction = false;
  });
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  if (CUresult answer = enter("cuEventCreate", Needs::context))
    return answer;
  if (flags & ~unsigned(eventBlockingSync))
    return CUDA_ERROR_INVALID_VALUE;
  *event = new CUevent_st;
  (*event)->context = currentContext();
  insert(state().events, *event);
  return 0;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  if (CUresult answer = enter("cuEventRecord", Needs::context))
    return answer;
  if (!isLive(state().streams, stream, "cuEventRecord") ||
      !isLive(state().events, event, "cuEventRecord"))
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult rejected = rejectCapture(stream))
    return rejected;
  std::lock_guard lock(event->state->mutex);
  stream->enqueue([state = event->state, number = ++event->state->begun] {
    complete(*state, number);
  });
  return 0;
}

CUresult cuEventQuery(CUevent event) {
  if (CUresult answer = enter("cuEventQuery", Needs::context))
    return answer;
  if (!isLive(state().events, event, "cuEventQuery"))
    return CUDA_ERROR_INVALID_HANDLE;
  EventState &known = *event->state;
  std::lock_guard lock(known.mutex);
  return known.completed == known.begun ? 0 : CUDA_ERROR_NOT_READY;
}

CUresult cuEventSynchronize(CUevent event) {
  if (CUresult answer = enter("cuEventSynchronize", Needs::context))
    return answer;
  if (!isLive(state().events, event, "cuEventSynchronize"))
    return CUDA_ERROR_INVALID_HANDLE;
  uint64_t number = 0;
  {
    std::lock_guard lock(event->state->mutex);
    number = event->state->begun;
  }
  await(*event->state, number);
  return event->context->sticky;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  if (CUresult answer = enter("cuEventElapsedTime", Needs::context))
    return answer;
  if (!isLive(state().events, start, "cuEventElapsedTime") ||
      !isLive(state().events, end, "cuEventElapsedTime"))
    return CUDA_ERROR_INVALID_HANDLE;
  std::chrono::steady_clock::time_point times[2];
  for (CUevent event : {start, end}) {
    EventState &known = *event->state;
    std::lock_guard lock(known.mutex);
    if (known.begun == 0) {
      problem("cuEventElapsedTime: an event was never recorded");
      return CUDA_ERROR_INVALID_HANDLE;
    }
    if (known.completed != known.begun)
      return CUDA_ERROR_NOT_READY;
    times[event == end] = known.when;
  }
  *milliseconds =
      std::chrono::duration<float, std::milli>(times[1] - times[0]).count();
  return 0;
}

CUresult cuEventDestroy_v2(CUevent event) {
  CUresult answer = enter("cuEventDestroy_v2", Needs::context);
  if (!isLive(state().events, event, "cuEventDestroy_v2"))
    return CUDA_ERROR_INVALID_HANDLE;
  erase(state().events, event);
  delete event;
  return answer;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  if (CUresult answer = enter("cuStreamBeginCapture_v2", Needs::context))
    return answer;
  if (!isLive(state().streams, stream, "cuStreamBeginCapture_v2"))
    return CUDA_ERROR_INVALID_HANDLE;
  if (mode < 0 || mode > streamCaptureRelaxed)
    return CUDA_ERROR_INVALID_VALUE;
  if (stream->capture) {
    problem("cuStreamBeginCapture_v2: the stream is captured already");
    return CUDA_ERROR_ILLEGAL_STATE;
  }
  stream->capture = std::make_unique<CUgraph_st>();
  stream->captureIsInvalid = false;
  return 0;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  CUresult answer = enter("cuStreamEndCapture", Needs::context);
  *graph = nullptr;
  if (!isLive(state().streams, stream, "cuStreamEndCapture"))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!stream->capture) {
    problem("cuStreamEndCapture: the stream is not captured");
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  std::unique_ptr<CUgraph_st> made = std::move(stream->capture);
  if (answer)
    return answer;
  if (stream->captureIsInvalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  *graph = made.release();
  insert(state().graphs, *graph);
  return 0;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph,
                                     unsigned long long flags) {
  if (CUresult answer = enter("cuGraphInstantiateWithFlags", Needs::context))
    return answer;
  if (!isLive(state().graphs, graph, "cuGraphInstantiateWithFlags") || flags)
    return CUDA_ERROR_INVALID_VALUE;
  *executable = new CUgraphExec_st{currentContext(), graph->nodes};
  insert(state().executables, *executable);
  return 0;
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  if (CUresult answer = enter("cuGraphLaunch", Needs::context))
    return answer;
  if (!isLive(state().executables, executable, "cuGraphLaunch") ||
      !isLive(state().streams, stream, "cuGraphLaunch"))
    return CUDA_ERROR_INVALID_HANDLE;
  for (const Work &node : executable->nodes)
    stream->enqueue(node);
  return 0;
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  CUresult answer = enter("cuGraphExecDestroy", Needs::context);
  if (!isLive(state().executables, executable, "cuGraphExecDestroy"))
    return CUDA_ERROR_INVALID_HANDLE;
  erase(state().executables, executable);
  delete executable;
  return answer;
}

CUresult cuGraphDestroy(CUgraph graph) {
  CUresult answer = enter("cuGraphDestroy", Needs::context);
  if (!isLive(state().graphs, graph, "cuGraphDestroy"))
    return CUDA_ERROR_INVALID_HANDLE;
  erase(state().graphs, graph);
  delete graph;
  return answer;
}
}
