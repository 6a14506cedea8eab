// The report as JSON.
#include "runtime/abi/Json.h"
#include "runtime/emulator/counters/Lines.h"
#include "runtime/emulator/counters/Report.h"

namespace tilewright::emulator {

using runtime::Json;

/// What is not 0; all, if `whole`.
static Json toJson(const Counters &counters, bool whole) {
  Json object = Json::object();
  for (const NamedCounter &counter : namedCounters())
    if (uint64_t value = counters.*counter.field; value || whole)
      object[std::string(counter.fact.name)] = value;
  Json bytes = Json::object();
  for (size_t path = 0; path < dataPathCount; ++path)
    if (counters.bytes[path] || whole)
      bytes[std::string(dataPathFacts()[path].name)] = counters.bytes[path];
  if (!bytes.empty())
    object["bytes"] = std::move(bytes);
  return object;
}

static Json toJson(std::span<const LineCounters> lines) {
  Json array = Json::array();
  for (const LineCounters &line : lines) {
    Json object = {{"line", line.line}, {"class", className(line.kind)}};
    object.update(toJson(line.counters, false));
    array.push_back(std::move(object));
  }
  return array;
}

static Json occupancyJson(const BlockNeeds &needs) {
  Json array = Json::array();
  for (const Multiprocessor &multiprocessor : multiprocessors()) {
    Occupancy occupancy = occupancyOn(multiprocessor, needs);
    array.push_back({{"target", multiprocessor.target},
                     {"blocks", occupancy.blocks},
                     {"warps", occupancy.warps},
                     {"of_warps", multiprocessor.warps},
                     {"limit", occupancy.limit}});
  }
  return array;
}

static Json kernelJson(const KernelCounters &kernel) {
  ResourceUse use = resourceUse(kernel);
  Json classes = Json::object();
  for (const auto &[kind, counters] : kernel.byClass())
    classes[std::string(className(kind))] = {{"warps", counters.warps},
                                             {"threads", counters.threads}};
  Json object = {
      {"kernel", kernel.program->kernel().name},
      {"target", kernel.program->source->target},
      {"grid", kernel.grid},
      {"block", kernel.block},
      {"cluster", kernel.cluster},
      {"blocks", kernel.blocks},
      {"shared_bytes", kernel.sharedBytes},
      {"totals", toJson(kernel.total(), true)},
      {"classes", std::move(classes)},
      {"registers_estimate", use.registers.registers},
      {"predicates_estimate", use.registers.predicates},
      {"occupancy", occupancyJson(use.needs)},
      {"lines", toJson(byLine(kernel))},
  };
  for (const SourceCounters &file : bySourceLine(kernel))
    object["source_lines"].push_back(
        {{"file", file.path}, {"lines", toJson(file.lines)}});
  return object;
}

std::string statsJson(const KernelCounters &kernel) {
  return runtime::printJson(kernelJson(kernel));
}

std::string statsJson(std::span<const KernelTotal> kernels) {
  Json list = Json::array();
  Counters sums;
  uint64_t launches = 0;
  for (const KernelTotal &kernel : kernels) {
    Json object = kernelJson(kernel.counters);
    object["launches"] = kernel.launches;
    list.push_back(std::move(object));
    sums += kernel.counters.total();
    launches += kernel.launches;
  }
  Json totals = toJson(sums, true);
  totals["launches"] = launches;
  return runtime::printJson(
      {{"kernels", std::move(list)}, {"totals", std::move(totals)}});
}

} // namespace tilewright::emulator
