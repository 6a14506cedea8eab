// The report as a listing.
#include "runtime/emulator/counters/Lines.h"
#include "runtime/emulator/counters/Metrics.h"
#include "runtime/emulator/counters/Report.h"
#include "support/Format.h"

namespace tilewright::emulator {

/// The columns of the listing.
static constexpr size_t warpsWidth = 13, lanesWidth = 8, memoryWidth = 24;

static std::string heading() {
  return format("{}{}  {}  line\n", {alignedRight("warps", warpsWidth),
                                     alignedRight("lanes", lanesWidth),
                                     alignedLeft("memory", memoryWidth)});
}

/// "1,024 sectors of 512" where the ideal is 512; "96 wavefronts".
static std::string compared(uint64_t found, uint64_t ideal,
                            std::string_view what) {
  std::string text = format("{} {}", {formatCount(found), what});
  return found == ideal ? text : format("{} ({})", {text, formatCount(ideal)});
}

static std::string memoryOf(const Counters &counters) {
  if (counters.globalRequests)
    return compared(counters.sectors, counters.idealSectors, "sectors");
  if (counters.sharedRequests)
    return compared(counters.wavefronts, counters.idealWavefronts, "passes");
  return "";
}

static std::string columns(const Counters &counters) {
  return format(
      "{}{}  {}",
      {alignedRight(formatCount(counters.warps), warpsWidth),
       alignedRight(percent(counters.threads, counters.warps * 32), lanesWidth),
       alignedLeft(memoryOf(counters), memoryWidth)});
}

static std::string blankColumns() {
  return std::string(warpsWidth + lanesWidth + 2 + memoryWidth, ' ');
}

std::string annotatedListing(const KernelCounters &kernel) {
  std::string text =
      "Each line: warps that executed it, their active lanes, "
      "sectors of global memory or passes of shared\n"
      "memory (in brackets the ideal), the line of the PTX.\n\n" +
      heading();
  std::vector<LineCounters> lines = byLine(kernel);
  auto next = lines.begin();
  uint32_t number = 0;
  for (std::string_view line : textLines(kernel)) {
    ++number;
    bool counted = next != lines.end() && next->line == number;
    text += counted ? columns((next++)->counters) : blankColumns();
    text += format("{:>6}  {}\n", {number, line});
  }
  for (const SourceCounters &file : bySourceLine(kernel)) {
    text += "\n" + heading();
    for (const LineCounters &line : file.lines)
      text +=
          format("{}  {}:{}\n", {columns(line.counters), file.path, line.line});
  }
  return text;
}

std::string annotatedListing(std::span<const KernelTotal> kernels) {
  std::string text;
  for (const KernelTotal &kernel : kernels)
    text += format(
        "{}kernel {}, {}\n{}",
        {text.empty() ? "" : "\n", kernel.counters.program->kernel().name,
         launchesText(kernel.launches), annotatedListing(kernel.counters)});
  return text;
}

} // namespace tilewright::emulator
