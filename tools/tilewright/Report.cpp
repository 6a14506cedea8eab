//===- Report.cpp - Messages, exit codes and shared options ---------------===//
#include "tools/tilewright/Report.h"

#include <cctype>
#include <charconv>
#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace tilewright::tool {

int fail(const Status &status) {
  std::cerr << "error: " << status.message() << "\n";
  return status.code() == StatusCode::internal ? exitFault : exitInput;
}

StatusOr<std::pair<std::string, std::string>>
parseAssignment(const std::string &text, const char *option) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return Status::invalidInput(std::string(option) + " '" + text +
                                "': expected NAME=VALUE");
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

StatusOr<std::map<std::string, std::vector<int64_t>>>
parseShapes(const std::vector<std::string> &texts) {
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const std::string &text : texts) {
    TILEWRIGHT_ASSIGN_OR_RETURN(auto assignment,
                                parseAssignment(text, "--input-shape"));
    const std::string &sizes = assignment.second;
    const char *at = sizes.data(), *end = at + sizes.size();
    std::vector<int64_t> &shape = shapes[assignment.first];
    while (true) {
      int64_t size = 0;
      auto [next, error] = std::from_chars(at, end, size);
      if (error != std::errc() || size < 0 || (next != end && *next != 'x'))
        return Status::invalidInput("--input-shape '" + text +
                                    "': expected sizes like 2x3x45x61");
      shape.push_back(size);
      if (next == end)
        break;
      at = next + 1;
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

std::string fileName(const std::string &text) {
  std::string name;
  for (char c : text) {
    bool isKept = std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
                  c == '.' || c == '-';
    name += isKept ? c : '_';
  }
  return name;
}

} // namespace tilewright::tool
