//===- Report.h - Messages, exit codes and shared options -------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_REPORT_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_REPORT_H

#include "runtime/abi/Status.h"
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::tool {

constexpr int exitGood = 0, exitInput = 1, exitUsage = 2, exitFault = 3,
              exitFinding = 4;

/// Prints "error: ..." and gives the exit code that fits.
int fail(const Status &status);

/// Reads "NAME=2x3x45x61" options. Errors quote the text.
StatusOr<std::map<std::string, std::vector<int64_t>>>
parseShapes(const std::vector<std::string> &texts);

/// Splits "NAME=VALUE".
StatusOr<std::pair<std::string, std::string>>
parseAssignment(const std::string &text, const char *option);

/// Prints compilation progress on a terminal, nothing elsewhere.
std::function<void(size_t, size_t)> terminalProgress();

/// `text` as a file name: characters outside [A-Za-z0-9_.-] become '_'.
std::string fileName(const std::string &text);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_REPORT_H
