#include "runtime/cuda/Module.h"
#include "runtime/cuda/Buffer.h"
#include "runtime/cuda/Image.h"
#include "support/Format.h"

namespace tilewright::runtime::cuda {

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

/// Dynamic shared memory that a function may use without an attribute, in
/// bytes, less its static shared memory. (CUDA programming guide.)
static constexpr int64_t sharedByDefault = 48 * 1024;
/// Blocks in a cluster: the maximum of every GPU with clusters, and the maximum
/// with an attribute. (CUDA programming guide.)
static constexpr int64_t portableCluster = 8, largestCluster = 16;

static int64_t clusterBlocks(const KernelManifest &manifest) {
  // Each is below 2^17: the product fits.
  return manifest.cluster[0] * manifest.cluster[1] * manifest.cluster[2];
}

static Status tooMany(const std::string &what, int64_t found, int64_t allowed) {
  return Status::unsupported(format("the kernel needs {} {}, the device has {}",
                                    {found, what, allowed}));
}

Status checkBlock(const KernelManifest &manifest, const DeviceLimits &limits) {
  for (int64_t size : {manifest.block, manifest.cluster[0], manifest.cluster[1],
                       manifest.cluster[2]})
    if (size < 1)
      return Status::invalidInput(format(
          "the kernel's block and cluster must be positive, found {}", {size}));
  if (manifest.block > limits.threads)
    return tooMany("threads in a block", manifest.block, limits.threads);
  if (manifest.shared > limits.shared)
    return tooMany("bytes of shared memory in a block", manifest.shared,
                   limits.shared);
  int64_t blocks = clusterBlocks(manifest);
  if (blocks > 1 && !limits.clusters)
    return Status::unsupported(format(
        "the kernel needs clusters of {} blocks, the device has no clusters",
        {blocks}));
  if (blocks > largestCluster)
    return tooMany("blocks in a cluster", blocks, largestCluster);
  return {};
}

Status checkGrid(const Grid &grid, const KernelManifest &manifest,
                 const DeviceLimits &limits) {
  const int64_t allowed[] = {limits.gridX, limits.gridY, limits.gridZ};
  for (size_t d = 0; d < 3; ++d) {
    std::string where = format("grid {}: dimension {} ", {printShape(grid), d});
    if (grid[d] > allowed[d])
      return Status::unsupported(
          format("{}is at most {} on this device", {where, allowed[d]}));
    if (grid[d] % manifest.cluster[d] != 0)
      return Status::invalidInput(format("{}is no multiple of the cluster's {}",
                                         {where, manifest.cluster[d]}));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// CudaKernel
//===----------------------------------------------------------------------===//

LoadedModule::~LoadedModule() {
  CurrentContext current(*context);
  static_cast<void>(context->driver().cuModuleUnload(handle));
}

CudaKernel::CudaKernel(std::shared_ptr<LoadedModule> module,
                       KernelManifest manifest)
    : Kernel(std::move(manifest),
             {module->context->facts().limits.multiprocessors,
              [context = module->context](size_t bytes) {
                return CudaBuffer::allocate(context, bytes);
              }}),
      module(std::move(module)),
      label(std::make_shared<const std::string>(this->manifest().name)) {}

StatusOr<std::shared_ptr<Kernel>>
CudaKernel::find(std::shared_ptr<LoadedModule> module,
                 const KernelManifest &manifest) {
  Context &context = *module->context;
  TILEWRIGHT_RETURN_IF_ERROR(checkBlock(manifest, context.facts().limits));
  CurrentContext current(context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  std::shared_ptr<CudaKernel> kernel(
      new CudaKernel(std::move(module), manifest));
  Result found = context.driver().cuModuleGetFunction(
      &kernel->function, kernel->module->handle, manifest.entry.c_str());
  if (found.code == CUDA_ERROR_NOT_FOUND)
    return Status::invalidInput(format("the image defines no kernel '{}' ({})",
                                       {manifest.entry, found.function}));
  TILEWRIGHT_RETURN_IF_ERROR(context.check(found));
  TILEWRIGHT_RETURN_IF_ERROR(kernel->checkParameters());
  TILEWRIGHT_RETURN_IF_ERROR(kernel->prepareShared());
  TILEWRIGHT_RETURN_IF_ERROR(kernel->prepareCluster());
  return std::shared_ptr<Kernel>(std::move(kernel));
}

/// A kernel with more parameters than arguments would read beyond them.
Status CudaKernel::checkParameters() const {
  Context &context = *module->context;
  const Driver &cuda = context.driver();
  if (!cuda.cuFuncGetParamInfo.pointer)
    return {};
  size_t count = 0, offset = 0, bytes = 0;
  bool areWords = true;
  Result read = cuda.cuFuncGetParamInfo(function, 0, &offset, &bytes);
  while (read.ok()) {
    areWords &= offset == 8 * count && bytes == 8;
    read = cuda.cuFuncGetParamInfo(function, ++count, &offset, &bytes);
  }
  if (read.code != CUDA_ERROR_INVALID_VALUE) // Which is: no more of them.
    TILEWRIGHT_RETURN_IF_ERROR(context.check(read));
  if (count == wordCount() && areWords)
    return {};
  return Status::invalidInput(
      format("the kernel '{}' takes {} parameters{}; its manifest describes {} "
             "words of 64 bits",
             {manifest().entry, count, areWords ? "" : ", not all of 64 bits",
              wordCount()}));
}

Status CudaKernel::prepareShared() const {
  Context &context = *module->context;
  const Driver &cuda = context.driver();
  int threads = 0, fixed = 0, allowed = 0;
  TILEWRIGHT_RETURN_IF_ERROR(context.check(
      cuda.cuFuncGetAttribute(&threads, functionMaxThreads, function)));
  if (manifest().block > threads)
    return Status::unsupported(format("the kernel is launched with blocks of "
                                      "{} threads, its registers allow {}",
                                      {manifest().block, threads}));
  TILEWRIGHT_RETURN_IF_ERROR(context.check(
      cuda.cuFuncGetAttribute(&fixed, functionStaticShared, function)));
  int64_t total = fixed + manifest().shared;
  if (total > context.facts().limits.shared)
    return tooMany(
        format("bytes of shared memory in a block ({} static)", {fixed}), total,
        context.facts().limits.shared);
  if (total <= sharedByDefault)
    return {};
  // The attribute belongs to the function, which another kernel may share.
  std::lock_guard lock(module->mutex);
  TILEWRIGHT_RETURN_IF_ERROR(context.check(
      cuda.cuFuncGetAttribute(&allowed, functionMaxDynamicShared, function)));
  if (manifest().shared <= allowed)
    return {};
  return context.check(cuda.cuFuncSetAttribute(
      function, functionMaxDynamicShared, int(manifest().shared)));
}

Status CudaKernel::prepareCluster() const {
  if (clusterBlocks(manifest()) <= portableCluster)
    return {};
  Context &context = *module->context;
  return context.check(
      context.driver().cuFuncSetAttribute(function, functionLargeClusters, 1));
}

Result CudaKernel::launch(CUstream stream, std::span<const uint64_t> words,
                          const Grid &grid) const {
  CUlaunchConfig config;
  config.gridDimX = unsigned(grid[0]);
  config.gridDimY = unsigned(grid[1]);
  config.gridDimZ = unsigned(grid[2]);
  config.blockDimX = unsigned(manifest().block);
  config.sharedMemBytes = unsigned(manifest().shared);
  config.hStream = stream;
  CUlaunchAttribute cluster;
  if (clusterBlocks(manifest()) > 1) {
    cluster.id = launchClusterDimension;
    cluster.value.clusterDim = {unsigned(manifest().cluster[0]),
                                unsigned(manifest().cluster[1]),
                                unsigned(manifest().cluster[2])};
    config.attrs = &cluster;
    config.numAttrs = 1;
  }
  std::vector<void *> parameters; // The driver copies what they point to.
  parameters.reserve(words.size());
  for (const uint64_t &word : words)
    parameters.push_back(const_cast<uint64_t *>(&word));
  return module->context->driver().cuLaunchKernelEx(&config, function,
                                                    parameters.data(), nullptr);
}

//===----------------------------------------------------------------------===//
// CudaModule
//===----------------------------------------------------------------------===//

/// The log of the driver's compiler as indented lines.
static std::string indentLog(std::string_view log) {
  std::string text;
  while (!log.empty()) {
    size_t end = log.find('\n');
    std::string_view line = log.substr(0, end);
    if (!line.empty())
      text += "\n    " + std::string(line);
    log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
  }
  return text;
}

StatusOr<std::shared_ptr<Module>>
CudaModule::load(std::shared_ptr<Context> context,
                 std::span<const std::byte> image) {
  TILEWRIGHT_ASSIGN_OR_RETURN(ImageKind kind, checkImage(image));
  std::string text; // The driver reads PTX up to a NUL.
  const void *code = image.data();
  if (kind == ImageKind::ptx) {
    text.assign(reinterpret_cast<const char *>(image.data()), image.size());
    code = text.c_str();
  }
  CurrentContext current(*context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  char log[2048] = {};
  CUjit_option options[] = {jitErrorLog, jitErrorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log - 1)};
  CUmodule handle = nullptr;
  Status loaded = context->check(
      context->driver().cuModuleLoadDataEx(&handle, code, 2, options, values));
  if (!loaded.ok())
    return Status(loaded.code(), loaded.message() + indentLog(log));
  auto module = std::make_shared<LoadedModule>(std::move(context), handle);
  return std::shared_ptr<Module>(new CudaModule(std::move(module)));
}

} // namespace tilewright::runtime::cuda
