//===- Diagnostics.cpp - Diagnostics of one compilation -------------------===//
#include "library/compiler/Diagnostics.h"

#include <algorithm>
#include <charconv>

namespace tilewright {

std::string_view codeOf(StatusCode status) {
  switch (status) {
  case StatusCode::unsupported:
    return "unsupported";
  case StatusCode::resourceExhausted:
    return "resources";
  case StatusCode::cancelled:
    return "cancelled";
  case StatusCode::ioError:
    return "io";
  case StatusCode::invalidInput:
  case StatusCode::notFound:
    return "invalid_ir";
  default:
    return "internal";
  }
}

/// Strips "FILE:LINE:COLUMN: ", or a part of it, from the front of a message.
static SourceRange takeLocation(std::string &message, const std::string &file) {
  SourceRange where;
  if (file.empty() || !message.starts_with(file + ":"))
    return where;
  where.file = file;
  size_t at = file.size() + 1;
  for (uint32_t *number : {&where.line, &where.column}) {
    size_t end = message.find_first_not_of("0123456789", at);
    if (end == at || end == std::string::npos || message[end] != ':')
      break;
    std::from_chars(message.data() + at, message.data() + end, *number);
    at = end + 1;
  }
  message.erase(0, message.find_first_not_of(' ', at));
  return where;
}

/// A message whose further lines are notes.
static Diagnostic fromText(const std::string &text, const std::string &file) {
  Diagnostic diagnostic;
  Diagnostic *line = &diagnostic;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string part = text.substr(at, end - at);
    part.erase(0, part.find_first_not_of(' '));
    line->where = takeLocation(part, file);
    line->message = part;
    at = end + 1;
    if (at < text.size()) {
      line = &diagnostic.notes.emplace_back();
      line->severity = Severity::note;
    }
  }
  return diagnostic;
}

static void complete(Diagnostic &diagnostic, std::string_view code,
                     const TileModule &module) {
  if (diagnostic.where.file.empty())
    diagnostic.where.file = module.name;
  if (diagnostic.code.empty() && diagnostic.severity != Severity::note)
    diagnostic.code = code;
  for (Diagnostic &note : diagnostic.notes)
    complete(note, code, module);
}

static std::string printAll(const std::vector<Diagnostic> &diagnostics) {
  std::string text;
  for (const Diagnostic &diagnostic : diagnostics)
    text += (text.empty() ? "" : "\n") + printDiagnostic(diagnostic);
  return text;
}

static bool isError(const Diagnostic &diagnostic) {
  return diagnostic.severity == Severity::error;
}

Status conclude(const Status &failure, std::string_view code,
                const TileModule &module,
                std::vector<Diagnostic> &diagnostics) {
  if (std::ranges::none_of(diagnostics, isError))
    diagnostics.push_back(fromText(failure.message(), module.name));
  for (Diagnostic &diagnostic : diagnostics)
    complete(diagnostic, code, module);
  return {failure.code(), printAll(diagnostics)};
}

const char *codeOf(Stop::Reason reason) {
  switch (reason) {
  case Stop::Reason::time:
    return "budget_time";
  case Stop::Reason::memory:
    return "budget_memory";
  case Stop::Reason::llvmIr:
    return "budget_llvm_ir";
  case Stop::Reason::cancelled:
    break;
  }
  return "cancelled";
}

Status concludeStop(const Stop &stop, const std::string &kernel,
                    const TileModule &module,
                    std::vector<Diagnostic> &diagnostics) {
  std::erase_if(diagnostics, isError);
  Diagnostic diagnostic;
  diagnostic.code = codeOf(stop.reason);
  diagnostic.message = describe(stop, kernel);
  diagnostics.push_back(diagnostic);
  StatusCode code = stop.reason == Stop::Reason::cancelled
                        ? StatusCode::cancelled
                        : StatusCode::resourceExhausted;
  return conclude({code, diagnostic.message}, diagnostic.code, module,
                  diagnostics);
}

} // namespace tilewright
