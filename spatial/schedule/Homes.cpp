//===- Homes.cpp - Where vectors lie --------------------------------------===//
#include "spatial/schedule/Scheduler.h"

#include "support/Format.h"

using namespace mlir;

namespace tilewright::spatial {

//===--- Rows for values --------------------------------------------------===//

StatusOr<Home *> Scheduler::makeHome(const HomeRequest &request) {
  StatusOr<Home> home = table.memory.allocate(request);
  if (!home.ok())
    return home.status().prefixed(format(
        "no rows for {} vectors of {}",
        {request.vectors.size(),
         std::string(valueTypeName(program.values[request.value].dtype))}));
  homes[request.value].push_back(std::move(*home));
  return &homes[request.value].back();
}

StatusOr<Home *> Scheduler::makeHomeForMakers(HomeRequest request) {
  request.groups = 1;
  request.avoid.clear();
  request.units = makersOf(request.value);
  return makeHome(request);
}

HomeRequest Scheduler::wholeOf(uint32_t value) const {
  HomeRequest request;
  request.value = value;
  request.total = program.values[value].vectors;
  auto range = llvm::seq<int32_t>(0, static_cast<int32_t>(request.total));
  request.vectors.assign(range.begin(), range.end());
  request.planes = planesOf(value);
  request.units = unitsOf(value);
  return request;
}

std::vector<int64_t> Scheduler::makersOf(uint32_t value) const {
  const int32_t number = program.makers[value];
  if (number < 0)
    return {};
  Operation *maker = program.ops[number].op;
  if (isa<MultiplyOp>(maker))
    return machine.positionsOf(UnitKind::mxm);
  if (isa<MapOp, TransposeOp>(maker))
    return machine.positionsOf(UnitKind::sxm);
  if (isa<VectorAluOp>(maker))
    return {vxm};
  return {};
}

std::vector<int64_t> Scheduler::unitsOf(uint32_t value) const {
  const Readers &readers = chains.readers[value];
  std::vector<int64_t> units = makersOf(value);
  auto add = [&](UnitKind kind) {
    llvm::append_range(units, machine.positionsOf(kind));
  };
  if (vxm >= 0)
    units.push_back(vxm);
  if (readers.ports)
    add(UnitKind::sxm);
  if (readers.planes || readers.loads)
    add(UnitKind::mxm);
  llvm::sort(units);
  units.erase(llvm::unique(units), units.end());
  return units;
}

std::vector<int64_t> Scheduler::travelOf(uint32_t value, int64_t maker) const {
  const Readers &readers = chains.readers[value];
  const std::vector<int64_t> mxms = machine.positionsOf(UnitKind::mxm),
                             sxms = machine.positionsOf(UnitKind::sxm);
  std::vector<int64_t> travel;
  for (int64_t at = 0; at < static_cast<int64_t>(machine.units.size()); ++at) {
    int64_t farthest = 0;
    if (readers.alus && vxm >= 0)
      farthest = std::abs(vxm - at);
    if (readers.ports && !sxms.empty()) {
      int64_t nearest = INT64_MAX;
      for (int64_t position : sxms)
        nearest = std::min(nearest, std::abs(position - at));
      farthest = std::max(farthest, nearest);
    }
    // Products are dealt to all planes.
    if ((readers.planes || readers.loads) && !mxms.empty()) {
      int64_t sum = 0;
      for (int64_t position : mxms)
        sum += std::abs(position - at);
      farthest = std::max(farthest, sum / static_cast<int64_t>(mxms.size()));
    }
    travel.push_back(farthest + (maker < 0 ? 0 : std::abs(maker - at)));
  }
  return travel;
}

int64_t Scheduler::loadGroups(uint32_t value) const {
  const int64_t most = std::min(
      {machine.mxm.loadStreams, machine.streams[0], machine.streams[1]});
  return std::max<int64_t>(1, most / planesOf(value));
}

Status Scheduler::makeBlocks(const HomeRequest &whole, int64_t size) {
  const auto count = static_cast<int64_t>(whole.vectors.size());
  for (int64_t first = 0; first < count; first += size) {
    HomeRequest request = whole;
    request.vectors.assign(whole.vectors.begin() + first,
                           whole.vectors.begin() +
                               std::min(first + size, count));
    StatusOr<Home *> made = makeHome(request);
    if (!made.ok())
      request.avoid.clear();
    for (; !made.ok() && request.groups >= 1; request.groups /= 2)
      made = makeHome(request);
    if (!made.ok())
      made = makeHomeForMakers(request);
    TILEWRIGHT_RETURN_IF_ERROR(made.status());
  }
  return {};
}

Status Scheduler::makeTargets(ArrayRef<Ref> results, int64_t maker,
                              std::set<Bank> avoid, int64_t from) {
  const uint32_t value = results.front().value;
  HomeRequest whole = wholeOf(value);
  whole.avoid = std::move(avoid);
  whole.travel = travelOf(value, maker);
  whole.from = from;
  const auto count = static_cast<int64_t>(results.size());
  // Blocks of rows that sums, transposes and heads have in common; smaller ones
  // of what is read often.
  const Readers &readers = chains.readers[value];
  const bool isBusy = readers.reads >= choices.readsOfBusy * whole.total;
  const int64_t least = isBusy ? choices.leastBusyBlock : choices.leastBlock;
  const auto banks = static_cast<int64_t>(table.memory.banks().size());
  const int64_t most =
      std::clamp<int64_t>(banks / (choices.banksForBlock * whole.planes), 1,
                          isBusy ? choices.mostBusyBlocks : choices.mostBlocks);
  int64_t size =
      llvm::alignTo(std::max(least, (count + most - 1) / most), least);
  if (readers.loads) {
    // All rows that a plane loads, dealt to as many banks as it loads from.
    if (!homes[value].empty())
      return {};
    size = whole.total;
    whole.groups = std::min(size, loadGroups(value));
  } else {
    whole.vectors.clear();
    for (const Ref &ref : results)
      whole.vectors.push_back(ref.index);
  }
  return makeBlocks(whole, size);
}

std::set<Bank> Scheduler::banksOf(ArrayRef<Ref> refs) const {
  std::set<Bank> banks;
  std::set<uint32_t> seen;
  for (const Ref &ref : refs)
    if (seen.insert(ref.value).second)
      for (const Home &home : homes[ref.value])
        banks.insert(home.banks.begin(), home.banks.end());
  return banks;
}

int64_t Scheduler::readyAt(ArrayRef<std::vector<Ref>> operands) const {
  int64_t from = 0;
  for (const std::vector<Ref> &refs : operands)
    from = std::max(from, homeOf(refs.front())->readyAt(refs.front().index));
  return from;
}

Home *Scheduler::homeOf(const Ref &ref, ArrayRef<Bank> avoid,
                        std::optional<int64_t> position) const {
  for (const Home &home : homes[ref.value]) {
    if (!home.holds(ref.index) || (position && !home.isBeside(*position)))
      continue;
    bool fits = true;
    for (int64_t plane = 0; plane < home.planes; ++plane)
      fits &= !llvm::is_contained(avoid, home.bankOf(ref.index, plane));
    if (fits)
      return const_cast<Home *>(&home);
  }
  return nullptr;
}

//===--- Before cycle 0 ---------------------------------------------------===//

StatusOr<bool> Scheduler::checkRoom() {
  int64_t needed = 0, weights = 0;
  auto add = [&](mlir::Value value) {
    const uint32_t number = program.numberOf(value);
    const int64_t bytes =
        program.values[number].vectors * planesOf(number) * machine.rowBytes();
    needed += bytes;
    if (chains.readers[number].loads)
      weights += bytes;
  };
  for (BlockArgument argument : function.getArguments())
    add(argument);
  for (ConstantOp op : function.getOps<ConstantOp>())
    add(op.getResult());
  const auto there = static_cast<int64_t>(table.memory.banks().size()) *
                     machine.mem.rows * machine.rowBytes();
  if (needed <= there) {
    const auto copies =
        static_cast<int64_t>(machine.positionsOf(UnitKind::mxm).size());
    return 2 * (needed + (copies - 1) * weights) <= there;
  }
  return Status::resourceExhausted(format(
      "weights and inputs need {} MiB, a chip of {} has {} MiB",
      {formatFixed(static_cast<double>(needed) / (1 << 20), 1), machine.name,
       formatFixed(static_cast<double>(there) / (1 << 20), 1)}));
}

/// Weights are dealt to as many banks as a plane loads from at a time.
Status Scheduler::placeInitial(HomeRequest request) {
  StatusOr<Home *> home = makeHome(request);
  while (!home.ok() && request.groups > 1) {
    request.groups /= 2;
    home = makeHome(request);
  }
  if (!home.ok())
    home = makeHomeForMakers(request);
  return home.status();
}

Status Scheduler::placeConstants(bool nearAll) {
  size_t next = 0;
  const std::vector<int64_t> mxms = machine.positionsOf(UnitKind::mxm);
  for (ConstantOp op : function.getOps<ConstantOp>()) {
    const uint32_t value = program.numberOf(op.getResult());
    const Readers &readers = chains.readers[value];
    schedule.constants.push_back(value);
    HomeRequest request = wholeOf(value);
    request.isInitial = true;
    request.travel = travelOf(value, -1);
    if (readers.gathers) {
      // Indices come from one side, rows leave to the other one.
      std::vector<int64_t> positions = machine.positionsOf(UnitKind::mem);
      request.firstPosition = positions[positions.size() / 4];
      request.lastPosition = positions[positions.size() * 3 / 4];
    } else if (readers.loads) {
      // Near each mxm if there is room, else near one of them.
      request.groups = std::min(request.total, loadGroups(value));
      request.isWeights = true;
      for (size_t i = 0; i < (nearAll ? mxms.size() : 1); ++i) {
        const int64_t mxm = mxms[next++ % mxms.size()];
        for (size_t at = 0; at < request.travel.size(); ++at)
          request.travel[at] = std::abs(static_cast<int64_t>(at) - mxm);
        TILEWRIGHT_RETURN_IF_ERROR(placeInitial(request));
      }
      continue;
    }
    TILEWRIGHT_RETURN_IF_ERROR(placeInitial(request));
  }
  return {};
}

Status Scheduler::placeInputs() {
  for (BlockArgument argument : function.getArguments()) {
    HomeRequest request = wholeOf(program.numberOf(argument));
    request.isInitial = true;
    request.travel = travelOf(request.value, -1);
    TILEWRIGHT_RETURN_IF_ERROR(placeInitial(request));
  }
  return {};
}

} // namespace tilewright::spatial
