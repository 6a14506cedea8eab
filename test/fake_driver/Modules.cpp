// Modules, functions and launches of the fake driver.
#include "test/fake_driver/Objects.h"
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <regex>

namespace tilewright::runtime::cuda {

/// Reads the kernels of a PTX text: names, parameters, .maxntid and static
/// shared memory. Null if it is no PTX that a driver could compile.
static std::unique_ptr<CUmod_st> readPtx(const std::string &ptx,
                                         std::string &log) {
  std::smatch match;
  if (!std::regex_search(ptx, std::regex(R"(\.version\s+\d+\.\d+)")) ||
      !std::regex_search(ptx, std::regex(R"(\.address_size\s+64)"))) {
    log = "ptxas fatal   : Missing .version directive at start of file";
    return nullptr;
  }
  int depth = 0;
  for (char c : ptx)
    depth += (c == '{') - (c == '}');
  if (depth != 0) {
    log = "ptxas application ptx input, line " +
          std::to_string(std::count(ptx.begin(), ptx.end(), '\n') + 1) +
          "; fatal   : Parsing error near '': syntax error\n"
          "ptxas fatal   : Ptx assembly aborted due to errors";
    return nullptr;
  }
  auto module = std::make_unique<CUmod_st>();
  std::regex entry(R"(\.entry\s+(\w+)\s*\(([^)]*)\)([^{]*)\{([^}]*)\})");
  std::regex parameter(R"(\.param\s+\.[a-z](\d+)\s)");
  std::regex threads(R"(\.maxntid\s+(\d+))");
  std::regex shared(R"(\.shared\s+\.align\s+\d+\s+\.b8\s+\w+\[(\d+)\])");
  for (std::sregex_iterator at(ptx.begin(), ptx.end(), entry), end; at != end;
       ++at) {
    auto function = std::make_unique<CUfunc_st>();
    function->module = module.get();
    function->name = (*at)[1];
    std::string parameters = (*at)[2], directives = (*at)[3], body = (*at)[4];
    for (std::sregex_iterator p(parameters.begin(), parameters.end(),
                                parameter);
         p != end; ++p)
      function->parameters.push_back(std::stoul((*p)[1]) / 8);
    if (std::regex_search(directives, match, threads))
      function->maxThreads = std::stoi(match[1]);
    if (std::regex_search(body, match, shared))
      function->staticShared = std::stoi(match[1]);
    function->maxDynamicShared = 48 * 1024 - function->staticShared;
    module->functions[function->name] = std::move(function);
  }
  return module;
}

/// The architecture in ".target sm_90a": 90.
static int targetOf(const std::string &ptx) {
  std::smatch match;
  if (!std::regex_search(ptx, match, std::regex(R"(\.target\s+sm_(\d+))")))
    return 0;
  return std::stoi(match[1]);
}

/// The words of a launch, copied: the number of the kernel's parameters,
/// whatever the caller passed.
static std::vector<uint64_t> readWords(const CUfunc_st &function,
                                       void **parameters) {
  std::vector<uint64_t> words(function.parameters.size());
  for (size_t i = 0; i < words.size(); ++i)
    std::memcpy(&words[i], parameters[i], function.parameters[i]);
  return words;
}

static CUresult checkLaunch(const CUlaunchConfig &config,
                            const CUfunc_st &function, FakeLaunch &launch) {
  const unsigned grid[] = {config.gridDimX, config.gridDimY, config.gridDimZ};
  const unsigned allowed[] = {2147483647, 65535, 65535};
  unsigned blocks = 1;
  for (int d = 0; d < 3; ++d)
    launch.cluster[d] = 1;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute &attribute = config.attrs[i];
    if (attribute.id != launchClusterDimension)
      return CUDA_ERROR_INVALID_VALUE;
    launch.cluster[0] = attribute.value.clusterDim.x;
    launch.cluster[1] = attribute.value.clusterDim.y;
    launch.cluster[2] = attribute.value.clusterDim.z;
  }
  for (int d = 0; d < 3; ++d) {
    launch.grid[d] = grid[d];
    blocks *= launch.cluster[d];
    if (grid[d] == 0 || grid[d] > allowed[d])
      return CUDA_ERROR_INVALID_VALUE;
    if (launch.cluster[d] == 0 || grid[d] % launch.cluster[d] != 0)
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  if (blocks > (function.largeClusters ? 16u : 8u))
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  launch.block = config.blockDimX * config.blockDimY * config.blockDimZ;
  launch.shared = config.sharedMemBytes;
  if (launch.block == 0 || launch.block > 1024 ||
      int(launch.shared) > function.maxDynamicShared)
    return CUDA_ERROR_INVALID_VALUE;
  return int(launch.block) > function.maxThreads
             ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
             : 0;
}

/// Runs a kernel on a stream's thread.
static void runKernel(CUcontext context, CUfunction function, FakeLaunch launch,
                      const std::vector<uint64_t> &words) {
  if (!isLive(state().functions, function, "a launched kernel"))
    return;
  FakeKernel code = nullptr;
  int fault = 0;
  {
    std::lock_guard lock(state().mutex);
    if (auto found = state().kernels.find(function->name);
        found != state().kernels.end())
      code = found->second;
    if (auto found = state().faults.find(function->name);
        found != state().faults.end())
      fault = found->second;
  }
  if (fault) {
    context->sticky = fault;
    return;
  }
  launch.words = words.data();
  if (code)
    code(&launch);
  else
    problem("kernel '" + function->name + "' has no host code");
}

} // namespace tilewright::runtime::cuda

