#include "runtime/emulator/counters/Collector.h"
#include "runtime/emulator/counters/Addresses.h"
#include "runtime/emulator/counters/Transactions.h"
#include "runtime/emulator/machine/Scheduler.h"
#include <algorithm>
#include <bit>

namespace tilewright::emulator {

namespace {

DataPath pathOf(CountedMemory region, Traffic traffic) {
  bool loads = traffic == Traffic::load, atomic = traffic == Traffic::atomic;
  switch (region) {
  case CountedMemory::global:
    return loads    ? DataPath::globalRead
           : atomic ? DataPath::globalAtomic
                    : DataPath::globalWritten;
  case CountedMemory::shared:
    return loads    ? DataPath::sharedRead
           : atomic ? DataPath::sharedAtomic
                    : DataPath::sharedWritten;
  case CountedMemory::clusterShared:
    return DataPath::clusterShared;
  case CountedMemory::local:
    return loads ? DataPath::localRead : DataPath::localWritten;
  case CountedMemory::constant:
    return DataPath::constantRead;
  }
  return DataPath::globalRead;
}

void addSectors(Counters &counters, std::span<const Piece> pieces) {
  SectorCount sectors = countSectors(pieces);
  ++counters.globalRequests;
  counters.sectors += sectors.touched;
  counters.idealSectors += sectors.ideal;
}

/// An access to shared memory by `lanes`.
void addPasses(Counters &counters, std::span<const uint64_t, 32> addresses,
               uint32_t lanes, uint32_t bytes) {
  std::array<uint32_t, 32> offsets;
  for (unsigned lane = 0; lane < 32; ++lane)
    offsets[lane] = uint32_t(addresses[lane]);
  WavefrontCount passes = countWavefronts(offsets, lanes, bytes);
  ++counters.sharedRequests;
  counters.wavefronts += passes.needed;
  counters.idealWavefronts += passes.ideal;
}

/// What the access of `lanes`, all in `location`, costs.
void addAccess(Counters &counters, const Traits &traits, CountedMemory region,
               uint32_t lanes, std::span<const uint64_t, 32> addresses) {
  counters.on(pathOf(region, traits.traffic)) +=
      uint64_t{traits.bytes} * uint32_t(std::popcount(lanes));
  if (region == CountedMemory::shared)
    addPasses(counters, addresses, lanes, traits.bytes);
  if (region != CountedMemory::global)
    return;
  std::array<Piece, 32> pieces;
  size_t count = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    pieces[count++] = {addresses[unsigned(std::countr_zero(rest))],
                       traits.bytes};
  addSectors(counters, std::span(pieces).first(count));
}
} // namespace

//===--- The table of one host thread -------------------------------------===//

class Collector::Table : public Observer {
public:
  explicit Table(const Collector &owner);
  void begins(Warp &warp, const Instruction &in) override;
  void ends(Warp &warp, const Instruction &in, uint32_t lanes) override;
  void copies(Warp &warp, const Instruction &in, DataPath path,
              uint64_t address, uint64_t bytes) override;
  std::vector<std::vector<Counters>> counters;

private:
  void find(const Instruction &in);
  void countLanes(Warp &warp, const Instruction &in);
  void countMatrix(Warp &warp, const Instruction &in);
  void countCopy(Warp &warp, const Instruction &in);

