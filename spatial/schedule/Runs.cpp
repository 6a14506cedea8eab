//===- Runs.cpp - Which instances repeat at a steady pace -----------------===//
#include "spatial/schedule/Scheduler.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright::spatial {

StatusOr<Home *> Scheduler::copy(ArrayRef<Ref> refs, HomeRequest request,
                                 ArrayRef<int64_t> takers) {
  llvm::SetVector<int32_t> distinct;
  for (const Ref &ref : refs)
    distinct.insert(ref.index);
  request.value = refs.front().value;
  request.vectors.assign(distinct.begin(), distinct.end());
  request.total = program.values[request.value].vectors;
  request.planes = planesOf(request.value);
  request.units = unitsOf(request.value);
  request.travel = travelOf(request.value, -1);
  request.sources.resize(request.planes);
  for (const Ref &ref : refs)
    for (int64_t plane = 0; plane < request.planes; ++plane)
      request.sources[plane].insert(
          homeOf(ref)->bankOf(ref.index, plane).position);
  StatusOr<Home *> made = makeHome(request);
  if (!made.ok()) {
    request.units.assign(takers.begin(), takers.end());
    made = makeHome(request);
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(Home * target, made);
  // By home and group they come from, and group they go to.
  std::vector<std::pair<std::tuple<Home *, int64_t, int64_t>, std::vector<Ref>>>
      parts;
  for (int32_t vector : request.vectors) {
    Home *from = homeOf({request.value, vector});
    const std::tuple<Home *, int64_t, int64_t> key{from, from->groupOf(vector),
                                                   target->groupOf(vector)};
    auto part = llvm::find_if(
        parts, [&](const auto &other) { return other.first == key; });
    if (part == parts.end()) {
      parts.push_back({key, {}});
      part = parts.end() - 1;
    }
    part->second.push_back({request.value, vector});
  }
  for (const auto &[key, part] : parts)
    for (int64_t plane = 0; plane < target->planes; ++plane) {
      Leg leg;
      leg.kind = Leg::Access::write;
      leg.bank = target->bankOf(part.front().index, plane);
      leg.plane = plane;
      leg.home = target;
      leg.refs = part;
      leg.access = {0, static_cast<int64_t>(part.size()), 1, 1};
      Pattern pattern;
      pattern.position = leg.bank.position;
      table.addReads(pattern, *std::get<0>(key), part, leg.bank.position, 0, 1,
                     plane);
      Queue queue{leg.bank.position, QueueKind::bank, leg.bank.number};
      pattern.issues = {{{{queue, &table.memory.port(leg.bank)}}, leg.access}};
      pattern.earliest = target->freeFrom;
      TILEWRIGHT_ASSIGN_OR_RETURN(Placed placed, table.fit(pattern));
      table.emitWrites(leg, placed.begin, placed.streams.front());
    }
  return target;
}

/// Adds the banks of a vector's planes.
template <typename Banks>
static void addBanks(Banks &banks, const Home &home, const Ref &ref) {
  for (int64_t plane = 0; plane < home.planes; ++plane)
    banks.push_back(home.bankOf(ref.index, plane));
}

Status Scheduler::addOperand(Run &run, BanksInUse &used, ArrayRef<Ref> refs,
                             int64_t position, bool mayTakeTurns) {
  const Ref &ref = refs.front();
  auto add = [&](Home *home, int64_t turn) -> Status {
    run.homes.push_back(home);
    run.groups.push_back(home->groupOf(ref.index));
    run.turns.push_back(turn);
    if (turn == 0)
      addBanks(used.read, *home, ref);
    else
      addBanks(used.turns[turn - 1], *home, ref);
    return {};
  };
  SmallVector<Bank, 16> all = used.written;
  llvm::append_range(all, used.read);
  if (Home *home = homeOf(ref, all, position))
    return add(home, 0);
  std::vector<Ref> needed;
  const Home *from = homeOf(ref);
  for (const Ref &other : refs)
    if (other.value == ref.value && homeOf(other) == from)
      needed.push_back(other);
  HomeRequest request;
  request.avoid = {all.begin(), all.end()};
  StatusOr<Home *> copied = copy(needed, request, position);
  if (copied.ok())
    return add(*copied, 0);
  // One instance can write a bank behind its reads.
  run.isAlone = true;
  if (Home *home = homeOf(ref, used.read, position))
    return add(home, 0);
  request.avoid = {used.read.begin(), used.read.end()};
  copied = copy(needed, request, position);
  if (copied.ok())
    return add(*copied, 0);
  if (!mayTakeTurns)
    return copied.status();
  if (!homeOf(ref, {}, position)) {
    request.avoid.clear();
    TILEWRIGHT_RETURN_IF_ERROR(copy(needed, request, position).status());
  }
  for (int64_t turn = 1;; ++turn) {
    used.turns.resize(std::max<size_t>(used.turns.size(), turn));
    if (Home *home = homeOf(ref, used.turns[turn - 1], position))
      return add(home, turn);
  }
}

StatusOr<std::vector<Scheduler::Run>>
Scheduler::makeRuns(int64_t count, ArrayRef<Operand> operands,
                    ArrayRef<std::vector<Ref>> results, bool mayTakeTurns) {
  // Of one run, and how many runs back an instance may join one.
  constexpr size_t most = 32;
  const auto longest = static_cast<size_t>(choices.longestRun);
  std::vector<Run> runs;
  for (int64_t i = 0; i < count; ++i) {
    Run run;
    BanksInUse used;
    for (const std::vector<Ref> &refs : results) {
      run.targets.push_back(homeOf(refs[i]));
      run.groups.push_back(run.targets.back()->groupOf(refs[i].index));
      addBanks(used.written, *run.targets.back(), refs[i]);
    }
    for (const Operand &operand : operands) {
      if (!operand.position && run.sxm < 0)
        run.sxm = nearestSxm(*homeOf(operand.refs[i]));
      TILEWRIGHT_RETURN_IF_ERROR(
          addOperand(run, used, operand.refs.drop_front(i),
                     operand.position.value_or(run.sxm), mayTakeTurns));
    }
    size_t found = runs.size();
    for (size_t back = 1; back <= std::min(runs.size(), most); ++back) {
      const Run &other = runs[runs.size() - back];
      if (other.homes == run.homes && other.targets == run.targets &&
          other.sxm == run.sxm && other.groups == run.groups &&
          other.instances.size() < longest && !other.isAlone && !run.isAlone) {
        found = runs.size() - back;
        break;
      }
    }
    if (found == runs.size())
      runs.push_back(std::move(run));
    runs[found].instances.push_back(i);
  }
  return std::move(runs);
}

} // namespace tilewright::spatial
