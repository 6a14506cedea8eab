//===- RunReport.h - What a run shows and writes ----------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_RUNREPORT_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_RUNREPORT_H

#include "runtime/emulator/counters/Report.h"
#include "tools/tilewright/DeviceRun.h"
#include "tools/tilewright/Report.h"
#include <nlohmann/json.hpp>

namespace tilewright::tool {

[[nodiscard]] nlohmann::ordered_json
toJson(const std::vector<ModelOutput> &outputs);
[[nodiscard]] nlohmann::ordered_json toJson(const DeviceRun &run);
/// To the standard output; of the counters a summary, if asked for.
void print(const ModelOutput &output);
void print(const DeviceRun &run, bool countersToo);

/// Writes the outputs into `directory`, which is made.
Status writeOutputs(std::vector<ModelOutput> &outputs,
                    const std::filesystem::path &directory);
/// Writes the reports of `counters`: of one kernel's, or of several totals.
template <class Counters>
Status writeReports(const CounterReports &paths, const Counters &counters) {
  if (!paths.stats.empty())
    TILEWRIGHT_RETURN_IF_ERROR(
        writeReport(paths.stats, emulator::statsJson(counters)));
  if (!paths.annotate.empty())
    TILEWRIGHT_RETURN_IF_ERROR(
        writeReport(paths.annotate, emulator::annotatedListing(counters)));
  if (!paths.html.empty())
    TILEWRIGHT_RETURN_IF_ERROR(
        writeReport(paths.html, emulator::htmlPage(counters)));
  return {};
}
/// Writes the reports of what was executed. Where one kernel is chosen, only
/// its counters are kept.
Status writeCounters(DeviceRun &run, const RunArguments &arguments);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_RUNREPORT_H
