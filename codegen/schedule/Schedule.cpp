//===- Schedule.cpp - How a tile kernel is spread over a GPU --------------===//
#include "codegen/schedule/Schedule.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <vector>

namespace tilewright::schedule {

namespace {
/// A key of the text that every schedule has.
struct Key {
  std::string_view name;
  unsigned Schedule::*value;
  unsigned least, greatest; // Powers of two.
};
constexpr Key keys[] = {{"warps", &Schedule::warps, 1, 32},
                        {"access", &Schedule::access, 8, 128}};
} // namespace

std::string Schedule::text() const {
  std::string text;
  auto add = [&](std::string_view name, int64_t value) {
    text += (text.empty() ? "" : " ") + std::string(name) + "=" +
            std::to_string(value);
  };
  for (const Key &key : keys)
    add(key.name, this->*key.value);
  for (const auto &[name, value] : tunables)
    add(name, value);
  return text;
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

/// Reads one `key=value`.
static Status parsePart(std::string_view part, Schedule &schedule) {
  auto refuse = [&](const std::string &expected) {
    return Status::invalidInput("schedule: expected " + expected + ", found '" +
                                std::string(part) + "'");
  };
  size_t equals = part.find('=');
  std::string_view name = part.substr(0, equals);
  if (equals == std::string_view::npos || !isName(name))
    return refuse("key=value");
  std::string_view digits = part.substr(equals + 1);
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size())
    return refuse("an integer after '" + std::string(name) + "='");
  const auto *key = std::ranges::find(keys, name, &Key::name);
  if (key == std::end(keys)) {
    schedule.tunables[std::string(name)] = value;
    return Status();
  }
  if (value < key->least || value > key->greatest ||
      !std::has_single_bit(uint64_t(value)))
    return refuse("'" + std::string(name) + "' to be a power of two from " +
                  std::to_string(key->least) + " to " +
                  std::to_string(key->greatest));
  schedule.*key->value = unsigned(value);
  return Status();
}

StatusOr<Schedule> Schedule::parse(std::string_view text) {
  Schedule schedule;
  std::vector<std::string_view> seen;
  while (true) {
    size_t first = text.find_first_not_of(" \t\n");
    if (first == std::string_view::npos)
      return schedule;
    text.remove_prefix(first);
    std::string_view part = text.substr(0, text.find_first_of(" \t\n"));
    text.remove_prefix(part.size());
    std::string_view name = part.substr(0, part.find('='));
    if (std::ranges::find(seen, name) != seen.end())
      return Status::invalidInput("schedule: expected each key once, found '" +
                                  std::string(name) + "' again");
    seen.push_back(name);
    TILEWRIGHT_RETURN_IF_ERROR(parsePart(part, schedule));
  }
}

ExplainedSchedule defaultSchedule(const KernelWork &work) {
  // What a thread works on at once: enough to hide latency and to use wide
  // accesses, little enough to stay in registers.
  constexpr int64_t bytesOfThread = 64, accumulatorsOfThread = 64;
  int64_t forSums = work.largestDot / accumulatorsOfThread;
  int64_t forBytes = work.largestTile * work.elementBytes / bytesOfThread;
  int64_t warps = std::max(forSums, forBytes) / target::GpuTarget::warpSize;
  ExplainedSchedule result;
  result.schedule.warps =
      unsigned(std::bit_floor(uint64_t(std::clamp<int64_t>(warps, 1, 8))));
  result.reason =
      std::to_string(result.schedule.warps) + " warps for " +
      (forSums > forBytes
           ? "a dot of " + std::to_string(work.largestDot) + " results"
           : "a tile of " +
                 std::to_string(work.largestTile * work.elementBytes) +
                 " bytes") +
      ": about 64 a thread";
  return result;
}

/// 232448 as "232,448".
static std::string grouped(int64_t value) {
  std::string digits = std::to_string(value);
  for (int64_t at = int64_t(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(size_t(at), ",");
  return digits;
}

Status checkResources(const Schedule &schedule, int64_t shared,
                      std::span<const SharedUse> uses,
                      const target::GpuTarget &target) {
  std::string where =
      "schedule does not fit " + std::string(target.name) + ": ";
  if (schedule.threads() > target.blockThreads)
    return Status::resourceExhausted(where + "threads of a block " +
                                     grouped(schedule.threads()) + " of " +
                                     grouped(target.blockThreads));
  if (shared <= target.blockShared())
    return Status();
  std::string message = where + "shared memory " + grouped(shared) + " B of " +
                        grouped(target.blockShared()) + " B";
  std::vector<SharedUse> largest(uses.begin(), uses.end());
  std::ranges::sort(largest, std::ranges::greater(), &SharedUse::bytes);
  largest.resize(std::min<size_t>(largest.size(), 4));
  for (const SharedUse &use : largest)
    message += "\n  " + use.what + " " + grouped(use.bytes) + " B";
  return Status::resourceExhausted(message);
}

} // namespace tilewright::schedule
