// The objects of the fake driver.
#ifndef TILEWRIGHT_TEST_FAKE_DRIVER_OBJECTS_H
#define TILEWRIGHT_TEST_FAKE_DRIVER_OBJECTS_H

#include "runtime/cuda/DriverTypes.h"
#include "test/fake_driver/FakeDriver.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace tilewright::runtime::cuda {

/// The primary context of a device.
struct CUctx_st {
  int device = 0;
  int references = 0;
  /// The error that ended it; 0 while it is good.
  std::atomic<CUresult> sticky = 0;
};

struct CUmemPoolHandle_st {
  CUcontext context;
};

/// The state of an event that streams use, even after its destruction.
struct EventState {
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t begun = 0, completed = 0;
  std::chrono::steady_clock::time_point when;
};
struct CUevent_st {
  CUcontext context;
  std::shared_ptr<EventState> state = std::make_shared<EventState>();
};

/// One launch or copy, as a stream runs it and a graph keeps it.
using Work = std::function<void()>;

struct CUgraph_st {
  std::vector<Work> nodes;
};
struct CUgraphExec_st {
  CUcontext context;
  std::vector<Work> nodes;
};

struct CUstream_st {
  explicit CUstream_st(CUcontext context);
  ~CUstream_st();
  void enqueue(Work work);
  void drain();
  bool isIdle();

  CUcontext context;
  /// The graph that is captured; null outside a capture.
  std::unique_ptr<CUgraph_st> capture;
  bool captureIsInvalid = false;

private:
  void run();
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Work> queue;
  bool busy = false, stopping = false;
  std::thread worker;
};

struct CUfunc_st {
  CUmodule module;
  std::string name;
  /// Bytes of each parameter.
  std::vector<size_t> parameters;
  int maxThreads = 1024;
  int staticShared = 0;
  int maxDynamicShared = 0;
  bool largeClusters = false;
};
struct CUmod_st {
  CUcontext context;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};

/// Everything there is. `mutex` guards all of it but the insides of streams
/// and events.
struct FakeState {
  std::mutex mutex;
  FakeMachine machine;
  bool initialized = false;
  std::vector<std::unique_ptr<CUctx_st>> contexts;
  /// Memory by address: bytes.
  std::map<uintptr_t, size_t> memory, pinned;
  size_t used = 0;
  std::set<CUmemoryPool> pools;
  std::set<CUstream> streams;
  std::set<CUevent> events;
  std::set<CUmodule> modules;
  std::set<CUfunction> functions;
  std::set<CUgraph> graphs;
  std::set<CUgraphExec> executables;

  std::map<std::string, int> calls;
  std::string failing;
  int failingCall = 0, failingCode = 0;
  std::map<std::string, FakeKernel> kernels;
  std::map<std::string, int> faults;
  std::vector<std::string> problems;
};
FakeState &state();

/// Notes a broken rule.
void problem(const std::string &text);

/// The context that is current on this thread; null for none.
CUcontext currentContext();

/// The first step of a driver function: counts the call, and returns the code
/// to return at once (0: go on). Creating functions return it; destroying ones
/// do their work first. `needs`: the required state.
enum class Needs { nothing, driver, context };
CUresult enter(const char *function, Needs needs);

/// Whether `handle` is in `set`; if not, notes the broken rule.
template <typename Handle>
bool isLive(const std::set<Handle> &set, Handle handle, const char *function) {
  {
    std::lock_guard lock(state().mutex);
    if (set.contains(handle))
      return true;
  }
  problem(std::string(function) + ": the handle is not valid");
  return false;
}

/// Whether [address, address + bytes) is in one device allocation.
bool isDeviceRange(CUdeviceptr address, size_t bytes);

/// Enqueues work on a stream, or adds it to the graph that is captured.
CUresult submit(CUstream stream, Work work);
/// Ends a capture where `function` is not allowed in one; 0 outside captures.
CUresult rejectCapture(CUstream stream);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_TEST_FAKE_DRIVER_OBJECTS_H
