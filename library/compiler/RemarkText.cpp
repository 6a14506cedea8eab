//===- RemarkText.cpp - Remarks as JSON lines and as YAML -----------------===//
#include "tilewright/compiler/RemarkText.h"

#include "runtime/abi/Json.h"

namespace tilewright {

using runtime::Json;

static const char *kindName(Remark::Kind kind) {
  switch (kind) {
  case Remark::Kind::applied:
    return "applied";
  case Remark::Kind::missed:
    return "missed";
  case Remark::Kind::analysis:
    return "analysis";
  }
  return "";
}

/// LLVM's names.
static const char *yamlTag(Remark::Kind kind) {
  switch (kind) {
  case Remark::Kind::applied:
    return "!Passed";
  case Remark::Kind::missed:
    return "!Missed";
  case Remark::Kind::analysis:
    return "!Analysis";
  }
  return "";
}

/// On one line; invalid UTF-8 is replaced.
static std::string onOneLine(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string remarksAsJson(std::span<const Remark> remarks) {
  std::string text;
  for (const Remark &remark : remarks) {
    Json arguments = Json::object();
    for (const auto &[name, value] : remark.arguments)
      arguments[name] = value;
    text += onOneLine({{"kind", kindName(remark.kind)},
                       {"pass", remark.pass},
                       {"kernel", remark.kernel},
                       {"code", remark.code},
                       {"file", remark.where.file},
                       {"line", remark.where.line},
                       {"column", remark.where.column},
                       {"message", remark.message},
                       {"arguments", arguments}}) +
            "\n";
  }
  return text;
}

/// A string of JSON is one of YAML.
static std::string quoted(const std::string &text) {
  return onOneLine(Json(text));
}

std::string remarksAsYaml(std::span<const Remark> remarks) {
  std::string text;
  for (const Remark &remark : remarks) {
    text += std::string("--- ") + yamlTag(remark.kind) + "\n";
    text += "Pass:            " + quoted(remark.pass) + "\n";
    text += "Name:            " + quoted(remark.code) + "\n";
    if (remark.where.line)
      text += "DebugLoc:        { File: " + quoted(remark.where.file) +
              ", Line: " + std::to_string(remark.where.line) +
              ", Column: " + std::to_string(remark.where.column) + " }\n";
    text += "Function:        " + quoted(remark.kernel) + "\nArgs:\n";
    text += "  - String:          " + quoted(remark.message) + "\n";
    for (const auto &[name, value] : remark.arguments)
      text += "  - " + name + ": " + quoted(value) + "\n";
    text += "...\n";
  }
  return text;
}

} // namespace tilewright
