#include "runtime/cuda/Context.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::runtime::cuda {

//===----------------------------------------------------------------------===//
// LaunchLog
//===----------------------------------------------------------------------===//

void LaunchLog::add(Name name) {
  std::lock_guard lock(mutex);
  latest[count++ % latest.size()] = std::move(name);
}

void LaunchLog::clear() {
  std::lock_guard lock(mutex);
  count = 0;
}

size_t LaunchLog::collect(std::vector<Name> &names) const {
  std::lock_guard lock(mutex);
  for (size_t i = count - std::min(count, latest.size()); i < count; ++i)
    names.push_back(latest[i % latest.size()]);
  return count;
}

//===----------------------------------------------------------------------===//
// Opening and closing
//===----------------------------------------------------------------------===//

static Status findDevice(const Driver &driver, unsigned ordinal,
                         CUdevice &device) {
  int count = 0;
  TILEWRIGHT_RETURN_IF_ERROR(driver.status(driver.cuDeviceGetCount(&count)));
  if (ordinal < unsigned(count))
    return driver.status(driver.cuDeviceGet(&device, int(ordinal)));
  if (count == 0)
    return Status::notFound("the CUDA driver sees no GPU: see nvidia-smi and "
                            "CUDA_VISIBLE_DEVICES");
  return Status::notFound(
      format("there is no cuda:{}; the devices are {}",
             {ordinal, count == 1 ? std::string("cuda:0")
                                  : format("cuda:0 to cuda:{}", {count - 1})}));
}

