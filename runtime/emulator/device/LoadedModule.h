// A file of PTX in the memory of the emulator.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_DEVICE_LOADEDMODULE_H
#define TILEWRIGHT_RUNTIME_EMULATOR_DEVICE_LOADEDMODULE_H

#include "runtime/emulator/machine/GlobalMemory.h"
#include "runtime/emulator/program/Decode.h"
#include "tilewright/support/Export.h"
#include <map>
#include <mutex>

namespace tilewright::emulator {

/// PTX whose variables have addresses and values. Safe from many threads.
class TILEWRIGHT_PRIVATE_API LoadedModule {
public:
  /// Reads `text` and puts its variables into `memory`. Errors: "LINE:COLUMN:
  /// ..."; an external variable; no memory.
  static StatusOr<std::shared_ptr<LoadedModule>> load(GlobalMemory &memory,
                                                      std::string_view text);

  /// A kernel, decoded at the first call. Errors as decode()'s.
  StatusOr<std::shared_ptr<const Program>> program(std::string_view entry);
  [[nodiscard]] const ptx::Module &source() const { return *module; }

private:
  Status place(GlobalMemory &memory);
  Status initialize();

  std::shared_ptr<const ptx::Module> module;
  /// Of each variable of the module in global or constant memory.
  std::vector<std::shared_ptr<Allocation>> allocations;
  std::vector<uint64_t> addresses;
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const Program>, std::less<>> programs;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_DEVICE_LOADEDMODULE_H
