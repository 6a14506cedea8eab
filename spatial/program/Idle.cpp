#include "spatial/program/Idle.h"
#include "spatial/program/History.h"
#include "spatial/program/Use.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::spatial {

std::string_view idleReasonName(IdleReason reason) {
  constexpr std::array<std::string_view, idleReasons> names = {
      "dependence", "unit", "bank", "stream", "none", "end"};
  return names[static_cast<size_t>(reason)];
}

namespace {
/// What a queue issues, in the order of cycles.
struct Work {
  QueueIdle idle;
  std::vector<IssueAt> issues;
};

/// An issue of a chain.
struct Member {
  Issue issue = 0;
  Work *work = nullptr;
  int64_t cycle = 0, busy = 0;
  bool isBank = false;
  /// Of the work's issues: the first one that begins when this one would end,
  /// or later.
  size_t after = 0;
};

/// Instructions that hand vectors to each other with no stop in memory, in a
/// buffer or an accumulator: none can be earlier than it is without the others.
struct Chain {
  std::vector<Member> members;
  /// By how many cycles it can be earlier at most for want of what it takes;
  /// of a buffer; of rows.
  int64_t dependence = INT64_MAX, buffer = INT64_MAX, row = INT64_MAX;
};

class IdleCount {
public:
  IdleCount(const Schedule &schedule, const Flows &flows)
      : schedule(schedule), machine(schedule.machine), flows(flows),
        history(schedule, flows), chainOf(flows.issues(), 0) {}

  StatusOr<std::vector<QueueIdle>> run();

private:
  void addWork();
  Chain chainFrom(Issue first);
  void join(Issue issue, Chain &chain);
  void joinNeighbours(Issue issue, Chain &chain);
  [[nodiscard]] int64_t busyOf(Issue issue) const {
    return busyCycles(machine, flows.line(issue));
  }
  [[nodiscard]] int64_t idleBefore(const Member &member) const;
  [[nodiscard]] bool isForeign(Issue issue) const {
    return issue != noIssue && chainOf[issue] != chains;
  }
  bool isTaken(Member &member, int64_t earlier) const;
  [[nodiscard]] bool meetsStreams(const Member &member, int64_t earlier) const;
  IdleReason reason(Chain &chain, int64_t earlier) const;
  void count(Chain &chain);