using namespace tilewright::runtime::cuda;

extern "C" {

void fakeKernel(const char *entry, FakeKernel code) {
  std::lock_guard lock(state().mutex);
  state().kernels[entry] = code;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values) {
  if (CUresult answer = enter("cuModuleLoadDataEx", Needs::context))
    return answer;
  char *log = nullptr;
  size_t logBytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == jitErrorLog)
      log = static_cast<char *>(values[i]);
    else if (options[i] == jitErrorLogBytes)
      logBytes = reinterpret_cast<size_t>(values[i]);
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (std::memcmp(image,
                  "\x7f"
                  "ELF",
                  4) == 0)
    return CUDA_ERROR_NO_BINARY_FOR_GPU; // The fake runs no machine code.
  std::string text(static_cast<const char *>(image)), message;
  if (targetOf(text) > state().machine.major * 10 + state().machine.minor)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  std::unique_ptr<CUmod_st> read = readPtx(text, message);
  if (!read) {
    if (log && logBytes)
      std::snprintf(log, logBytes, "%s", message.c_str());
    return CUDA_ERROR_INVALID_PTX;
  }
  read->context = currentContext();
  std::lock_guard lock(state().mutex);
  for (const auto &[name, function] : read->functions)
    state().functions.insert(function.get());
  *module = read.release();
  state().modules.insert(*module);
  return 0;
}

CUresult cuModuleUnload(CUmodule module) {
  CUresult answer = enter("cuModuleUnload", Needs::context);
  if (!isLive(state().modules, module, "cuModuleUnload"))
    return CUDA_ERROR_INVALID_HANDLE;
  std::lock_guard lock(state().mutex);
  for (const auto &[name, function] : module->functions)
    state().functions.erase(function.get());
  state().modules.erase(module);
  delete module;
  return answer;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  if (CUresult answer = enter("cuModuleGetFunction", Needs::context))
    return answer;
  if (!isLive(state().modules, module, "cuModuleGetFunction"))
    return CUDA_ERROR_INVALID_HANDLE;
  auto found = module->functions.find(name);
  if (found == module->functions.end())
    return CUDA_ERROR_NOT_FOUND;
  *function = found->second.get();
  return 0;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                            CUfunction function) {
  if (CUresult answer = enter("cuFuncGetAttribute", Needs::context))
    return answer;
  if (!isLive(state().functions, function, "cuFuncGetAttribute"))
    return CUDA_ERROR_INVALID_HANDLE;
  switch (attribute) {
  case functionMaxThreads:
    *value = function->maxThreads;
    return 0;
  case functionStaticShared:
    *value = function->staticShared;
    return 0;
  case functionMaxDynamicShared:
    *value = function->maxDynamicShared;
    return 0;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                            int value) {
  if (CUresult answer = enter("cuFuncSetAttribute", Needs::context))
    return answer;
  if (!isLive(state().functions, function, "cuFuncSetAttribute"))
    return CUDA_ERROR_INVALID_HANDLE;
  if (attribute == functionLargeClusters) {
    function->largeClusters = value;
    return 0;
  }
  if (attribute != functionMaxDynamicShared ||
      value + function->staticShared > state().machine.sharedOptIn)
    return CUDA_ERROR_INVALID_VALUE;
  function->maxDynamicShared = value;
  return 0;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                            size_t *bytes) {
  if (CUresult answer = enter("cuFuncGetParamInfo", Needs::context))
    return answer;
  if (!isLive(state().functions, function, "cuFuncGetParamInfo"))
    return CUDA_ERROR_INVALID_HANDLE;
  if (index >= function->parameters.size())
    return CUDA_ERROR_INVALID_VALUE;
  *bytes = function->parameters[index];
  *offset = 0;
  for (size_t i = 0; i < index; ++i)
    *offset += function->parameters[i];
  return 0;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **parameters, void **extra) {
  if (CUresult answer = enter("cuLaunchKernelEx", Needs::context))
    return answer;
  if (!isLive(state().functions, function, "cuLaunchKernelEx") ||
      !isLive(state().streams, config->hStream, "cuLaunchKernelEx"))
    return CUDA_ERROR_INVALID_HANDLE;
  FakeLaunch launch = {};
  CUresult wrong = checkLaunch(*config, *function, launch);
  if (extra)
    wrong = CUDA_ERROR_INVALID_VALUE; // Not by both ways.
  if (wrong) {
    problem("cuLaunchKernelEx: the launch of '" + function->name +
            "' was not checked before: answer " + std::to_string(wrong));
    return wrong;
  }
  return submit(config->hStream,
                [context = config->hStream->context, function, launch,
                 words = readWords(*function, parameters)] {
                  runKernel(context, function, launch, words);
                });
}
}
