//===- ScheduleText.h - Schedules as `key=value` ----------------*- C++ -*-===//
//
// The keys of all kinds of schedules are reserved in each: a text says by
// itself what it is for. A tunable of such a name is written "tunable.rows=4".
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_SCHEDULE_SCHEDULETEXT_H
#define TILEWRIGHT_CODEGEN_SCHEDULE_SCHEDULETEXT_H

#include "tilewright/support/Status.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::schedule {

/// What schedules are for.
enum class Kind { gpu, cpu };

/// A key that every schedule of a kind has.
struct ScheduleKey {
  std::string_view name;
  Kind kind;
  int64_t least, greatest;
  /// Whether only powers of two are legal.
  bool isPowerOfTwo;
};

/// The keys of all kinds. 0 leaves a choice for a CPU to the compiler.
inline constexpr ScheduleKey scheduleKeys[] = {
    {"warps", Kind::gpu, 1, 32, true},
    {"access", Kind::gpu, 8, 128, true},
    {"rows", Kind::cpu, 0, 64, false},
    {"vectors", Kind::cpu, 0, 64, false},
    {"unroll", Kind::cpu, 0, 64, false},
    {"packlhs", Kind::cpu, 0, 2, false},
    {"packrhs", Kind::cpu, 0, 2, false},
    {"order", Kind::cpu, 0, 2, false},
    {"chunk", Kind::cpu, 0, 1 << 30, false},
    {"threads", Kind::cpu, 0, 4096, false},
};

/// One `key=value`.
struct SchedulePart {
  /// Null for a tunable.
  const ScheduleKey *key;
  std::string name;
  int64_t value;
};

/// Reads a whole text; values of keys are in their ranges. Errors name the key,
/// what was expected and what was found.
StatusOr<std::vector<SchedulePart>> readSchedule(std::string_view text);

/// The same for schedules of one kind only.
StatusOr<std::vector<SchedulePart>> readSchedule(std::string_view text,
                                                 Kind kind);

/// Where a schedule of type S keeps the value of a key.
template <class S> struct KeyMember {
  std::string_view name;
  unsigned S::*value;
};

/// Reads a schedule of one kind, whose keys are kept in `members`.
template <class S, size_t count>
StatusOr<S> parseSchedule(std::string_view text, Kind kind,
                          const KeyMember<S> (&members)[count]) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<SchedulePart> parts,
                              readSchedule(text, kind));
  S schedule;
  for (const SchedulePart &part : parts)
    if (part.key)
      schedule.*std::ranges::find(members, part.key->name, &KeyMember<S>::name)
                    ->value = unsigned(part.value);
    else
      schedule.tunables[part.name] = part.value;
  return schedule;
}

/// What of a text for several kinds is for one: its keys, and the tunables.
StatusOr<std::string> scheduleOf(std::string_view text, Kind kind);

/// Appends `name=value`, or its form for a tunable.
void appendPart(std::string &text, std::string_view name, int64_t value);
void appendTunables(std::string &text,
                    const std::map<std::string, int64_t> &tunables);

} // namespace tilewright::schedule

#endif // TILEWRIGHT_CODEGEN_SCHEDULE_SCHEDULETEXT_H
