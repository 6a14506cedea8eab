#include "tilewright/runtime/CounterSource.h"

namespace tilewright::runtime {

CounterSource::~CounterSource() = default;

std::optional<uint64_t> LaunchCounters::find(std::string_view name) const {
  for (const Counter &counter : counters)
    if (counter.name == name)
      return counter.value;
  return std::nullopt;
}

CounterSource *counterSource(Device &device) {
  return dynamic_cast<CounterSource *>(&device);
}

} // namespace tilewright::runtime
