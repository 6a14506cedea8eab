// The workspaces of the kernels that a stream launches.
#ifndef TILEWRIGHT_RUNTIME_CORE_WORKSPACEPOOL_H
#define TILEWRIGHT_RUNTIME_CORE_WORKSPACEPOOL_H

#include "tilewright/runtime/Device.h"
#include <map>

namespace tilewright::runtime {

/// Memory of one stream, used by its thread. Launches of a stream run one after
/// the other, so those of a kernel share one workspace.
class WorkspacePool {
public:
  /// The address of at least `bytes` bytes for the next launch of `kernel`, on
  /// `stream`, which first zeroes them if the kernel asks for that.
  StatusOr<uint64_t> provide(Stream &stream, const Kernel &kernel,
                             int64_t bytes);

private:
  struct Workspace {
    std::shared_ptr<Buffer> memory;
    /// What is copied to set `memory` to zero before each launch.
    std::shared_ptr<Buffer> zeros;
  };
  Status grow(Workspace &workspace, Stream &stream, const Kernel &kernel,
              size_t bytes);

  /// By the kernel's identity.
  std::map<std::weak_ptr<const void>, Workspace, std::owner_less<>> all;
  /// What became too small: work that is enqueued may still use it.
  std::vector<std::shared_ptr<Buffer>> outgrown;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_WORKSPACEPOOL_H
