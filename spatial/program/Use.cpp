#include "spatial/program/Use.h"
#include "support/Format.h"
#include <algorithm>
#include <map>
#include <tuple>

namespace tilewright::spatial {

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

int64_t busyCycles(const Machine &machine, const Instruction &in) {
  if (in.opcode == Opcode::mul) {
    auto passes = machine.mxm.passes.find(in.type);
    return passes == machine.mxm.passes.end() ? 1 : passes->second;
  }
  if (in.opcode == Opcode::transpose)
    return machine.sxm ? machine.sxm->transpose : 1;
  if (in.opcode == Opcode::send)
    return machine.link ? machine.link->vectorCycles : 1;
  return 1;
}

int64_t cyclesToResult(const Machine &machine, const Instruction &in) {
  switch (in.opcode) {
  case Opcode::read:
    return machine.mem.readDelay;
  case Opcode::gather:
    return machine.mem.indexedDelay;
  case Opcode::mul:
    return machine.mxm.passes.at(in.type) - 1 + machine.mxm.delay;
  case Opcode::alu:
    return machine.delayOf(in.alu);
  case Opcode::map:
    return machine.sxm ? machine.sxm->delay : 0;
  case Opcode::transpose:
    return machine.sxm ? machine.sxm->transpose - 1 + machine.sxm->delay : 0;
  default:
    return 0;
  }
}

std::vector<QueueUse> queueUse(const Schedule &schedule, size_t chip) {
  std::map<Queue, QueueUse> queues;
  for (const Instruction &in : schedule.instructions[chip]) {
    QueueUse &use = queues[in.queue];
    use.queue = in.queue;
    use.instructions += in.count;
    use.busy += in.count * busyCycles(schedule.machine, in);
  }
  std::vector<QueueUse> list;
  for (const auto &[queue, use] : queues)
    list.push_back(use);
  return list;
}

UnitKind unitOf(QueueKind kind) {
  switch (kind) {
  case QueueKind::bank:
    return UnitKind::mem;
  case QueueKind::weights:
  case QueueKind::activations:
    return UnitKind::mxm;
  case QueueKind::alu:
    return UnitKind::vxm;
  case QueueKind::port:
    return UnitKind::sxm;
  default:
    return UnitKind::c2c;
  }
}

int64_t queuesOf(const Machine &machine, int64_t position, QueueKind kind) {
  if (position < 0 || position >= static_cast<int64_t>(machine.units.size()))
    return 0;
  const Unit &unit = machine.units[static_cast<size_t>(position)];
  auto of = [&](UnitKind owner, int64_t count) {
    return unit.kind == owner ? count : 0;
  };
  switch (kind) {
  case QueueKind::bank:
    return of(UnitKind::mem, machine.mem.banks);
  case QueueKind::weights:
  case QueueKind::activations:
    return of(UnitKind::mxm, machine.mxm.planes);
  case QueueKind::alu:
    return of(UnitKind::vxm, machine.vxm.alus);
  case QueueKind::port:
    return of(UnitKind::sxm, machine.sxm ? machine.sxm->ports : 0);
  case QueueKind::send:
  case QueueKind::receive:
    return of(UnitKind::c2c, unit.links);
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {
/// What happens to a row, in the order in which it counts within a cycle.
enum class Event : uint8_t { constant, input, read, write, output };

struct Access {
  int64_t row = 0, cycle = 0;
  Event event = Event::read;
};

/// A change of the number of rows in use.
struct Change {
  int64_t cycle = 0, rows = 0;
};

/// Collects what happens in one bank, and when its rows are in use.
class BankUse {
public:
  BankUse(const Schedule &schedule, int64_t end)
      : machine(schedule.machine), end(end) {}

  Status place(const Placement &place, Event event);
  Status access(const Instruction &in);
  Status gather(const Instruction &in);
  /// Adds the bank's changes and constants to `slice`.
  void finish(std::vector<Change> &changes, SliceUse &slice);

private:
  Status add(int64_t row, int64_t cycle, Event event);
  void interval(int64_t first, int64_t last, std::vector<Change> &changes);
  void sort();

  const Machine &machine;
  int64_t end;
  std::vector<Access> accesses;
};
} // namespace

Status BankUse::add(int64_t row, int64_t cycle, Event event) {
  constexpr size_t most = size_t(1) << 26;
  if (row < 0 || row >= machine.mem.rows)
    return {};
  if (accesses.size() >= most)
    return Status::resourceExhausted(
        format("expected at most {} accesses of a bank, found more", {most}));
  accesses.push_back({row, cycle, event});
  return {};
}

Status BankUse::place(const Placement &place, Event event) {
  for (int64_t i = 0; i < place.count; ++i)
    TILEWRIGHT_RETURN_IF_ERROR(add(place.row + i * place.stride,
                                   event == Event::output ? end : 0, event));
  return {};
}

Status BankUse::access(const Instruction &in) {
  const bool isRead = in.opcode == Opcode::read;
  const Affine &row = isRead ? in.operands[0].index : in.results[0].index;
  for (int64_t i = 0; i < in.count; ++i)
    TILEWRIGHT_RETURN_IF_ERROR(add(row.at(i), in.cycle + i * in.step,
                                   isRead ? Event::read : Event::write));
  return {};
}

void BankUse::sort() {
  std::ranges::sort(accesses, {}, [](const Access &a) {
    return std::tie(a.row, a.cycle, a.event);
  });
}

/// A gather may read any row of its table that holds something.
Status BankUse::gather(const Instruction &in) {
  sort();
  const size_t known = accesses.size();
  for (int64_t i = 0; i < in.count; ++i) {
    const int64_t first = in.operands[0].index.at(i);
    auto begin = std::ranges::lower_bound(
        accesses.begin(), accesses.begin() + static_cast<ptrdiff_t>(known),
        first, {}, &Access::row);
    int64_t last = -1;
    for (auto at = static_cast<size_t>(begin - accesses.begin());
         at < known && accesses[at].row < first + in.rows; ++at) {
      const int64_t row = accesses[at].row;
      if (row != last && accesses[at].event != Event::constant)
        TILEWRIGHT_RETURN_IF_ERROR(
            add(row, in.cycle + i * in.step, Event::read));
      last = row;
    }
  }
  return {};
}

void BankUse::interval(int64_t first, int64_t last,
                       std::vector<Change> &changes) {
  changes.push_back({first, 1});
  changes.push_back({last + 1, -1});
}

void BankUse::finish(std::vector<Change> &changes, SliceUse &slice) {
  sort();
  for (size_t i = 0; i < accesses.size();) {
    bool isUsed = false;
    int64_t first = 0, last = 0;
    const int64_t row = accesses[i].row;
    for (; i < accesses.size() && accesses[i].row == row; ++i) {
      const Access &access = accesses[i];
      if (access.event == Event::read || access.event == Event::output) {
        last = std::max(last, access.cycle);
        continue;
      }
      if (access.event == Event::write && isUsed)
        interval(first, std::min(last, access.cycle), changes);
      isUsed = true;
      first = access.cycle;
      last = access.event == Event::constant ? end : access.cycle;
      slice.constants += access.event == Event::constant;
    }
    if (isUsed)
      interval(first, last, changes);
  }
}

/// Fills in the peak and the samples.
static void sweep(std::vector<Change> &changes, int64_t cyclesPerSample,
                  SliceUse &slice) {
  // Within a cycle rows are given up first.
  std::ranges::sort(changes, {}, [](const Change &change) {
    return std::tie(change.cycle, change.rows);
  });
  auto sampleOf = [&](int64_t cycle) {
    return std::min(static_cast<size_t>(cycle / cyclesPerSample),
                    slice.samples.size() - 1);
  };
  int64_t rows = 0;
  size_t sample = 0;
  for (size_t i = 0; i < changes.size();) {
    const int64_t cycle = changes[i].cycle;
    // What is in use now is so up to the cycle before.
    for (const size_t before = sampleOf(std::max<int64_t>(0, cycle - 1));
         sample < before;)
      slice.samples[++sample] = rows;
    sample = sampleOf(cycle);
    for (; i < changes.size() && changes[i].cycle == cycle; ++i)
      rows += changes[i].rows;
    slice.peak = std::max(slice.peak, rows);
    slice.samples[sample] = std::max(slice.samples[sample], rows);
  }
}

/// What each bank of a chip holds and does.
struct BankContents {
  std::vector<std::pair<const Placement *, Event>> placements;
  std::vector<const Instruction *> accesses, gathers;
};

static std::map<Queue, BankContents> bankContents(const Schedule &schedule,
                                                  size_t chip) {
  std::vector<std::vector<Event>> events(schedule.values.size());
  for (const Interface &input : schedule.inputs)
    events[input.value].push_back(Event::input);
  for (uint32_t constant : schedule.constants)
    events[constant].push_back(Event::constant);
  for (const Interface &output : schedule.outputs)
    events[output.value].push_back(Event::output);
  std::map<Queue, BankContents> banks;
  for (const Placement &place : schedule.placements)
    if (place.chip == static_cast<int64_t>(chip))
      for (Event event : events[place.value])
        banks[place.bank].placements.emplace_back(&place, event);
  for (const Instruction &in : schedule.instructions[chip]) {
    if (in.opcode == Opcode::gather)
      banks[in.queue].gathers.push_back(&in);
    else if (in.queue.kind == QueueKind::bank)
      banks[in.queue].accesses.push_back(&in);
  }
  std::erase_if(banks, [&](const auto &bank) {
    return bank.first.index >=
           queuesOf(schedule.machine, bank.first.position, QueueKind::bank);
  });
  return banks;
}

StatusOr<MemoryUse> memoryUse(const Schedule &schedule, size_t chip,
                              int64_t samples) {
  const int64_t end = std::max<int64_t>(1, schedule.cycles);
  MemoryUse use;
  samples = std::min(samples, end);
  use.cyclesPerSample = (end + samples - 1) / samples;
  samples = (end + use.cyclesPerSample - 1) / use.cyclesPerSample;
  std::vector<Change> changes;
  auto finishSlice = [&] {
    if (!use.slices.empty())
      sweep(changes, use.cyclesPerSample, use.slices.back());
    changes.clear();
  };
  for (const auto &[queue, contents] : bankContents(schedule, chip)) {
    if (use.slices.empty() || use.slices.back().position != queue.position) {
      finishSlice();
      use.slices.push_back({queue.position, 0, 0, {}});
      use.slices.back().samples.resize(static_cast<size_t>(samples));
    }
    BankUse bank(schedule, end - 1);
    for (const auto &[place, event] : contents.placements)
      TILEWRIGHT_RETURN_IF_ERROR(bank.place(*place, event));
    for (const Instruction *in : contents.accesses)
      TILEWRIGHT_RETURN_IF_ERROR(bank.access(*in));
    for (const Instruction *in : contents.gathers)
      TILEWRIGHT_RETURN_IF_ERROR(bank.gather(*in));
    bank.finish(changes, use.slices.back());
  }
  finishSlice();
  return use;
}

} // namespace tilewright::spatial
