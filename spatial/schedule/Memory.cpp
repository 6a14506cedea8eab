#include "spatial/schedule/Memory.h"

#include "support/Format.h"
#include <algorithm>
#include <functional>

namespace tilewright::spatial {

/// Ranges of free rows of a bank, before neighbours are joined.
constexpr size_t mostRanges = 32;

Memory::Memory(const Machine &machine, const ScheduleChoices &choices)
    : machine(machine), choices(choices),
      states(machine.units.size() * machine.mem.banks) {
  for (int64_t position : machine.positionsOf(UnitKind::mem))
    for (int64_t bank = 0; bank < machine.mem.banks; ++bank) {
      all.push_back({position, bank});
      state(all.back()).free = {{0, machine.mem.rows, 0}};
    }
}

Memory::Free Memory::best(const State &state, int64_t count,
                          int64_t from) const {
  // Free early enough, and the tightest of those; else the earliest.
  Free chosen;
  for (const Free &rows : state.free) {
    if (rows.count < count)
      continue;
    const bool isEarly = rows.from <= from;
    const bool chosenIsEarly = chosen.count && chosen.from <= from;
    const bool isBetter =
        !chosen.count || (isEarly && !chosenIsEarly) ||
        (isEarly == chosenIsEarly &&
         (isEarly ? rows.count < chosen.count : rows.from < chosen.from));
    if (isBetter)
      chosen = rows;
  }
  return chosen;
}

void Memory::take(State &state, const Free &rows) {
  auto found =
      std::find_if(state.free.begin(), state.free.end(), [&](const Free &free) {
        return free.row <= rows.row &&
               rows.row + rows.count <= free.row + free.count;
      });
  found->row += rows.count;
  found->count -= rows.count;
  if (found->count == 0)
    state.free.erase(found);
}

std::vector<Memory::Candidate> Memory::candidates(const HomeRequest &request,
                                                  int64_t each, int64_t first,
                                                  int64_t last) const {
  first = std::max(first, request.firstPosition);
  last = std::min(last, request.lastPosition);
  std::vector<Candidate> found;
  for (auto at = std::lower_bound(all.begin(), all.end(), Bank{first, 0});
       at != all.end() && at->position <= last; ++at) {
    const Bank &bank = *at;
    if (request.avoid.contains(bank))
      continue;
    Free rows = best(state(bank), each, request.from);
    if (!rows.count || (request.isInitial && rows.from > 0))
      continue;
    int64_t cost = state(bank).load;
    if (request.isWeights)
      cost /= choices.accessesForOneOfWeights;
    else if (state(bank).hasWeights)
      cost += choices.accessesForWeights;
    if (!request.travel.empty())
      cost += request.travel[bank.position] * choices.accessesForTravel;
    if (!request.isInitial)
      cost +=
          state(bank).port.usedIn(request.from, request.from + choices.soon);
    found.push_back({bank, rows, cost});
  }
  std::sort(found.begin(), found.end(),
            [&](const Candidate &a, const Candidate &b) {
              const bool isEarly = a.rows.from <= request.from,
                         otherIsEarly = b.rows.from <= request.from;
              if (isEarly != otherIsEarly)
                return isEarly;
              return a.cost != b.cost ? a.cost < b.cost : a.bank < b.bank;
            });
  return found;
}

std::vector<Memory::Candidate>
Memory::choose(const HomeRequest &request, std::span<const Candidate> found) {
  const auto needed = static_cast<size_t>(request.groups * request.planes);
  if (found.size() < needed)
    return {};
  if (request.sources.empty())
    return {found.begin(), found.begin() + static_cast<std::ptrdiff_t>(needed)};
  // A bipartite matching, by paths that let earlier planes take other banks.
  std::vector<size_t> planeOf(found.size(), needed);
  std::vector<bool> isTried;
  std::function<bool(size_t)> assign = [&](size_t plane) {
    const std::set<int64_t> &sources = request.sources[plane % request.planes];
    for (size_t i = 0; i < found.size(); ++i) {
      if (isTried[i] || sources.contains(found[i].bank.position))
        continue;
      isTried[i] = true;
      if (planeOf[i] == needed || assign(planeOf[i])) {
        planeOf[i] = plane;
        return true;
      }
    }
    return false;
  };
  for (size_t plane = 0; plane < needed; ++plane) {
    isTried.assign(found.size(), false);
    if (!assign(plane))
      return {};
  }
  std::vector<Candidate> chosen(needed);
  for (size_t i = 0; i < found.size(); ++i)
    if (planeOf[i] < needed)
      chosen[planeOf[i]] = found[i];
  return chosen;
}

StatusOr<Home> Memory::allocate(const HomeRequest &request) {
  seen += static_cast<int64_t>(all.size());
  Home home;
  home.value = request.value;
  home.groups = request.groups;
  home.planes = request.planes;
  home.isInitial = request.isInitial;
  home.slots.assign(request.total, -1);
  for (size_t i = 0; i < request.vectors.size(); ++i)
    home.slots[request.vectors[i]] = static_cast<int32_t>(i);
  home.ready.assign(request.vectors.size(), 0);
  const auto count = static_cast<int64_t>(request.vectors.size());
  const int64_t each = (count + request.groups - 1) / request.groups;
  const auto needed = static_cast<size_t>(request.groups * request.planes);
  // The section whose best banks are free early and used least.
  std::vector<Candidate> chosen;
  size_t most = 0;
  std::pair<bool, int64_t> chosenCost;
  std::vector<int64_t> ends = request.units;
  std::sort(ends.begin(), ends.end());
  ends.push_back(INT64_MAX);
  int64_t first = 0;
  for (int64_t last : ends) {
    std::vector<Candidate> found = candidates(request, each, first, last);
    first = last + (last < INT64_MAX ? 1 : 0);
    most = std::max(most, found.size());
    found = choose(request, found);
    if (found.empty())
      continue;
    std::pair<bool, int64_t> cost{false, 0};
    for (const Candidate &candidate : found) {
      cost.first |= candidate.rows.from > request.from;
      cost.second += candidate.cost;
    }
    if (chosen.empty() || cost < chosenCost) {
      chosen = std::move(found);
      chosenCost = cost;
    }
  }
  if (chosen.empty() && !isJoined) {
    for (State &bank : states)
      join(bank.free);
    isJoined = true;
    StatusOr<Home> retried = allocate(request);
    isJoined = false;
    return retried;
  }
  if (chosen.empty())
    return Status::resourceExhausted(
        format("{} banks on one side of units, with {} free rows, are needed, "
               "{} have so "
               "many",
               {needed, each, most}));
  for (Candidate &candidate : chosen) {
    candidate.rows.count = each;
    take(state(candidate.bank), candidate.rows);
    state(candidate.bank).load += each;
    state(candidate.bank).hasWeights |= request.isWeights;
    home.banks.push_back(candidate.bank);
    home.rows.push_back(candidate.rows.row);
    home.freeFrom = std::max(home.freeFrom, candidate.rows.from);
  }
  auto [west, east] = std::minmax_element(home.banks.begin(), home.banks.end());
  home.first = west->position;
  home.last = east->position;
  return home;
}

void Memory::release(const Home &home) {
  const auto count = static_cast<int64_t>(home.ready.size());
  const int64_t each = (count + home.groups - 1) / home.groups;
  // What was there before cycle 0, too, is no longer untouched.
  int64_t from = std::max<int64_t>(1, home.lastRead + 1);
  for (int64_t ready : home.ready)
    from = std::max(from, ready);
  for (size_t i = 0; i < home.banks.size(); ++i) {
    std::vector<Free> &free = state(home.banks[i]).free;
    free.push_back({home.rows[i], each, from});
    if (free.size() > mostRanges)
      join(free);
  }
}

void Memory::join(std::vector<Free> &free) {
  // What is free from later on is not kept from being used early.
  std::sort(free.begin(), free.end(),
            [](const Free &a, const Free &b) { return a.row < b.row; });
  std::vector<Free> joined;
  for (const Free &rows : free) {
    if (!joined.empty() && joined.back().from > 0 && rows.from > 0 &&
        joined.back().row + joined.back().count == rows.row) {
      joined.back().count += rows.count;
      joined.back().from = std::max(joined.back().from, rows.from);
    } else {
      joined.push_back(rows);
    }
  }
  free = std::move(joined);
}

} // namespace tilewright::spatial
