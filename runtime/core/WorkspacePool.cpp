#include "runtime/core/WorkspacePool.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::runtime {

/// Memory of zeros.
static StatusOr<std::shared_ptr<Buffer>>
allocateZeros(Stream &stream, const KernelDevice &device, size_t bytes) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> zeros,
                              device.allocate(bytes));
  const std::vector<std::byte> host(bytes);
  TILEWRIGHT_RETURN_IF_ERROR(
      stream.copyToDevice(*zeros, 0, host.data(), bytes));
  // `host` ends here.
  TILEWRIGHT_RETURN_IF_ERROR(stream.synchronize());
  return zeros;
}

Status WorkspacePool::grow(Workspace &workspace, Stream &stream,
                           const Kernel &kernel, size_t bytes) {
  using Zeroed = KernelWorkspace::Zeroed;
  const Zeroed zeroed = kernel.manifest().workspace->zeroed;
  if (workspace.memory) {
    // At least twice as much, so that all that was outgrown is no more.
    bytes = std::max(bytes, 2 * workspace.memory->size());
    outgrown.push_back(std::move(workspace.memory));
    outgrown.push_back(std::move(workspace.zeros));
    workspace = {};
  }
  Workspace grown;
  if (zeroed == Zeroed::launch) {
    TILEWRIGHT_ASSIGN_OR_RETURN(grown.zeros,
                                allocateZeros(stream, kernel.device(), bytes));
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      grown.memory, zeroed == Zeroed::once
                        ? allocateZeros(stream, kernel.device(), bytes)
                        : kernel.device().allocate(bytes));
  workspace = std::move(grown);
  return {};
}

StatusOr<uint64_t> WorkspacePool::provide(Stream &stream, const Kernel &kernel,
                                          int64_t bytes) {
  auto where = [&] {
    return format("kernel '{}': workspace", {kernel.manifest().name});
  };
  if (bytes < 0)
    return Status::invalidInput(
        format("{}: expected at least 0 bytes, found {}", {where(), bytes}));
  if (!kernel.device().allocate)
    return Status::unsupported(where() +
                               ": this device has no memory for workspaces");
  auto known = all.find(kernel.identity());
  if (known == all.end()) {
    std::erase_if(all, [](const auto &other) { return other.first.expired(); });
    known = all.try_emplace(kernel.identity()).first;
  }
  Workspace &workspace = known->second;
  if (!workspace.memory || workspace.memory->size() < size_t(bytes)) {
    Status grown = grow(workspace, stream, kernel, size_t(bytes));
    if (!grown.ok())
      return grown.prefixed(where());
  }
  if (workspace.zeros)
    TILEWRIGHT_RETURN_IF_ERROR(
        stream.copy(*workspace.memory, 0, *workspace.zeros, 0, size_t(bytes)));
  return workspace.memory->address();
}

} // namespace tilewright::runtime
