#include "runtime/cuda/HostWork.h"

namespace tilewright::runtime::cuda {

void HostWork::add(std::function<void()> function, bool always) {
  std::lock_guard lock(mutex);
  entries.push_back({std::move(function), always});
}

void HostWork::retract() {
  std::lock_guard lock(mutex);
  entries.pop_back();
}

bool HostWork::callOne(std::unique_lock<std::mutex> &lock, bool isLost) {
  if (entries.empty())
    return false;
  Entry entry = std::move(entries.front());
  entries.pop_front();
  running = true;
  lock.unlock();
  if (entry.always || !isLost)
    entry.function();
  entry.function = nullptr; // Its captures are destroyed before the work is
                            // done.
  lock.lock();
  running = false;
  changed.notify_all();
  return true;
}

void HostWork::callFirst(void *work) {
  auto *self = static_cast<HostWork *>(work);
  std::unique_lock lock(self->mutex);
  self->callOne(lock, false);
}

void HostWork::callRest() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return !running; });
  while (callOne(lock, true)) {
  }
}

} // namespace tilewright::runtime::cuda