  const Schedule &schedule;
  const Machine &machine;
  const Flows &flows;
  History history;
  std::map<Queue, Work> work;
  /// By issue: the number of its chain, from 1. The last one is `chains`.
  std::vector<uint32_t> chainOf;
  uint32_t chains = 0;
  /// Looks at instructions of a chain in a cycle, so far.
  int64_t steps = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

void IdleCount::addWork() {
  flows.visitLines([&](const Instruction &line, Issue first) {
    Work &of = work[line.queue];
    of.idle.queue = line.queue;
    for (int64_t i = 0; i < line.count; ++i)
      of.issues.push_back({static_cast<int32_t>(line.cycle + i * line.step),
                           first + static_cast<Issue>(i)});
  });
  for (auto &[queue, of] : work)
    std::ranges::sort(of.issues, {}, &IssueAt::cycle);
}

/// Idle cycles of the issue's queue right before it.
int64_t IdleCount::idleBefore(const Member &member) const {
  const std::vector<IssueAt> &issues = member.work->issues;
  auto at = std::ranges::lower_bound(issues, member.cycle, {}, &IssueAt::cycle);
  if (at->issue != member.issue)
    return 0; // Another one in the same cycle.
  if (at == issues.begin())
    return member.cycle;
  const IssueAt &before = *std::prev(at);
  return std::max<int64_t>(0,
                           member.cycle - before.cycle - busyOf(before.issue));
}

/// Whether another chain has the issue's queue then. `earlier` does not
/// decrease from call to call.
bool IdleCount::isTaken(Member &member, int64_t earlier) const {
  const std::vector<IssueAt> &issues = member.work->issues;
  const int64_t begin = member.cycle - earlier, end = begin + member.busy;
  while (member.after > 0 && issues[member.after - 1].cycle >= end)
    --member.after;
  for (size_t i = member.after; i > 0; --i) {
    const IssueAt &at = issues[i - 1];
    if (at.cycle + busyOf(at.issue) <= begin)
      return false;
    if (isForeign(at.issue))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

void IdleCount::join(Issue issue, Chain &chain) {
  if (issue == noIssue || chainOf[issue] != 0)
    return;
  chainOf[issue] = chains;
  const int64_t cycle = flows.cycleOf(issue), busy = busyOf(issue);
  const Queue &queue = flows.line(issue).queue;
  Work &of = work.at(queue);
  auto after =
      std::ranges::lower_bound(of.issues, cycle + busy, {}, &IssueAt::cycle);
  chain.members.push_back({issue, &of, cycle, busy,
                           queue.kind == QueueKind::bank,
                           static_cast<size_t>(after - of.issues.begin())});
  auto limit = [&](int64_t &most, int64_t first) {
    most = std::min(most, std::max<int64_t>(0, cycle - first));
  };
  limit(chain.dependence, history.ready(issue));
  limit(chain.buffer, history.bufferFree(issue));
  limit(chain.row, history.rowFree(issue));
}

void IdleCount::joinNeighbours(Issue issue, Chain &chain) {
  const int64_t cycle = flows.cycleOf(issue);
  for (const Flows::End &end : flows.ends(issue)) {
    if (end.isPut)
      flows.visitTakers(end.wire, end.position, cycle + end.offset,
                        [&](Issue taker, int64_t) { join(taker, chain); });
    else
      join(flows.putter(end.wire, end.position, cycle + end.offset), chain);
  }
}

Chain IdleCount::chainFrom(Issue first) {
  Chain chain;
  ++chains;
  join(first, chain);
  for (size_t i = 0; i < chain.members.size(); ++i)
    joinNeighbours(chain.members[i].issue, chain);
  return chain;
}

//===----------------------------------------------------------------------===//
// Reasons
//===----------------------------------------------------------------------===//

/// Whether what the issue puts would meet something else on its way.
bool IdleCount::meetsStreams(const Member &member, int64_t earlier) const {
  const int64_t cycle = member.cycle;
  for (const Flows::End &end : flows.ends(member.issue)) {
    if (!end.isPut)
      continue;
    int64_t last = end.position;
    flows.visitTakers(
        end.wire, end.position, cycle + end.offset,
        [&](Issue, int64_t position) { last = std::max(last, position); });
    if (flows.meets(end.wire, end.position, cycle + end.offset - earlier, last,
                    [&](Issue other) { return isForeign(other); }))
      return true;
  }
  return false;
}

/// Of a number of cycles up to the dependence and the buffer.
IdleReason IdleCount::reason(Chain &chain, int64_t earlier) const {
  bool isBank = earlier > chain.row;
  for (Member &member : chain.members)
    if (isTaken(member, earlier)) {
      if (!member.isBank)
        return IdleReason::unit;
      isBank = true;
    }
  if (isBank)
    return IdleReason::bank;
  for (const Member &member : chain.members)
    if (meetsStreams(member, earlier))
      return IdleReason::stream;
  return IdleReason::none;
}

/// Counts the idle cycles before each of the chain's instructions.
void IdleCount::count(Chain &chain) {
  std::vector<int64_t> idle;
  int64_t most = 0;
  for (const Member &member : chain.members) {
    idle.push_back(idleBefore(member));
    most = std::max(most, idle.back());
  }
  // From so many cycles on it is the same for all.
  const int64_t known =
      std::min(most, std::min(chain.dependence, chain.buffer));
  std::vector<IdleReason> reasons;
  for (int64_t earlier = 1; earlier <= known; ++earlier)
    reasons.push_back(reason(chain, earlier));
  steps += known * static_cast<int64_t>(chain.members.size());
  for (size_t i = 0; i < idle.size(); ++i) {
    std::array<int64_t, idleReasons> &cycles =
        chain.members[i].work->idle.cycles;
    const int64_t near = std::min(known, idle[i]);
    for (int64_t earlier = 0; earlier < near; ++earlier)
      ++cycles[static_cast<size_t>(reasons[static_cast<size_t>(earlier)])];
    // Beyond `known`: of a buffer, up to where a dependence is.
    const int64_t buffer = std::clamp(chain.dependence, near, idle[i]);
    cycles[static_cast<size_t>(IdleReason::unit)] += buffer - near;
    cycles[static_cast<size_t>(IdleReason::dependence)] += idle[i] - buffer;
  }
}

StatusOr<std::vector<QueueIdle>> IdleCount::run() {
  constexpr int64_t mostSteps = int64_t(1) << 34;
  addWork();
  for (Issue issue = 0; issue < flows.issues(); ++issue)
    if (chainOf[issue] == 0) {
      Chain chain = chainFrom(issue);
      count(chain);
      if (steps > mostSteps)
        return Status::resourceExhausted(
            "too many instructions depend on each other to say why they wait");
    }
  std::vector<QueueIdle> list;
  for (auto &[queue, of] : work) {
    const IssueAt &last = of.issues.back();
    of.idle.cycles[static_cast<size_t>(IdleReason::end)] =
        std::max<int64_t>(0, schedule.cycles - last.cycle - busyOf(last.issue));
    list.push_back(of.idle);
  }
  return list;
}

StatusOr<std::vector<QueueIdle>> idleUse(const Schedule &schedule,
                                         size_t chip) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Flows flows, Flows::of(schedule, chip));
  return IdleCount(schedule, flows).run();
}

} // namespace tilewright::spatial
