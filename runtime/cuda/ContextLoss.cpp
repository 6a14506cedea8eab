#include "runtime/cuda/ContextLoss.h"
#include "support/Format.h"

namespace tilewright::runtime::cuda {

Status ContextLoss::check(Result result) {
  if (result.ok())
    return {};
  const DriverError *error = findDriverError(result.code);
  if (!error || !error->loses)
    return driver.status(result);
  return lose(result);
}

Status ContextLoss::status() const {
  if (!isLost.load(std::memory_order_acquire))
    return {};
  std::lock_guard lock(mutex);
  return loss;
}

void ContextLoss::watch(const LaunchLog *log) {
  std::lock_guard lock(mutex);
  logs.insert(log);
}

void ContextLoss::unwatch(const LaunchLog *log) {
  std::lock_guard lock(mutex);
  logs.erase(log);
}

std::string ContextLoss::suspects() const {
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

Status ContextLoss::lose(Result result) {
  std::lock_guard lock(mutex);
  if (!loss.ok())
    return loss;
  Status story = driver.status(result);
  std::string rest =
      format("\n  {}\n"
             "  start a new process: this one cannot use the device any more",
             {suspects()});
  loss = Status(story.code(),
                format("{} was lost by {}{}",
                       {device, driver.codeName(result.code), rest}));
  isLost.store(true, std::memory_order_release);
  return {story.code(), story.message() + rest};
}

} // namespace tilewright::runtime::cuda
