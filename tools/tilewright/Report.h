//===- Report.h - Messages, exit codes and shared options -------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_REPORT_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_REPORT_H

#include "tilewright/runtime/KernelPrints.h"
#include "tilewright/support/Diagnostic.h"
#include "tilewright/support/Status.h"
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::tool {

constexpr int exitGood = 0, exitInput = 1, exitUsage = 2, exitFault = 3,
              exitFinding = 4, exitStopped = 130;

/// A message in the common format of errors: "FILE:LINE:COLUMN: error: ..."
/// where it begins with a location in a file, else "error: ...".
std::string errorText(const std::string &message);

/// Prints it, and returns the matching exit code.
int fail(const Status &status);

/// Prints the message of each, as "warning: ...".
void warn(const std::vector<Diagnostic> &warnings);

/// Parses the "NAME=VALUE" of one option. A malformed one, and a repeated name,
/// are wrong usage.
std::map<std::string, std::string>
parseAssignments(const std::vector<std::string> &texts, const char *option);

/// Whether a shape may have sizes that stay open: "?", or a name.
enum class OpenSizes { Allowed, Rejected };

/// Reads the "NAME=2x3x45x61" of one option; as above. Open sizes are -1.
StatusOr<std::map<std::string, std::vector<int64_t>>>
parseShapes(const std::vector<std::string> &texts, OpenSizes open,
            const char *option = "--input-shape");

/// Writes all of a text file; an error has its name.
Status writeReport(const std::filesystem::path &path, const std::string &text);

/// Prints compilation progress on a terminal, nothing elsewhere.
std::function<void(size_t, size_t)> terminalProgress();

/// `text` as a file name: characters outside [A-Za-z0-9_.-] become '_'.
std::string fileName(const std::string &text);

/// Checks that outputs of these names have a file each.
Status checkFileNames(std::span<const std::string> outputs);

/// `text`, which may be from a file, for a terminal: control characters besides
/// line ends and tabs are written as \x1b.
std::string printable(std::string_view text);

/// Prints what --json promises. Bytes that are no UTF-8, as in names of files,
/// are replaced.
void printObject(const nlohmann::ordered_json &object);

/// Prints the output of kernels, line by line: on standard error where --json
/// uses the standard output for its one object.
runtime::PrintSink kernelPrints(bool json);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_REPORT_H
