//===- RunReport.h - What a run shows and writes ----------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_RUNREPORT_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_RUNREPORT_H

#include "tools/tilewright/DeviceRun.h"
#include <nlohmann/json.hpp>

namespace tilewright::tool {

[[nodiscard]] nlohmann::ordered_json toJson(const DeviceRun &run);
/// To the standard output; of the counters a summary, if asked for.
void print(const DeviceRun &run, bool countersToo);

/// Writes the outputs into `directory`, which is made.
Status writeOutputs(DeviceRun &run, const std::filesystem::path &directory);
/// Writes the reports of what was executed. Where one kernel is chosen, only
/// its counters are kept.
Status writeCounters(DeviceRun &run, const RunArguments &arguments);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_RUNREPORT_H
