#include "spatial/program/InstructionText.h"
#include "support/Format.h"

namespace tilewright::spatial {

/// Without the comment and blanks at both ends.
static std::string_view stripped(std::string_view line) {
  line = line.substr(0, line.find(';'));
  constexpr std::string_view blanks = " \t\r";
  size_t first = line.find_first_not_of(blanks);
  if (first == std::string_view::npos)
    return {};
  return line.substr(first, line.find_last_not_of(blanks) + 1 - first);
}

StatusOr<std::vector<Instruction>> parseInstructions(const Schedule &schedule,
                                                     std::string_view text,
                                                     std::string_view file) {
  NameTable names(schedule);
  std::vector<Instruction> instructions;
  int64_t issued = 0;
  uint32_t number = 0;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = stripped(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.empty())
      continue;
    Instruction &instruction = instructions.emplace_back();
    instruction.line = number;
    Status status = parseInstruction(schedule, names, line, instruction);
    if (status.ok() && (issued += instruction.count) > mostInstructions)
      status = Status::invalidInput("expected at most 2^31 instructions in "
                                    "all, repetitions counted");
    if (!status.ok())
      return status.prefixed(format("{}:{}", {file, number}));
  }
  return instructions;
}

} // namespace tilewright::spatial
