//===- Report.cpp - Messages, exit codes and shared options ---------------===//
#include "tools/tilewright/Report.h"
#include "support/Format.h"
#include "tools/tilewright/Usage.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <unistd.h>

namespace tilewright::tool {

/// Whether `text` is FILE, FILE:LINE or FILE:LINE:COLUMN.
static bool isLocation(std::string text) {
  for (int numbers = 0; numbers < 2; ++numbers)
    if (size_t colon = text.rfind(':');
        colon != std::string::npos && colon + 1 < text.size() &&
        text.find_first_not_of("0123456789", colon + 1) == std::string::npos)
      text.resize(colon);
  std::error_code ignored;
  if (text.empty() || text.front() == '-')
    return false;
  return std::filesystem::exists(text, ignored) ||
         (text.find_first_of(" '\"`(") == std::string::npos &&
          text.find_first_of("./") != std::string::npos);
}

/// Whether it is FILE:LINE:COLUMN.
static bool isLine(const std::string &text) {
  const size_t column = text.rfind(':');
  const bool hasNumber =
      column != std::string::npos && column + 1 < text.size() &&
      text.find_first_not_of("0123456789", column + 1) == std::string::npos;
  return hasNumber && isLocation(text);
}

std::string errorText(const std::string &message) {
  // A compiler's diagnostics have their own severity.
  const std::string line = message.substr(0, message.find('\n'));
  if (line.starts_with("error: ") ||
      line.find(": error: ") != std::string::npos)
    return message;
  for (size_t end = line.find(": "); end != std::string::npos;
       end = line.find(": ", end + 1))
    if (isLocation(line.substr(0, end)))
      return format("{}: error: {}",
                    {message.substr(0, end), message.substr(end + 2)});
  // "kernel 'k': k.mlir:5:3: ..."
  size_t start = line.find(": ");
  while (start != std::string::npos) {
    start += 2;
    const size_t end = line.find(": ", start);
    if (end != std::string::npos && isLine(line.substr(start, end - start)))
      return format("{}: error: {}{}",
                    {line.substr(start, end - start), message.substr(0, start),
                     message.substr(end + 2)});
    start = end;
  }
  return "error: " + message;
}

void warn(const std::vector<Diagnostic> &warnings) {
  for (const Diagnostic &warning : warnings)
    std::cerr << "warning: " << printable(warning.message) << "\n";
}

int fail(const Status &status) {
  std::cerr << printable(errorText(status.message())) << "\n";
  switch (status.code()) {
  case StatusCode::internal:
    return exitFault;
  case StatusCode::cancelled:
    return exitStopped;
  default:
    return exitInput;
  }
}

static std::pair<std::string, std::string>
parseAssignment(const std::string &text, const char *option) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw UsageError(
        format("{}: expected NAME=VALUE, found '{}'", {option, text}));
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

std::map<std::string, std::string>
parseAssignments(const std::vector<std::string> &texts, const char *option) {
  std::map<std::string, std::string> all;
  for (const std::string &text : texts) {
    auto assignment = parseAssignment(text, option);
    if (!all.insert(assignment).second)
      throw UsageError(
          format("{}: '{}' is given twice", {option, assignment.first}));
  }
  return all;
}

/// A size of a shape; -1 for "?" and for names, which begin with no digit.
static std::optional<int64_t> readSize(const std::string &text) {
  auto isName = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  };
  if (text == "?")
    return -1;
  int64_t size = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), size);
  if (error == std::errc() && end == text.data() + text.size() && size >= 0)
    return size;
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) ||
      !std::all_of(text.begin(), text.end(), isName))
    return std::nullopt;
  return -1;
}

StatusOr<std::map<std::string, std::vector<int64_t>>>
parseShapes(const std::vector<std::string> &texts, OpenSizes open,
            const char *option) {
  const bool mayBeOpen = open == OpenSizes::Allowed;
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const auto &[name, sizes] : parseAssignments(texts, option)) {
    std::istringstream parts(sizes + "x");
    for (std::string part; std::getline(parts, part, 'x');) {
      std::optional<int64_t> size = readSize(part);
      if (!size || (*size < 0 && !mayBeOpen))
        throw UsageError(
            format("{} {}: expected sizes like 2x3x45x61{}, found '{}'",
                   {option, name,
                    mayBeOpen ? ", with ? or a name without an x for a size "
                                "that stays open"
                              : "",
                    sizes}));
      shapes[name].push_back(*size);
    }
  }
  return shapes;
}

std::function<void(size_t, size_t)> terminalProgress() {
  if (!isatty(STDERR_FILENO))
    return {};
  return [](size_t done, size_t total) {
    std::fprintf(stderr, "\r  compile    %zu of %zu%s", done, total,
                 done == total ? "\r\033[K" : "");
    std::fflush(stderr);
  };
}

Status writeReport(const std::filesystem::path &path, const std::string &text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    return Status::ioError(
        format("{}: cannot be written: {}",
               {path.string(), std::strerror(errno ? errno : EIO)}));
  return {};
}

std::string fileName(const std::string &text) {
  std::string name;
  for (char c : text) {
    bool isKept = std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
                  c == '.' || c == '-';
    name += isKept ? c : '_';
  }
  return name;
}

Status checkFileNames(std::span<const std::string> outputs) {
  std::map<std::string, const std::string *> files;
  for (const std::string &output : outputs) {
    auto [file, isNew] = files.emplace(fileName(output), &output);
    if (!isNew)
      return Status::invalidInput(
          format("outputs '{}' and '{}' would both be written to {}.npy; "
                 "rename one, or leave --output-dir out",
                 {*file->second, output, file->first}));
  }
  return {};
}

std::string printable(std::string_view text) {
  std::string shown;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F, of two bytes in UTF-8.
    const bool isLong =
        c == 0xC2 && i + 1 < text.size() && (text[i + 1] & 0xE0) == 0x80;
    const bool isControl = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
    if (isControl || isLong)
      shown +=
          format("\\x{:02x}",
                 {unsigned(static_cast<unsigned char>(text[i += isLong]))});
    else
      shown += text[i];
  }
  return shown;
}

void printObject(const nlohmann::ordered_json &object) {
  std::cout << object.dump(2, ' ', false,
                           nlohmann::ordered_json::error_handler_t::replace)
            << "\n";
}

runtime::PrintSink kernelPrints(bool json) {
  return [to = json ? stderr : stdout](std::string_view line) {
    std::fprintf(to, "%.*s\n", int(line.size()), line.data());
  };
}

} // namespace tilewright::tool
