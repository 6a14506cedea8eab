#include "runtime/core/DeviceRegistry.h"
#include "support/Format.h"
#include <charconv>

namespace tilewright::runtime {

DeviceRegistry &DeviceRegistry::builtin() {
  static DeviceRegistry registry;
  return registry;
}

void DeviceRegistry::add(std::string kind, DeviceFactory factory) {
  std::lock_guard lock(mutex);
  factories[std::move(kind)] = std::move(factory);
}

std::vector<std::string> DeviceRegistry::kinds() const {
  std::lock_guard lock(mutex);
  std::vector<std::string> result;
  for (const auto &[kind, factory] : factories)
    result.push_back(kind);
  return result;
}

StatusOr<std::shared_ptr<Device>>
DeviceRegistry::open(std::string_view name, const DeviceOptions &options) {
  size_t colon = name.find(':');
  std::string_view kind = name.substr(0, colon);
  unsigned ordinal = 0;
  if (colon != std::string_view::npos) {
    const char *end = name.data() + name.size();
    auto [stop, error] = std::from_chars(name.data() + colon + 1, end, ordinal);
    if (error != std::errc() || stop != end)
      return Status::invalidInput("device '" + std::string(name) +
                                  "': expected a number after ':'");
  }
  DeviceFactory factory;
  {
    std::lock_guard lock(mutex);
    auto found = factories.find(kind);
    if (found != factories.end())
      factory = found->second;
  }
  if (factory)
    return factory(ordinal, options);
  return Status::notFound("no device '" + std::string(name) +
                          "'; the devices are " + joined(kinds()));
}

} // namespace tilewright::runtime
