#include "runtime/cuda/Driver.h"
#include "support/Format.h"
#include <dlfcn.h>

namespace tilewright::runtime::cuda {

namespace {
enum class Need { required, optional };
enum class Effect { kept, lost };
} // namespace

static constexpr DriverError errors[] = {
#define DRIVER_ERROR(NAME, NUMBER, STATUS, EFFECT, ADVICE)                     \
  {"CUDA_ERROR_" #NAME, NUMBER, StatusCode::STATUS,                            \
   Effect::EFFECT == Effect::lost, ADVICE},
#include "runtime/cuda/DriverErrors.inc"
#undef DRIVER_ERROR
};

const DriverError *findDriverError(CUresult code) {
  for (const DriverError &error : errors)
    if (error.number == code)
      return &error;
  return nullptr;
}

std::string printDriverVersion(int version) {
  return format("{}.{}", {version / 1000, version % 1000 / 10});
}

std::string Driver::codeName(CUresult code) const {
  std::string name = "unknown error";
  const char *theirs = nullptr;
  if (const DriverError *error = findDriverError(code))
    name = error->name;
  else if (cuGetErrorName(code, &theirs).ok() && theirs)
    name = theirs;
  return format("{} ({})", {name, code});
}

Status Driver::status(Result result) const {
  if (result.ok())
    return {};
  std::string message =
      format("{}: {}", {result.function, codeName(result.code)});
  const DriverError *error = findDriverError(result.code);
  if (!error)
    return Status::internal(std::move(message));
  return {error->status, format("{}\n  {}", {message, error->advice})};
}

/// Looks up one function.
template <typename... Parameters>
static Status findSymbol(void *library, const std::string &path, Need need,
                         DriverFunction<Parameters...> &function) {
  function.pointer = reinterpret_cast<CUresult (*)(Parameters...)>(
      ::dlsym(library, function.name));
  if (function.pointer || need == Need::optional)
    return {};
  return Status::unsupported(
      format("the CUDA driver {} has no function {}: Tilewright needs a driver "
             "for CUDA {} or newer",
             {path, function.name, printDriverVersion(Driver::oldestVersion)}));
}

StatusOr<std::shared_ptr<const Driver>> Driver::load(const std::string &path) {
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = ::dlerror();
    return Status::notFound("no CUDA driver: " +
                            std::string(reason ? reason : path));
  }
  auto driver = std::make_shared<Driver>();
  // The version is checked first: an old driver also lacks functions.
  TILEWRIGHT_RETURN_IF_ERROR(
      findSymbol(library, path, Need::required, driver->cuDriverGetVersion));
  TILEWRIGHT_RETURN_IF_ERROR(
      driver->status(driver->cuDriverGetVersion(&driver->version)));
  if (driver->version < oldestVersion)
    return Status::unsupported(
        format("the CUDA driver is for CUDA {}, Tilewright needs one for CUDA "
               "{} or newer: update the NVIDIA driver",
               {printDriverVersion(driver->version),
                printDriverVersion(oldestVersion)}));
#define DRIVER_SYMBOL(NAME, NEED, ...)                                         \
  TILEWRIGHT_RETURN_IF_ERROR(                                                  \
      findSymbol(library, path, Need::NEED, driver->NAME));
#include "runtime/cuda/DriverSymbols.inc"
#undef DRIVER_SYMBOL
  TILEWRIGHT_RETURN_IF_ERROR(driver->status(driver->cuInit(0)));
  return std::shared_ptr<const Driver>(std::move(driver));
}

} // namespace tilewright::runtime::cuda
