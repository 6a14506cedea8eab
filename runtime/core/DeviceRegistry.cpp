#include "tilewright/runtime/DeviceRegistry.h"
#include "runtime/core/DeviceLibrary.h"
#include "support/Format.h"
#include <charconv>
#include <set>

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
  std::set<std::string> all;
  for (const auto &[kind, factory] : factories)
    all.insert(kind);
  if (this == &builtin())
    for (const DeviceLibrary &library : deviceLibraries())
      if (library.isThere())
        all.insert(library.kind);
  return {all.begin(), all.end()};
}

DeviceFactory DeviceRegistry::find(std::string_view kind) const {
  std::lock_guard lock(mutex);
  auto found = factories.find(kind);
  return found == factories.end() ? DeviceFactory() : found->second;
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
      return Status::invalidInput(
          format("device '{}': expected a number after ':'", {name}));
  }
  if (DeviceFactory factory = find(kind))
    return factory(ordinal, options);
  if (this == &builtin())
    for (const DeviceLibrary &library : deviceLibraries())
      if (library.kind == kind) {
        // The device adds itself to this registry.
        TILEWRIGHT_RETURN_IF_ERROR(library.load());
        if (DeviceFactory factory = find(kind))
          return factory(ordinal, options);
      }
  return Status::notFound(
      format("no device '{}'; the devices are {}", {name, joined(kinds())}));
}

} // namespace tilewright::runtime
