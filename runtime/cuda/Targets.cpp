#include "runtime/cuda/Targets.h"
#include "support/Format.h"
#include <charconv>
#include <optional>

namespace tilewright::runtime::cuda {

namespace {
struct Target {
  Capability capability;
  /// Whether its code runs on no other architecture: sm_90a.
  bool exact = false;
};
} // namespace

/// Reads "sm_90a".
static std::optional<Target> parseTarget(std::string_view text) {
  if (!text.starts_with("sm_"))
    return std::nullopt;
  text.remove_prefix(3);
  Target target;
  target.exact = text.ends_with('a');
  if (target.exact)
    text.remove_suffix(1);
  int number = 0;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 10)
    return std::nullopt;
  target.capability = {number / 10, number % 10};
  return target;
}

Status acceptsTarget(Capability device, std::string_view target,
                     ImageKind kind) {
  std::optional<Target> wanted = parseTarget(target);
  if (!wanted)
    return Status::unsupported(format(
        "the kernel is for {}, the device runs kernels for sm_NN", {target}));
  auto [major, minor] = wanted->capability;
  bool isSame = device.major == major && device.minor == minor;
  bool isNewer =
      device.major > major || (device.major == major && device.minor >= minor);
  const char *runsOn = "or newer";
  bool runs = isNewer;
  if (wanted->exact) {
    runsOn = "exactly";
    runs = isSame;
  } else if (kind == ImageKind::cubin) {
    runsOn = "or newer of the same major version (it is a cubin)";
    runs = isNewer && device.major == major;
  }
  if (runs)
    return {};
  return Status::unsupported(
      format("the kernel for {} needs compute capability {}.{} {}, the device "
             "has {}.{}",
             {target, major, minor, runsOn, device.major, device.minor}));
}

std::vector<std::string> targetsOf(Capability device) {
  std::vector<std::string> targets;
#define CUDA_TARGET(NAME)                                                      \
  if (acceptsTarget(device, NAME, ImageKind::ptx).ok())                        \
    targets.push_back(NAME);
#include "runtime/cuda/Targets.inc"
#undef CUDA_TARGET
  return targets;
}

} // namespace tilewright::runtime::cuda
