// Which kernels a stream launched.
#ifndef TILEWRIGHT_RUNTIME_CUDA_LAUNCHLOG_H
#define TILEWRIGHT_RUNTIME_CUDA_LAUNCHLOG_H

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright::runtime::cuda {

/// The names of the kernels that a stream launched since its work was last
/// known to be done, for messages. Safe from many threads.
class LaunchLog {
public:
  using Name = std::shared_ptr<const std::string>;
  void add(Name name);
  void clear();
  /// Appends the latest names, the newest last; returns how many launches
  /// there were in all.
  size_t collect(std::vector<Name> &names) const;

private:
  mutable std::mutex mutex;
  std::array<Name, 8> latest;
  size_t count = 0;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_LAUNCHLOG_H
