//===- ScheduleText.h - Schedules as `name=value` ---------------*- C++ -*-===//
//
// The parameters of all kinds of schedules are reserved in each, so a text
// alone shows its kind. A tunable with such a name is written "tunable.rows=4".
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_SCHEDULE_SCHEDULETEXT_H
#define TILEWRIGHT_CODEGEN_SCHEDULE_SCHEDULETEXT_H

#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::schedule {

/// What schedules are for.
enum class Kind { gpu, cpu };

/// The name of a value of `instruction`: "auto", "fma", then those of matrix
/// instructions; empty beyond them.
std::string_view instructionName(int64_t value);

/// A parameter that every schedule of a kind has.
struct ScheduleParameter {
  std::string_view name;
  Kind kind;
  int64_t least, greatest;
  /// Whether only powers of two are legal.
  bool isPowerOfTwo;
  /// The names of values, which are then written by them; null: numbers.
  std::string_view (*nameOf)(int64_t value) = nullptr;
};

/// The parameters of all kinds. For a CPU, 0 lets the compiler choose.
inline constexpr ScheduleParameter scheduleParameters[] = {
    {"warps", Kind::gpu, 1, 32, false},
    {"vector_bits", Kind::gpu, 8, 256, true},
    {"min_blocks", Kind::gpu, 0, 32, false},
    {"max_registers", Kind::gpu, 0, 255, false},
    {"persistent", Kind::gpu, 0, 32, false},
    {"group", Kind::gpu, 0, 1024, false},
    {"instruction", Kind::gpu, 0, 1 << 10, false, instructionName},
    {"stages", Kind::gpu, 0, 8, false},
    {"rows", Kind::cpu, 0, 64, false},
    {"vectors", Kind::cpu, 0, 64, false},
    {"unroll", Kind::cpu, 0, 64, false},
    {"packlhs", Kind::cpu, 0, 2, false},
    {"packrhs", Kind::cpu, 0, 2, false},
    {"order", Kind::cpu, 0, 2, false},
    {"chunk", Kind::cpu, 0, 1 << 30, false},
    {"threads", Kind::cpu, 0, 4096, false},
};

/// Old names of parameters (of the last release), each with the present one:
/// texts are still read by them, and written by the present ones.
inline constexpr std::pair<std::string_view, std::string_view>
    oldParameterNames[] = {{"access", "vector_bits"}};

/// One `name=value`.
struct SchedulePart {
  /// Null for a tunable.
  const ScheduleParameter *parameter;
  std::string name;
  int64_t value;
};

/// Reads a whole text; values of parameters are in their ranges. Errors name
/// the parameter, what was expected and what was found.
StatusOr<std::vector<SchedulePart>> readSchedule(std::string_view text);

/// The same for schedules of one kind only.
StatusOr<std::vector<SchedulePart>> readSchedule(std::string_view text,
                                                 Kind kind);

/// The member of S that stores the value of a parameter.
template <class S> struct ParameterMember {
  std::string_view name;
  unsigned S::*value;
};

/// Reads a schedule of one kind into its `members`.
template <class S, size_t count>
StatusOr<S> parseSchedule(std::string_view text, Kind kind,
                          const ParameterMember<S> (&members)[count]) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<SchedulePart> parts,
                              readSchedule(text, kind));
  S schedule;
  for (const SchedulePart &part : parts)
    if (part.parameter)
      schedule.*std::ranges::find(members, part.parameter->name,
                                  &ParameterMember<S>::name)
                    ->value = unsigned(part.value);
    else
      schedule.tunables[part.name] = part.value;
  return schedule;
}

/// What of a text for several kinds is for one: its parameters, and the
/// tunables.
TILEWRIGHT_PRIVATE_API StatusOr<std::string> scheduleOf(std::string_view text,
                                                        Kind kind);

/// Appends `name=value`, or its form for a tunable.
void appendPart(std::string &text, std::string_view name, int64_t value);
void appendTunables(std::string &text,
                    const std::map<std::string, int64_t> &tunables);

} // namespace tilewright::schedule

#endif // TILEWRIGHT_CODEGEN_SCHEDULE_SCHEDULETEXT_H