StatusOr<std::shared_ptr<Context>>
Context::open(std::shared_ptr<const Driver> driver, unsigned ordinal) {
  std::shared_ptr<Context> context(new Context);
  context->library = std::move(driver);
  context->memorySpace.device = format("cuda:{}", {ordinal});
  const Driver &cuda = context->driver();
  TILEWRIGHT_RETURN_IF_ERROR(findDevice(cuda, ordinal, context->device));
  TILEWRIGHT_RETURN_IF_ERROR(context->readFacts());
  TILEWRIGHT_RETURN_IF_ERROR(cuda.status(
      cuda.cuDevicePrimaryCtxRetain(&context->handle, context->device)));
  CurrentContext current(*context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  TILEWRIGHT_RETURN_IF_ERROR(cuda.status(
      cuda.cuStreamCreate(&context->memoryStream, streamNonBlocking)));
  if (context->facts.pools)
    TILEWRIGHT_RETURN_IF_ERROR(context->createPool());
  return context;
}

Status Context::readFacts() {
  const Driver &cuda = driver();
  char text[256] = {};
  TILEWRIGHT_RETURN_IF_ERROR(
      cuda.status(cuda.cuDeviceGetName(text, sizeof text - 1, device)));
  product = text;
#define DEVICE_LIMIT(NAME, ATTRIBUTE)                                          \
  TILEWRIGHT_RETURN_IF_ERROR(                                                  \
      cuda.status(cuda.cuDeviceGetAttribute(&facts.NAME, ATTRIBUTE, device)));
#include "runtime/cuda/DeviceLimits.inc"
#undef DEVICE_LIMIT
  return cuda.status(cuda.cuDeviceTotalMem_v2(&facts.memory, device));
}

Status Context::createPool() {
  const Driver &cuda = driver();
  CUmemPoolProps properties;
  properties.allocType = allocationPinned;
  properties.location.type = locationDevice;
  properties.location.id = device;
  TILEWRIGHT_RETURN_IF_ERROR(
      cuda.status(cuda.cuMemPoolCreate(&pool, &properties)));
  uint64_t all = UINT64_MAX;
  return cuda.status(
      cuda.cuMemPoolSetAttribute(pool, poolReleaseThreshold, &all));
}

Context::~Context() {
  if (!handle)
    return;
  const Driver &cuda = driver();
  {
    CurrentContext current(*this);
    for (const auto &work : adopted)
      static_cast<void>(cuda.cuMemFreeHost(work->staging));
    if (memoryStream)
      static_cast<void>(cuda.cuStreamSynchronize(memoryStream));
    if (pool)
      static_cast<void>(cuda.cuMemPoolDestroy(pool));
    if (memoryStream)
      static_cast<void>(cuda.cuStreamDestroy_v2(memoryStream));
  }
  static_cast<void>(cuda.cuDevicePrimaryCtxRelease_v2(device));
}

CurrentContext::CurrentContext(Context &context) : context(context) {
  Result push = context.driver().cuCtxPushCurrent_v2(context.handle);
  pushed = push.ok();
  state = context.lost();
  if (state.ok())
    state = context.check(push);
}

CurrentContext::~CurrentContext() {
  CUcontext ignored = nullptr;
  if (pushed)
    static_cast<void>(context.driver().cuCtxPopCurrent_v2(&ignored));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

Status Context::check(Result result) {
  if (result.ok())
    return {};
  const DriverError *error = findDriverError(result.code);
  if (!error || !error->loses)
    return driver().status(result);
  return lose(result);
}

Status Context::lost() const {
  if (!isLost.load(std::memory_order_acquire))
    return {};
  std::lock_guard lock(mutex);
  return loss;
}

void Context::watch(const LaunchLog *log) {
  std::lock_guard lock(mutex);
  logs.insert(log);
}

void Context::unwatch(const LaunchLog *log) {
  std::lock_guard lock(mutex);
  logs.erase(log);
}

void Context::adopt(std::unique_ptr<HostWork> work) {
  std::lock_guard lock(mutex);
  adopted.push_back(std::move(work));
}

std::string Context::suspects() {
  std::vector<LaunchLog::Name> names;
  size_t count = 0;
  for (const LaunchLog *log : logs)
    count += log->collect(names);
  if (count == 0)
    return "no kernel was running that Tilewright launched";
  if (count == 1)
    return format("the kernel that was running: '{}'", {*names.front()});
  std::string text;
  std::set<std::string_view> seen;
  for (auto name = names.rbegin(); name != names.rend(); ++name)
    if (seen.insert(**name).second)
      text += format("{}'{}'", {text.empty() ? "" : ", ", **name});
  return format("one of the last {} kernels, the latest first: {}\n"
                "  run with a profile to see which: it waits for each kernel",
                {count, text});
}

Status Context::lose(Result result) {
  std::lock_guard lock(mutex);
  if (!loss.ok())
    return loss;
  Status story = driver().status(result);
  std::string rest =
      format("\n  {}\n"
             "  start a new process: this one cannot use the device any more",
             {suspects()});
  loss = Status(story.code(), format("{} was lost by {}{}",
                                     {memorySpace.device,
                                      driver().codeName(result.code), rest}));
  isLost.store(true, std::memory_order_release);
  return {story.code(), story.message() + rest};
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

StatusOr<CUdeviceptr> Context::allocate(size_t bytes) {
  std::string head = format("no memory for a buffer of {} bytes on {}: ",
                            {bytes, memorySpace.device});
  if (bytes > facts.memory)
    return Status::resourceExhausted(
        format("{}it has {} bytes", {head, facts.memory}));
  CurrentContext current(*this);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  const Driver &cuda = driver();
  CUdeviceptr address = 0;
  size_t size = std::max<size_t>(bytes, 1);
  Result allocated =
      pool ? cuda.cuMemAllocFromPoolAsync(&address, size, pool, memoryStream)
           : cuda.cuMemAlloc_v2(&address, size);
  size_t available = 0, total = 0;
  if (allocated.code == CUDA_ERROR_OUT_OF_MEMORY &&
      cuda.cuMemGetInfo_v2(&available, &total).ok())
    return Status::resourceExhausted(
        driver()
            .status(allocated)
            .prefixed(
                format("{}{} of {} bytes are free", {head, available, total}))
            .message());
  TILEWRIGHT_RETURN_IF_ERROR(check(allocated));
  if (!pool)
    return address;
  Status ready = check(cuda.cuStreamSynchronize(memoryStream));
  if (ready.ok())
    return address;
  free(address);
  return ready;
}

void Context::free(CUdeviceptr address) {
  CurrentContext current(*this);
  if (pool)
    static_cast<void>(driver().cuMemFreeAsync(address, memoryStream));
  else
    static_cast<void>(driver().cuMemFree_v2(address));
}

Status Context::upload(CUdeviceptr target, const void *source, size_t bytes) {
  CurrentContext current(*this);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  TILEWRIGHT_RETURN_IF_ERROR(check(
      driver().cuMemcpyHtoDAsync_v2(target, source, bytes, memoryStream)));
  return check(driver().cuStreamSynchronize(memoryStream));
}

} // namespace tilewright::runtime::cuda
