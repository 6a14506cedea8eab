// Devices that check what kernels do, where others can only fail.
#ifndef TILEWRIGHT_RUNTIME_FINDINGSOURCE_H
#define TILEWRIGHT_RUNTIME_FINDINGSOURCE_H

#include "tilewright/runtime/Device.h"
#include "tilewright/support/Diagnostic.h"
#include "tilewright/support/Export.h"
#include <array>
#include <vector>

namespace tilewright::runtime {

/// What a kernel did wrong: the first thing, which ended its launch.
struct Finding {
  /// As in the manifest.
  std::string kernel;
  /// "out-of-bounds", as in reports.
  std::string code;
  /// One line.
  std::string message;
  /// Where in what was compiled; no file if that is not known.
  SourceRange source;
  /// Where in the code that ran, with its function; line 0 where the code has
  /// no text.
  uint32_t line = 0, column = 0;
  std::string function;
  /// Who did it, on a GPU.
  std::array<uint32_t, 3> block = {0, 0, 0};
  uint32_t warp = 0, lane = 0;
  /// Of memory; 0 where it has to do with none.
  uint64_t address = 0;
};

/// What a device that checks is besides a Device. Safe from many threads.
class TILEWRIGHT_API FindingSource {
public:
  virtual ~FindingSource();
  /// What launches did wrong that have ended since the last call, in the order
  /// in which they did; a device may keep the first few only. The stream of
  /// each has failed with the same message.
  [[nodiscard]] virtual std::vector<Finding> takeFindings() = 0;
};

/// Where `device` tells what kernels did wrong, alive as long as it; null where
/// it does not check.
[[nodiscard]] TILEWRIGHT_API FindingSource *findingSource(Device &device);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_FINDINGSOURCE_H
