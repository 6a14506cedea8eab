// Findings of devices that check kernels.
#ifndef TILEWRIGHT_RUNTIME_FINDINGSOURCE_H
#define TILEWRIGHT_RUNTIME_FINDINGSOURCE_H

#include "tilewright/runtime/Device.h"
#include "tilewright/support/Diagnostic.h"
#include "tilewright/support/Export.h"
#include <array>
#include <vector>

namespace tilewright::runtime {

/// The first error of a kernel, which ended its launch.
struct Finding {
  /// The kernel's name in the manifest.
  std::string kernel;
  /// Like "out-of-bounds", as in reports.
  std::string code;
  /// One line of text.
  std::string message;
  /// The location in the compiled source; without a file if unknown.
  SourceRange source;
  /// The location in the code that ran, and its function; line 0 if the code is
  /// not text.
  uint32_t line = 0, column = 0;
  std::string function;
  /// The block, warp and lane, on a GPU.
  std::array<uint32_t, 3> block = {0, 0, 0};
  uint32_t warp = 0, lane = 0;
  /// The memory address; 0 if no memory is involved.
  uint64_t address = 0;
};

/// An interface of devices that check. Safe from many threads.
class TILEWRIGHT_API FindingSource {
public:
  virtual ~FindingSource();
  /// Returns the findings of all launches that ended since the last call, in
  /// the order in which they ended; a device may keep only the first few. The
  /// stream of such a launch fails with the same message.
  [[nodiscard]] virtual std::vector<Finding> takeFindings() = 0;
};

/// The findings of `device`, which live as long as it; null if it does not
/// check.
[[nodiscard]] TILEWRIGHT_API FindingSource *findingSource(Device &device);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_FINDINGSOURCE_H
