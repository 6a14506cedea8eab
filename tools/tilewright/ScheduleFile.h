//===- ScheduleFile.h - Schedules, X.tws, on the command line ---*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_SCHEDULEFILE_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_SCHEDULEFILE_H

#include "tools/tilewright/RunModel.h"
#include <CLI/CLI.hpp>
#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace tilewright::tool {

/// Whether this is a schedule, by its name or its manifest.
[[nodiscard]] bool isScheduleFile(const std::filesystem::path &path);

/// Throws where `command` has an option, or a second file, that a schedule has
/// no use for.
void requireScheduleOptions(const CLI::App &command,
                            std::initializer_list<std::string_view> options);

/// Simulates the schedule and prints what came of it. Returns the exit code, as
/// the others do: exitFinding where the machine cannot run it.
int runSchedule(const CLI::App &command, const RunArguments &arguments);

/// Judges it without data. `timeLimit` is in seconds; 0: none.
int verifySchedule(const std::filesystem::path &path, bool json,
                   double timeLimit);

/// What `inspect` shows.
struct ScheduleInspection {
  std::filesystem::path path;
  bool memory = false, units = false, json = false;
};
int inspectSchedule(const ScheduleInspection &inspection);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_SCHEDULEFILE_H
