// Counters as text: all that `tilewright run K.ptx` can report of a launch.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_REPORT_H
#define TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_REPORT_H

#include "runtime/emulator/counters/Counters.h"
#include "runtime/emulator/counters/Occupancy.h"
#include "runtime/emulator/counters/Registers.h"
#include "tilewright/support/Export.h"

namespace tilewright::emulator {

/// What a launch takes of a multiprocessor.
struct ResourceUse {
  RegisterEstimate registers;
  /// The estimate, or what the kernel's .maxnreg allows.
  BlockNeeds needs;
};
[[nodiscard]] ResourceUse resourceUse(const KernelCounters &kernel);

/// One page for a terminal: instructions by class, memory, tensor cores,
/// registers and occupancy. Ends with a newline.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
summaryText(const KernelCounters &kernel);

/// All counters as JSON: totals, by class, by line, by source line. The text is
/// deterministic.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
statsJson(const KernelCounters &kernel);

/// The PTX, each line with its cost; then, with `.loc` directives, the lines of
/// the source.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
annotatedListing(const KernelCounters &kernel);

/// A self-contained page of HTML, light or dark as the reader's system: totals,
/// and the PTX with the heat of its lines.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
htmlPage(const KernelCounters &kernel);

// The same of several kernels, each and in sum: those of a model.

/// A line for each kernel, the one with the most instructions first, and their
/// sum; for a single kernel its page too.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
summaryText(std::span<const KernelTotal> kernels);
/// {"kernels": [..], "totals": {..}}; each kernel as above, with its launches.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
statsJson(std::span<const KernelTotal> kernels);
/// One listing after the other.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
annotatedListing(std::span<const KernelTotal> kernels);
/// One page, with a table of the kernels.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
htmlPage(std::span<const KernelTotal> kernels);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_REPORT_H
