//===- SessionThreads.cpp - The threads of passes -------------------------===//
#include "library/model/session/SessionThreads.h"

#include "support/Threads.h"
#include "llvm/ADT/STLExtras.h"

namespace tilewright {

SessionThreads::SessionThreads()
    : most(std::max(1u, std::thread::hardware_concurrency())) {}

SessionThreads::~SessionThreads() {
  wait();
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
}

void SessionThreads::startThreadIfNeeded() {
  if (isRefused || threads.size() >= most || idle >= queue.size())
    return;
  StatusOr<std::jthread> started = startThread([this] { work(); });
  isRefused = !started.ok();
  if (started.ok())
    threads.push_back(*std::move(started));
}

void SessionThreads::asyncEnqueue(llvm::unique_function<void()> work,
                                  Group group) {
  {
    std::lock_guard lock(mutex);
    queue.push_back({std::move(work), group});
    ++open[nullptr];
    if (group)
      ++open[group];
    startThreadIfNeeded();
  }
  changed.notify_all();
}

bool SessionThreads::runOne(Group group, std::unique_lock<std::mutex> &lock) {
  auto found = llvm::find_if(
      queue, [&](const Task &task) { return !group || task.group == group; });
  if (found == queue.end())
    return false;
  Task task = std::move(*found);
  queue.erase(found);
  lock.unlock();
  task.work();
  task.work = nullptr; // Its captures are destroyed before it counts as done.
  lock.lock();
  const auto done = [&](Group each) {
    if (--open[each] == 0)
      open.erase(each);
  };
  done(nullptr);
  if (task.group)
    done(task.group);
  changed.notify_all();
  return true;
}

void SessionThreads::work() {
  std::unique_lock lock(mutex);
  while (true) {
    if (runOne(nullptr, lock))
      continue;
    if (isEnding)
      return;
    ++idle;
    changed.wait(lock, [&] { return isEnding || !queue.empty(); });
    --idle;
  }
}

void SessionThreads::finish(Group group) {
  std::unique_lock lock(mutex);
  while (open.count(group))
    if (!runOne(group, lock))
      changed.wait(lock);
}

void SessionThreads::wait() { finish(nullptr); }

void SessionThreads::wait(llvm::ThreadPoolTaskGroup &group) { finish(&group); }

} // namespace tilewright
