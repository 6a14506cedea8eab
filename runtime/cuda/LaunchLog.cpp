#include "runtime/cuda/LaunchLog.h"

#include <algorithm>

namespace tilewright::runtime::cuda {

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

} // namespace tilewright::runtime::cuda
