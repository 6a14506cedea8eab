// The report as one page of text.
#include "runtime/emulator/counters/Metrics.h"
#include "runtime/emulator/counters/Report.h"
#include "support/Format.h"
#include <algorithm>
#include <array>

namespace tilewright::emulator {

ResourceUse resourceUse(const KernelCounters &kernel) {
  ResourceUse use;
  use.registers = estimateRegisters(*kernel.program);
  use.needs.registers = use.registers.registers;
  if (uint32_t most = kernel.program->kernel().bounds.maximumRegisters)
    use.needs.registers = std::min(use.needs.registers, most);
  use.needs.threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
  use.needs.sharedBytes = kernel.sharedBytes;
  return use;
}

static std::string headline(const KernelCounters &kernel) {
  std::string text =
      format("{} for {}: grid {}, block {}",
             {kernel.program->kernel().name, kernel.program->source->target,
              dimensions(kernel.grid), dimensions(kernel.block)});
  if (kernel.cluster != Dim3{1, 1, 1})
    text += ", cluster " + dimensions(kernel.cluster);
  const Dim3 &grid = kernel.grid;
  if (kernel.blocks < uint64_t{grid[0]} * grid[1] * grid[2])
    text += format(", {} of its blocks", {formatCount(kernel.blocks)});
  return format("{}, {} B of shared memory a block\n",
                {text, formatCount(kernel.sharedBytes)});
}

static std::string classLines(const KernelCounters &kernel, uint64_t all) {
  std::string text;
  for (const auto &[kind, counters] : kernel.byClass())
    text += format("  {}  {}  {}{}\n",
                   {alignedRight(formatCount(counters.warps), 15),
                    alignedRight(percent(counters.warps, all), 7),
                    alignedLeft(className(kind), 16), classMeaning(kind)});
  return text;
}

static std::string memoryLines(const Counters &sums) {
  std::string text;
  if (sums.globalRequests)
    text += format("  global memory  {} requests, {} sectors of 32 B, {} of "
                   "their bytes wanted\n",
                   {formatCount(sums.globalRequests), formatCount(sums.sectors),
                    percent(sums.idealSectors, sums.sectors)});
  if (sums.sharedRequests)
    text +=
        format("  shared memory  {} requests, {} wavefronts, {} of them for "
               "bank conflicts\n",
               {formatCount(sums.sharedRequests), formatCount(sums.wavefronts),
                formatCount(sums.wavefronts - sums.idealWavefronts)});
  for (size_t path = 0; path < dataPathCount; ++path)
    if (sums.bytes[path])
      text +=
          format("  {}  {}{}\n", {alignedRight(inBytes(sums.bytes[path]), 15),
                                  alignedLeft(dataPathFacts()[path].name, 18),
                                  dataPathFacts()[path].meaning});
  return text;
}

static std::string resourceLines(const KernelCounters &kernel) {
  ResourceUse use = resourceUse(kernel);
  std::string text =
      format("  registers      about {} a thread and {} predicates (an "
             "estimate; ptxas decides)\n",
             {use.registers.registers, use.registers.predicates});
  for (const Multiprocessor &multiprocessor : multiprocessors()) {
    Occupancy occupancy = occupancyOn(multiprocessor, use.needs);
    text += format("  {}  {} blocks, {} of {} warps ({})\n",
                   {alignedRight(multiprocessor.target, 15), occupancy.blocks,
                    occupancy.warps, multiprocessor.warps, occupancy.limit});
  }
  return text;
}

std::string summaryText(const KernelCounters &kernel) {
  Counters sums = kernel.total();
  std::string text = headline(kernel);
  text +=
      format("  instructions   {} of warps, {} of their lanes active\n",
             {formatCount(sums.warps), percent(sums.threads, sums.warps * 32)});
  text += classLines(kernel, sums.warps);
  text += memoryLines(sums);
  if (sums.barriers)
    text += format("  barriers       {} arrivals of warps\n",
                   {formatCount(sums.barriers)});
  if (sums.tensorOperations)
    text += format(
        "  tensor cores   {} operations of warps, {} multiply-adds\n",
        {formatCount(sums.tensorOperations), formatCount(sums.multiplyAdds)});
  return text + resourceLines(kernel);
}

/// The columns of the table of kernels.
static std::string tableRow(std::string_view name, const std::string &launches,
                            const std::array<std::string, 5> &metrics,
                            size_t nameWidth) {
  static constexpr size_t widths[] = {16, 14, 9, 14, 11};
  std::string text = format(
      "  {}{}", {alignedLeft(name, nameWidth), alignedRight(launches, 10)});
  for (size_t i = 0; i < metrics.size(); ++i)
    text += alignedRight(metrics[i], widths[i]);
  return text + "\n";
}

static std::array<std::string, 5> metricsOf(const Counters &sums) {
  return {formatCount(sums.warps), formatCount(sums.sectors),
          percent(sums.idealSectors, sums.sectors),
          formatCount(sums.wavefronts),
          formatCount(sums.wavefronts - sums.idealWavefronts)};
}

std::string summaryText(std::span<const KernelTotal> kernels) {
  std::vector<const KernelTotal *> sorted;
  for (const KernelTotal &kernel : kernels)
    sorted.push_back(&kernel);
  std::sort(sorted.begin(), sorted.end(),
            [](const KernelTotal *a, const KernelTotal *b) {
              uint64_t x = a->counters.total().warps,
                       y = b->counters.total().warps;
              return x != y ? x > y : a < b;
            });
  size_t width = 8;
  for (const KernelTotal &kernel : kernels)
    width = std::max(width, kernel.counters.program->kernel().name.size());
  std::string text = tableRow(
      "kernel", "launches",
      {"instructions", "sectors", "wanted", "passes", "conflicts"}, width);
  Counters sums;
  uint64_t launches = 0;
  for (const KernelTotal *kernel : sorted) {
    Counters own = kernel->counters.total();
    text += tableRow(kernel->counters.program->kernel().name,
                     formatCount(kernel->launches), metricsOf(own), width);
    sums += own;
    launches += kernel->launches;
  }
  text += tableRow("in sum", formatCount(launches), metricsOf(sums), width);
  if (kernels.size() == 1)
    text += summaryText(kernels.front().counters);
  return text;
}

} // namespace tilewright::emulator
