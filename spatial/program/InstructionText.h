// Lines of a schedule as text.
#ifndef TILEWRIGHT_SPATIAL_PROGRAM_INSTRUCTIONTEXT_H
#define TILEWRIGHT_SPATIAL_PROGRAM_INSTRUCTIONTEXT_H

#include "spatial/program/Schedule.h"
#include <optional>
#include <unordered_map>

namespace tilewright::spatial {

/// The opcode's word; of ALU operations, "alu", which is no word of the text.
[[nodiscard]] std::string_view opcodeName(Opcode opcode);

/// No cycle, row, index or other number of a line or placement is greater, or
/// less than its negative, in any repetition. So sums and products of a few of
/// them fit an int64_t.
inline constexpr int64_t mostLineNumber = int64_t(1) << 40;
/// The same of what is stored in 32 bits: all but cycles and steps in time.
inline constexpr int64_t mostLineIndex = INT32_MAX;
/// Of a schedule, repetitions counted.
inline constexpr int64_t mostInstructions = int64_t(1) << 31;

/// The indices of values and maps by name. Refers to the names of a schedule,
/// whose values and maps stay as they are.
class NameTable {
public:
  explicit NameTable(const Schedule &schedule);

  [[nodiscard]] std::optional<uint32_t> value(std::string_view name) const;
  [[nodiscard]] std::optional<uint32_t> map(std::string_view name) const;

private:
  using Indices = std::unordered_map<std::string_view, uint32_t>;
  static std::optional<uint32_t> find(const Indices &indices,
                                      std::string_view name);
  Indices values, maps;
};

/// Reads the lines of `text` and checks each. Machine, values and maps of
/// `schedule` are known. Errors begin with "FILE:LINE: ".
TILEWRIGHT_PRIVATE_API StatusOr<std::vector<Instruction>>
parseInstructions(const Schedule &schedule, std::string_view text,
                  std::string_view file);

/// Reads one line, without its end and comment. The error has no location.
Status parseInstruction(const Schedule &schedule, const NameTable &names,
                        std::string_view line, Instruction &instruction);

/// Checks what can be said of a line alone: that the vectors that it names
/// exist in all repetitions, that types and counts of streams fit.
Status checkInstruction(const Schedule &schedule,
                        const Instruction &instruction);

/// "u2.b0".
std::optional<Queue> parseQueue(std::string_view text);
void appendQueue(const Queue &queue, std::string &out);

/// Appends what printInstruction returns.
void appendInstruction(const Schedule &schedule, const Instruction &instruction,
                       std::string &out);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_PROGRAM_INSTRUCTIONTEXT_H
