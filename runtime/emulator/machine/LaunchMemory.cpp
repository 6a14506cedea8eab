#include "runtime/emulator/machine/LaunchMemory.h"
#include <cstdlib>

namespace tilewright::emulator {

void LaunchMemoryRelease::operator()(std::byte *memory) const {
  std::free(memory);
  used->fetch_sub(bytes);
}

LaunchMemory allocate(std::atomic<uint64_t> &used, uint64_t limit,
                      uint64_t bytes) {
  void *memory = nullptr;
  if (used.fetch_add(bytes) + bytes <= limit)
    memory = std::calloc(bytes, 1);
  if (!memory)
    used.fetch_sub(bytes);
  return {static_cast<std::byte *>(memory), LaunchMemoryRelease{&used, bytes}};
}

} // namespace tilewright::emulator
