// Control, contexts and devices of the fake driver.
#include "test/fake_driver/Objects.h"
#include <cstdio>
#include <unistd.h>

namespace tilewright::runtime::cuda {

FakeState &state() {
  static auto *instance = new FakeState; // Streams may outlive main.
  return *instance;
}

void problem(const std::string &text) {
  std::lock_guard lock(state().mutex);
  state().problems.push_back(text);
}

static thread_local std::vector<CUcontext> currentContexts;
/// Whether this thread runs a host function, which may not call the driver.
thread_local bool inHostFunction = false;

CUcontext currentContext() {
  return currentContexts.empty() ? nullptr : currentContexts.back();
}

CUresult enter(const char *function, Needs needs) {
  if (inHostFunction)
    problem(std::string(function) + ": called by a host function");
  bool isInitialized = false;
  {
    std::lock_guard lock(state().mutex);
    int call = ++state().calls[function];
    if (state().failing == function && state().failingCall == call)
      return state().failingCode;
    isInitialized = state().initialized;
  }
  if (needs == Needs::nothing)
    return 0;
  if (!isInitialized) {
    problem(std::string(function) + ": cuInit was not called");
    return CUDA_ERROR_NOT_INITIALIZED;
  }
  if (needs == Needs::driver)
    return 0;
  CUcontext context = currentContext();
  if (context)
    return context->sticky;
  if (state().failing != "cuCtxPushCurrent_v2")
    problem(std::string(function) + ": no context is current");
  return CUDA_ERROR_INVALID_CONTEXT;
}

/// What still lives. `state().mutex` is held.
static std::vector<std::string> leaks() {
  FakeState &s = state();
  std::vector<std::string> list;
  auto count = [&](const char *what, size_t number) {
    if (number)
      list.push_back("leaked: " + std::to_string(number) + " " + what);
  };
  count("allocations of device memory", s.memory.size());
  count("allocations of pinned memory", s.pinned.size());
  count("pools", s.pools.size());
  count("streams", s.streams.size());
  count("events", s.events.size());
  count("modules", s.modules.size());
  count("graphs", s.graphs.size());
  count("executable graphs", s.executables.size());
  for (const auto &context : s.contexts)
    count("references to a primary context", size_t(context->references));
  return list;
}

static std::string problemsText() {
  std::lock_guard lock(state().mutex);
  std::string text;
  for (const std::string &line : state().problems)
    text += line + "\n";
  for (const std::string &line : leaks())
    text += line + "\n";
  return text;
}

namespace {
struct AtEnd {
  ~AtEnd() {
    std::string text = problemsText();
    if (text.empty())
      return;
    std::fprintf(stderr, "fake driver:\n%s", text.c_str());
    std::fflush(nullptr);
    ::_exit(66);
  }
} atEnd;
} // namespace

} // namespace tilewright::runtime::cuda

using namespace tilewright::runtime::cuda;

extern "C" {

void fakeReset(const FakeMachine *machine) {
  FakeState &s = state();
  std::lock_guard lock(s.mutex);
  s.machine = *machine;
  s.initialized = false;
  s.contexts.clear();
  s.memory.clear();
  s.pinned.clear();
  s.used = 0;
  s.pools.clear();
  s.streams.clear();
  s.events.clear();
  s.modules.clear();
  s.functions.clear();
  s.graphs.clear();
  s.executables.clear();
  s.calls.clear();
  s.failing.clear();
  s.faults.clear();
  s.problems.clear();
}

void fakeFail(const char *function, int call, int code) {
  std::lock_guard lock(state().mutex);
  state().calls.clear();
  state().failing = function;
  state().failingCall = call;
  state().failingCode = code;
}

int fakeCalls(const char *function) {
  std::lock_guard lock(state().mutex);
  return state().calls[function];
}

void fakeFault(const char *entry, int code) {
  std::lock_guard lock(state().mutex);
  state().faults[entry] = code;
}

const char *fakeProblems() {
  static std::string text;
  text = problemsText();
  return text.c_str();
}

CUresult cuInit(unsigned flags) {
  if (CUresult answer = enter("cuInit", Needs::nothing))
    return answer;
  std::lock_guard lock(state().mutex);
  state().initialized = true;
  while (int(state().contexts.size()) < state().machine.devices) {
    state().contexts.push_back(std::make_unique<CUctx_st>());
    state().contexts.back()->device = int(state().contexts.size()) - 1;
  }
  if (state().machine.devices == 0)
    return CUDA_ERROR_NO_DEVICE;
  return flags ? CUDA_ERROR_INVALID_VALUE : 0;
}

CUresult cuDriverGetVersion(int *version) {
  if (CUresult answer = enter("cuDriverGetVersion", Needs::nothing))
    return answer;
  *version = state().machine.version;
  return 0;
}

CUresult cuGetErrorName(CUresult code, const char **name) {
  if (CUresult answer = enter("cuGetErrorName", Needs::nothing))
    return answer;
  *name = code == 404 ? "CUDA_ERROR_ONLY_THE_DRIVER_KNOWS" : nullptr;
  return code == 404 ? 0 : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int *count) {
  if (CUresult answer = enter("cuDeviceGetCount", Needs::driver))
    return answer;
  *count = state().machine.devices;
  return 0;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (CUresult answer = enter("cuDeviceGet", Needs::driver))
    return answer;
  *device = ordinal;
  return ordinal < state().machine.devices ? 0 : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice) {
  if (CUresult answer = enter("cuDeviceGetName", Needs::driver))
    return answer;
  std::snprintf(name, size_t(length), "Fake GPU");
  return 0;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice) {
  if (CUresult answer = enter("cuDeviceTotalMem_v2", Needs::driver))
    return answer;
  *bytes = state().machine.memory;
  return 0;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice) {
  if (CUresult answer = enter("cuDeviceGetAttribute", Needs::driver))
    return answer;
  const FakeMachine &machine = state().machine;
  const std::map<int, int> attributes = {{maxThreadsPerBlock, 1024},
                                         {maxGridX, 2147483647},
                                         {maxGridY, 65535},
                                         {maxGridZ, 65535},
                                         {multiprocessorCount, 2},
                                         {capabilityMajor, machine.major},
                                         {capabilityMinor, machine.minor},
                                         {maxSharedOptIn, machine.sharedOptIn},
                                         {memoryPools, machine.pools},
                                         {clusterLaunch, machine.clusters}};
  auto found = attributes.find(attribute);
  if (found == attributes.end())
    return CUDA_ERROR_INVALID_VALUE;
  *value = found->second;
  return 0;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  if (CUresult answer = enter("cuDevicePrimaryCtxRetain", Needs::driver))
    return answer;
  std::lock_guard lock(state().mutex);
  *context = state().contexts.at(size_t(device)).get();
  ++(*context)->references;
  return 0;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  CUresult answer = enter("cuDevicePrimaryCtxRelease_v2", Needs::driver);
  std::lock_guard lock(state().mutex);
  CUctx_st &context = *state().contexts.at(size_t(device));
  if (context.references == 0) {
    state().problems.push_back("a primary context was released twice");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  --context.references;
  return answer;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (CUresult answer = enter("cuCtxPushCurrent_v2", Needs::driver))
    return answer;
  if (!context || context->references == 0) {
    problem("cuCtxPushCurrent_v2: the context is not valid");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  currentContexts.push_back(context);
  return 0;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  CUresult answer = enter("cuCtxPopCurrent_v2", Needs::driver);
  if (currentContexts.empty()) {
    problem("cuCtxPopCurrent_v2: no context is current");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  *context = currentContexts.back();
  currentContexts.pop_back();
  return answer;
}
}
