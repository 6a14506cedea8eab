//===- Findings.cpp - Diagnostics of one compilation ----------------------===//
#include "library/compiler/Findings.h"

#include <algorithm>

namespace tilewright {

std::string_view codeOf(StatusCode status) {
  switch (status) {
  case StatusCode::unsupported:
    return "unsupported";
  case StatusCode::resourceExhausted:
    return "resources";
  case StatusCode::cancelled:
    return "cancelled";
  case StatusCode::invalidInput:
  case StatusCode::notFound:
    return "invalid_ir";
  default:
    return "internal";
  }
}

/// A message whose further lines are notes.
static Diagnostic fromText(const std::string &text) {
  Diagnostic finding;
  Diagnostic *line = &finding;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string part = text.substr(at, end - at);
    part.erase(0, part.find_first_not_of(' '));
    line->message = part;
    at = end + 1;
    if (at < text.size()) {
      line = &finding.notes.emplace_back();
      line->severity = Severity::note;
    }
  }
  return finding;
}

static void complete(Diagnostic &finding, std::string_view code,
                     const TileModule &module) {
  if (finding.where.file.empty())
    finding.where.file = module.name;
  if (finding.code.empty() && finding.severity != Severity::note)
    finding.code = code;
  for (Diagnostic &note : finding.notes)
    complete(note, code, module);
}

static std::string printAll(const std::vector<Diagnostic> &findings) {
  std::string text;
  for (const Diagnostic &finding : findings)
    text += (text.empty() ? "" : "\n") + printDiagnostic(finding);
  return text;
}

static bool isError(const Diagnostic &finding) {
  return finding.severity == Severity::error;
}

Status conclude(const Status &failure, std::string_view code,
                const TileModule &module, std::vector<Diagnostic> &findings) {
  if (std::ranges::none_of(findings, isError))
    findings.push_back(fromText(failure.message()));
  for (Diagnostic &finding : findings)
    complete(finding, code, module);
  return {failure.code(), printAll(findings)};
}

static const char *codeOf(Stop::Reason reason) {
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
                    std::vector<Diagnostic> &findings) {
  std::erase_if(findings, isError);
  Diagnostic finding;
  finding.code = codeOf(stop.reason);
  finding.message = describe(stop, kernel);
  findings.push_back(finding);
  StatusCode code = stop.reason == Stop::Reason::cancelled
                        ? StatusCode::cancelled
                        : StatusCode::resourceExhausted;
  return conclude({code, finding.message}, finding.code, module, findings);
}

} // namespace tilewright
