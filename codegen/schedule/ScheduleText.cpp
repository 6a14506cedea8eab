//===- ScheduleText.cpp - `name=value`, as all schedules are written ------===//
#include "codegen/schedule/ScheduleText.h"
#include "codegen/target/MatrixInstruction.h"

#include <algorithm>
#include <bit>
#include <charconv>

namespace tilewright::schedule {

static constexpr std::string_view tunablePrefix = "tunable.";

/// The parameter of that name, or that had it in the last release.
static const ScheduleParameter *findParameter(std::string_view name) {
  for (auto [old, present] : oldParameterNames)
    if (name == old)
      name = present;
  const auto *parameter =
      std::ranges::find(scheduleParameters, name, &ScheduleParameter::name);
  return parameter == std::end(scheduleParameters) ? nullptr : parameter;
}

static bool isName(std::string_view text) {
  auto isLetter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && isLetter(text[0]) &&
         std::ranges::all_of(text,
                             [&](char c) { return isLetter(c) || isDigit(c); });
}

static Status reject(const std::string &expected, std::string_view found) {
  return Status::invalidInput("schedule: expected " + expected + ", found '" +
                              std::string(found) + "'");
}

std::string_view instructionName(int64_t value) {
  const auto instructions = target::matrixInstructions();
  if (value < 2)
    return value == 0 ? "auto" : "fma";
  const auto index = size_t(value - 2);
  return index < instructions.size() ? instructions[index].name : "";
}

/// Reads a value that has a name.
static StatusOr<int64_t> readName(const ScheduleParameter &parameter,
                                  std::string_view name,
                                  std::string_view part) {
  std::string names;
  for (int64_t value = 0; !parameter.nameOf(value).empty(); ++value) {
    if (parameter.nameOf(value) == name)
      return value;
    names += (value ? ", " : "") + std::string(parameter.nameOf(value));
  }
  return reject("'" + std::string(parameter.name) + "' to be one of " + names,
                part);
}

/// Reads one `name=value`.
static StatusOr<SchedulePart> readPart(std::string_view part) {
  size_t equals = part.find('=');
  std::string_view name = part.substr(0, equals);
  bool isTunable = name.starts_with(tunablePrefix);
  if (isTunable)
    name.remove_prefix(tunablePrefix.size());
  if (equals == std::string_view::npos || !isName(name))
    return reject("name=value", part);
  std::string_view digits = part.substr(equals + 1);
  const ScheduleParameter *parameter =
      isTunable ? nullptr : findParameter(name);
  if (parameter && parameter->nameOf) {
    TILEWRIGHT_ASSIGN_OR_RETURN(int64_t named,
                                readName(*parameter, digits, part));
    return SchedulePart{parameter, std::string(parameter->name), named};
  }
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size())
    return reject("an integer after '" + std::string(name) + "='", part);
  if (parameter &&
      (value < parameter->least || value > parameter->greatest ||
       (parameter->isPowerOfTwo && !std::has_single_bit(uint64_t(value)))))
    return reject("'" + std::string(name) + "' to be " +
                      (parameter->isPowerOfTwo ? "a power of two " : "") +
                      "from " + std::to_string(parameter->least) + " to " +
                      std::to_string(parameter->greatest),
                  part);
  return SchedulePart{parameter,
                      std::string(parameter ? parameter->name : name), value};
}

StatusOr<std::vector<SchedulePart>> readSchedule(std::string_view text) {
  std::vector<SchedulePart> parts;
  std::vector<std::string_view> seen;
  while (true) {
    size_t first = text.find_first_not_of(" \t\n");
    if (first == std::string_view::npos)
      return parts;
    text.remove_prefix(first);
    std::string_view word = text.substr(0, text.find_first_of(" \t\n"));
    text.remove_prefix(word.size());
    std::string_view name = word.substr(0, word.find('='));
    // "tunable.BM" is another way to write "BM", "tunable.rows" is not "rows".
    if (name.starts_with(tunablePrefix) &&
        !findParameter(name.substr(tunablePrefix.size())))
      name.remove_prefix(tunablePrefix.size());
    if (const ScheduleParameter *parameter = findParameter(name))
      name = parameter->name;
    if (std::ranges::find(seen, name) != seen.end())
      return Status::invalidInput(
          "schedule: expected each parameter once, found '" +
          std::string(name) + "' again");
    seen.push_back(name);
    TILEWRIGHT_ASSIGN_OR_RETURN(SchedulePart part, readPart(word));
    parts.push_back(std::move(part));
  }
}

StatusOr<std::vector<SchedulePart>> readSchedule(std::string_view text,
                                                 Kind kind) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<SchedulePart> parts,
                              readSchedule(text));
  std::string names;
  for (const ScheduleParameter &parameter : scheduleParameters)
    if (parameter.kind == kind)
      names += std::string(parameter.name) + ", ";
  for (const SchedulePart &part : parts)
    if (part.parameter && part.parameter->kind != kind)
      return Status::invalidInput(
          std::string("schedule: '") + part.name + "' is a parameter for " +
          (kind == Kind::gpu ? "CPUs; for GPUs" : "GPUs; for CPUs") +
          " there are " + names +
          "and the kernel's tunables, of which one of "
          "this name is written '" +
          std::string(tunablePrefix) + part.name + "'");
  return parts;
}

StatusOr<std::string> scheduleOf(std::string_view text, Kind kind) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<SchedulePart> parts,
                              readSchedule(text));
  std::string own;
  for (const SchedulePart &part : parts)
    if (!part.parameter)
      appendTunables(own, {{part.name, part.value}});
    else if (part.parameter->kind == kind)
      appendPart(own, part.name, part.value);
  return own;
}

void appendPart(std::string &text, std::string_view name, int64_t value) {
  const ScheduleParameter *parameter = findParameter(name);
  text +=
      (text.empty() ? "" : " ") + std::string(name) + "=" +
      (parameter && parameter->nameOf ? std::string(parameter->nameOf(value))
                                      : std::to_string(value));
}

void appendTunables(std::string &text,
                    const std::map<std::string, int64_t> &tunables) {
  for (const auto &[name, value] : tunables)
    appendPart(text,
               (findParameter(name) ? std::string(tunablePrefix) : "") + name,
               value);
}

} // namespace tilewright::schedule