  const Program &program;
  const std::vector<std::vector<Traits>> &traits;
  /// The function that was met last.
  const Function *function = nullptr;
  size_t functionIndex = 0;
  /// The instruction that was seen last, and its cost if it completes.
  const Traits *met = nullptr;
  Counters *sums = nullptr;
  Counters pending;
  bool isPending = false;
};

Collector::Table::Table(const Collector &owner)
    : program(*owner.launch.program), traits(owner.traits) {
  for (const std::vector<Traits> &code : traits)
    counters.emplace_back(code.size());
}

void Collector::Table::find(const Instruction &in) {
  auto holds = [&](const Function &candidate) {
    return &in >= candidate.code.data() &&
           &in < candidate.code.data() + candidate.code.size();
  };
  if (!function || !holds(*function))
    for (size_t i = 0; i < program.functions.size(); ++i)
      if (holds(*program.functions[i])) {
        function = program.functions[i].get();
        functionIndex = i;
      }
  size_t index = size_t(&in - function->code.data());
  met = &traits[functionIndex][index];
  sums = &counters[functionIndex][index];
}

void Collector::Table::begins(Warp &warp, const Instruction &in) {
  find(in);
  if (std::exchange(isPending, false))
    pending = {};
  if (met->traffic == Traffic::none)
    return;
  isPending = true;
  if (met->traffic == Traffic::copy)
    countCopy(warp, in);
  else if (met->runs)
    countMatrix(warp, in);
  else
    countLanes(warp, in);
}

void Collector::Table::countLanes(Warp &warp, const Instruction &in) {
  std::array<uint64_t, 32> addresses = {};
  std::array<uint32_t, countedMemories> lanesIn = {};
  for (uint32_t rest = warp.active & met->addressLanes; rest;
       rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    LaneAddress at = addressOf(warp, in, 0, met->address, lane);
    addresses[lane] = at.address;
    lanesIn[size_t(at.region)] |= uint32_t{1} << lane;
  }
  for (size_t region = 0; region < countedMemories; ++region)
    if (lanesIn[region])
      addAccess(pending, *met, CountedMemory(region), lanesIn[region],
                addresses);
}

/// Rows (or columns) at the address common to all lanes. Which lane holds which
/// element is not specified, so in shared memory no conflicts are assumed.
void Collector::Table::countMatrix(Warp &warp, const Instruction &in) {
  LaneAddress at = addressOf(warp, in, 0, met->address, 0);
  uint64_t strideBits = met->runStrideBits;
  const unsigned stride = in.operandCount - 1;
  if (in.operands[stride].present())
    strideBits = uint64_t{wordOf(warp, in, stride, 0)} * met->elementBits;
  uint64_t bytes = uint64_t{met->bytes} * met->runs;
  pending.on(pathOf(at.region, met->traffic)) += bytes;
  if (at.region == CountedMemory::global) {
    std::array<Piece, 32> rows;
    size_t count = std::min<size_t>(met->runs, rows.size());
    for (size_t i = 0; i < count; ++i)
      rows[i] = {at.address + i * strideBits / 8, met->bytes};
    addSectors(pending, std::span(rows).first(count));
  } else if (at.region == CountedMemory::shared) {
    uint64_t passes =
        (bytes + bankCount * bankBytes - 1) / (bankCount * bankBytes);
    ++pending.sharedRequests;
    pending.wavefronts += passes;
    pending.idealWavefronts += passes;
  }
}

/// cp.async reads global memory as a load and writes shared memory as a store,
/// zeros too.
void Collector::Table::countCopy(Warp &warp, const Instruction &in) {
  constexpr unsigned to = 0, from = 1, size = 2, limit = 3;
  const uint32_t bytes = wordOf(warp, in, size, 0);
  std::array<uint64_t, 32> targets = {};
  std::array<Piece, 32> pieces;
  size_t count = 0;
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    targets[lane] = addressOf(warp, in, to, to, lane).address;
    uint64_t wanted = bytes;
    if (met->limit == CopyLimit::bytes)
      wanted = wordOf(warp, in, limit, lane);
    else if (met->limit == CopyLimit::ignore && isSet(warp, in, limit, lane))
      wanted = 0;
    if (wanted)
      pieces[count++] = {addressOf(warp, in, from, from, lane).address, wanted};
    pending.on(DataPath::copiedToShared) += wanted;
  }
  if (count)
    addSectors(pending, std::span(pieces).first(count));
  addPasses(pending, targets, warp.active, bytes);
}

void Collector::Table::copies(Warp &, const Instruction &, DataPath path,
                              uint64_t address, uint64_t bytes) {
  isPending = true;
  pending.on(path) += bytes;
  Piece piece = {address, bytes};
  if (address)
    addSectors(pending, {&piece, 1});
}

void Collector::Table::ends(Warp &warp, const Instruction &in, uint32_t lanes) {
  if (!lanes)
    find(in);
  ++sums->warps;
  if (!lanes)
    return;
  sums->threads += uint32_t(std::popcount(lanes));
  sums->barriers += met->arrives;
  sums->tensorOperations += met->tensorOperations;
  sums->multiplyAdds += met->multiplyAdds;
  sums->on(DataPath::tensorShared) += met->tensorSharedBytes;
  if (isPending)
    *sums += pending;
}

//===--- The collector ----------------------------------------------------===//

Collector::Collector(Launch &launch) : launch(launch) {
  for (size_t i = 0; i < launch.program->functions.size(); ++i)
    traits.push_back(traitsOf(*launch.program, i));
  launch.makeObserver = [this]() -> Observer * {
    return tables.emplace_back(std::make_unique<Table>(*this)).get();
  };
}

Collector::~Collector() { launch.makeObserver = nullptr; }

KernelCounters Collector::counters() const {
  KernelCounters result;
  result.program = launch.program;
  result.grid = launch.grid;
  result.block = launch.block;
  result.cluster = launch.cluster;
  result.blocks = ClusterSample(launch).run * launch.cluster[0] *
                  launch.cluster[1] * launch.cluster[2];
  result.sharedBytes = launch.program->sharedBytes + launch.dynamicShared;
  for (size_t i = 0; i < traits.size(); ++i) {
    FunctionCounters function;
    function.traits = traits[i];
    function.code.resize(traits[i].size());
    for (const std::unique_ptr<Table> &table : tables)
      for (size_t index = 0; index < function.code.size(); ++index)
        function.code[index] += table->counters[i][index];
    result.functions.push_back(std::move(function));
  }
  return result;
}

} // namespace tilewright::emulator
