//===- Lanes.cpp - Ops of vector and permutation units --------------------===//
#include "spatial/schedule/Scheduler.h"

#include "support/Format.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright::spatial {

//===--- Where operands come from -----------------------------------------===//

Home *Scheduler::homeOf(const Ref &ref, const std::set<Bank> &avoid) const {
  for (const Home &home : homes[ref.value]) {
    if (!home.holds(ref.index))
      continue;
    bool fits = true;
    for (int64_t plane = 0; plane < home.planes; ++plane)
      fits &= !avoid.contains(home.bankOf(ref.index, plane));
    if (fits)
      return const_cast<Home *>(&home);
  }
  return nullptr;
}

/// The banks that hold one vector.
static std::set<Bank> banksAt(const Home &home, int64_t vector) {
  std::set<Bank> banks;
  for (int64_t plane = 0; plane < home.planes; ++plane)
    banks.insert(home.bankOf(vector, plane));
  return banks;
}

StatusOr<Home *> Scheduler::copy(ArrayRef<Ref> refs, HomeRequest request) {
  llvm::SetVector<int32_t> distinct;
  for (const Ref &ref : refs)
    distinct.insert(ref.index);
  const std::vector<int32_t> vectors(distinct.begin(), distinct.end());
  request.value = refs.front().value;
  request.vectors = vectors;
  request.total = schedule.values[request.value].vectors;
  request.planes = planesOf(request.value);
  request.groups = 1;
  // From other positions: a bank sees nothing that is put beside it.
  std::set<int64_t> positions;
  for (const Home &home : homes[request.value])
    for (const Bank &bank : home.banks)
      positions.insert(bank.position);
  for (const Bank &bank : memory.banks())
    if (positions.contains(bank.position))
      request.avoid.insert(bank);
  TILEWRIGHT_ASSIGN_OR_RETURN(Home * target, makeHome(request));
  for (size_t first = 0; first < vectors.size();) {
    Home *from = homeOf({request.value, vectors[first]}, {});
    size_t last = first + 1;
    while (last < vectors.size() && from->holds(vectors[last]) &&
           from->groupOf(vectors[last]) == from->groupOf(vectors[first]))
      ++last;
    std::vector<Ref> part;
    for (size_t i = first; i < last; ++i)
      part.push_back({request.value, vectors[i]});
    for (int64_t plane = 0; plane < target->planes; ++plane) {
      const Bank &bank = target->banks[plane];
      Queue queue{bank.position, QueueKind::bank, bank.number};
      Pattern pattern;
      pattern.position = bank.position;
      pattern.count = static_cast<int64_t>(part.size());
      pattern.sources = {{from, part}};
      pattern.plane = plane;
      pattern.queues = {{queue, &memory.port(bank)}};
      pattern.earliest = target->freeFrom;
      TILEWRIGHT_ASSIGN_OR_RETURN(Placed placed, fit(pattern));
      Leg leg;
      leg.bank = bank;
      leg.plane = plane;
      leg.access = {placed.begin, pattern.count, 1, 1};
      emitWrites(*target, part, {leg}, placed.sources.front());
    }
    first = last;
  }
  return target;
}

Status Scheduler::forRuns(
    ArrayRef<std::vector<Ref>> operands, const Home &target,
    function_ref<Status(int64_t, int64_t, ArrayRef<Home *>)> visit) {
  constexpr int64_t longest = 256;
  const auto count = static_cast<int64_t>(operands.front().size());
  const std::set<Bank> targetBanks(target.banks.begin(), target.banks.end());
  for (int64_t first = 0; first < count;) {
    SmallVector<Home *, 3> chosen;
    std::set<Bank> used = targetBanks;
    for (const std::vector<Ref> &refs : operands) {
      Home *home = homeOf(refs[first], used);
      if (!home) {
        // The bank has one access a cycle: the vectors of this run, and those
        // that follow of the same value, are copied elsewhere.
        std::vector<Ref> needed;
        for (int64_t i = first; i < count; ++i)
          if (refs[i].value == refs[first].value)
            needed.push_back(refs[i]);
        HomeRequest request;
        request.avoid = used;
        TILEWRIGHT_ASSIGN_OR_RETURN(home, copy(needed, request));
      }
      chosen.push_back(home);
      used.merge(banksAt(*home, refs[first].index));
    }
    int64_t last = first + 1;
    auto fits = [&](int64_t i) {
      for (auto [refs, home] : llvm::zip(operands, chosen))
        if (refs[i].value != home->value || !home->holds(refs[i].index) ||
            home->groupOf(refs[i].index) != home->groupOf(refs[first].index))
          return false;
      return true;
    };
    while (last < count && last - first < longest && fits(last))
      ++last;
    TILEWRIGHT_RETURN_IF_ERROR(visit(first, last - first, chosen));
    first = last;
  }
  return {};
}

//===--- Operations and lane maps -----------------------------------------===//

/// Distinct lists of operands, and which of them each operand is.
static std::vector<std::vector<Ref>>
distinctLists(ArrayRef<std::vector<Ref>> operands, SmallVector<size_t> &which) {
  std::vector<std::vector<Ref>> lists;
  for (const std::vector<Ref> &refs : operands) {
    const auto found = std::find(lists.begin(), lists.end(), refs);
    which.push_back(found - lists.begin());
    if (found == lists.end())
      lists.push_back(refs);
  }
  return lists;
}

static std::vector<Ref> part(ArrayRef<Ref> refs, int64_t first, int64_t count) {
  ArrayRef<Ref> slice = refs.slice(first, count);
  return {slice.begin(), slice.end()};
}

static std::vector<Ref> resultRefs(uint32_t value, int64_t first,
                                   int64_t count) {
  std::vector<Ref> refs;
  for (int64_t i = 0; i < count; ++i)
    refs.push_back({value, static_cast<int32_t>(first + i)});
  return refs;
}

static Port streamPort(std::vector<Stream> streams, const Ref &ref) {
  Port port;
  port.streams = std::move(streams);
  port.name = {ref.value, {ref.index, 0}};
  return port;
}

Status Scheduler::placeAlu(VectorAluOp op) {
  std::vector<int64_t> positions = machine.positionsOf(UnitKind::vxm);
  if (positions.empty())
    return Status::unsupported("the machine has no vxm, which computes "
                               "elements");
  std::vector<std::vector<Ref>> operands;
  for (unsigned i = 0; i < op.getReads().size(); ++i)
    operands.push_back(refsOf(op.getReads(), op.getIndices(), i));
  SmallVector<size_t> which;
  std::vector<std::vector<Ref>> lists = distinctLists(operands, which);
  const uint32_t value = numbers.lookup(op.getResult());
  const int64_t count = schedule.values[value].vectors;
  TILEWRIGHT_ASSIGN_OR_RETURN(Home * target, makeTarget(value, lists));
  const AluOp operation = *aluFromName(op.getName());
  const DType type = *valueType(op.getOperandType());
  auto emit = [&](int64_t first, int64_t count,
                  ArrayRef<Home *> from) -> Status {
    Pattern pattern;
    pattern.position = positions.front();
    pattern.count = count;
    for (auto [refs, home] : llvm::zip(lists, from))
      pattern.sources.push_back({home, part(refs, first, count)});
    for (int64_t alu = 0; alu < machine.vxm.alus; ++alu) {
      Queue queue{pattern.position, QueueKind::alu, alu};
      pattern.queues.emplace_back(queue, &queues[queue]);
    }
    pattern.delay = machine.delayOf(operation);
    pattern.target = target;
    pattern.results = resultRefs(value, first, count);
    TILEWRIGHT_ASSIGN_OR_RETURN(Placed placed, fit(pattern));
    Emitter::Run run(emitter);
    for (int64_t i = 0; i < count; ++i) {
      Instruction instruction;
      instruction.opcode = Opcode::alu;
      instruction.alu = operation;
      instruction.type = type;
      instruction.queue = placed.queue;
      instruction.cycle = placed.begin + i;
      unsigned next = 0;
      ArrayAttr literals = op.getNumbersAttr();
      for (int operand = 0; operand < aluOperands(operation); ++operand) {
        auto literal =
            literals ? dyn_cast<FloatAttr>(literals[operand]) : FloatAttr();
        if (literal) {
          Port port;
          port.kind = Port::Kind::number;
          port.number = literal.getValueAsDouble();
          instruction.operands.push_back(port);
          continue;
        }
        const size_t source = which[next++];
        instruction.operands.push_back(streamPort(
            placed.sources[source], pattern.sources[source].refs[i]));
      }
      instruction.results = {streamPort(placed.result, pattern.results[i])};
      run.add(std::move(instruction));
    }
    return {};
  };
  if (!lists.empty())
    return forRuns(lists, *target, emit);
  return emit(0, count, {});
}

void Scheduler::useNearestSxm(Pattern &pattern, const Home &from) {
  const int64_t at = from.banks.front().position;
  std::vector<int64_t> positions = machine.positionsOf(UnitKind::sxm);
  pattern.position = *llvm::min_element(positions, [&](int64_t a, int64_t b) {
    return std::abs(a - at) < std::abs(b - at);
  });
  for (int64_t port = 0; port < machine.sxm->ports; ++port) {
    Queue queue{pattern.position, QueueKind::port, port};
    pattern.queues.emplace_back(queue, &queues[queue]);
  }
}

Status Scheduler::placeMap(MapOp op) {
  std::vector<std::vector<Ref>> operands;
  for (unsigned i = 0; i < op.getReads().size(); ++i)
    operands.push_back(refsOf(op.getReads(), op.getIndices(), i));
  SmallVector<size_t> which;
  std::vector<std::vector<Ref>> lists = distinctLists(operands, which);
  const uint32_t value = numbers.lookup(op.getResult());
  TILEWRIGHT_ASSIGN_OR_RETURN(Home * target, makeTarget(value, lists));
  ArrayRef<int32_t> lanes = op.getLanes();
  std::string key(reinterpret_cast<const char *>(lanes.data()),
                  lanes.size() * sizeof(int32_t));
  auto [map, isNew] =
      mapNumbers.insert({key, static_cast<uint32_t>(schedule.maps.size())});
  if (isNew)
    schedule.maps.push_back({"m" + std::to_string(schedule.maps.size()),
                             {lanes.begin(), lanes.end()}});
  const uint32_t number = map->second;
  return forRuns(
      lists, *target,
      [&](int64_t first, int64_t count, ArrayRef<Home *> from) -> Status {
        Pattern pattern;
        useNearestSxm(pattern, *from.front());
        pattern.count = count;
        for (auto [refs, home] : llvm::zip(lists, from))
          pattern.sources.push_back({home, part(refs, first, count)});
        pattern.delay = machine.sxm->delay;
        pattern.target = target;
        pattern.results = resultRefs(value, first, count);
        TILEWRIGHT_ASSIGN_OR_RETURN(Placed placed, fit(pattern));
        Emitter::Run run(emitter);
        for (int64_t i = 0; i < count; ++i) {
          Instruction instruction;
          instruction.opcode = Opcode::map;
          instruction.map = number;
          instruction.queue = placed.queue;
          instruction.cycle = placed.begin + i;
          for (size_t source : which)
            instruction.operands.push_back(streamPort(
                placed.sources[source], pattern.sources[source].refs[i]));
          instruction.results = {streamPort(placed.result, pattern.results[i])};
          run.add(std::move(instruction));
        }
        return {};
      });
}

//===--- Transposes and gathers -------------------------------------------===//

Status Scheduler::placeTranspose(TransposeOp op) {
  const auto size = static_cast<int64_t>(op.getSize());
  const uint32_t value = numbers.lookup(op.getResult());
  std::vector<Ref> starts = refsOf(op.getReads(), op.getIndices(), 0);
  TILEWRIGHT_ASSIGN_OR_RETURN(Home * target, makeTarget(value, {starts}));
  const std::set<Bank> targetBanks(target->banks.begin(), target->banks.end());
  for (auto [group, start] : llvm::enumerate(starts)) {
    std::vector<Ref> refs;
    for (int64_t i = 0; i < size; ++i)
      refs.push_back({start.value, start.index + static_cast<int32_t>(i)});
    Home *from = homeOf(start, targetBanks);
    const bool isTogether =
        from && llvm::all_of(refs, [&](const Ref &ref) {
          return from->holds(ref.index) &&
                 from->groupOf(ref.index) == from->groupOf(start.index);
        });
    if (!isTogether) {
      HomeRequest request;
      request.avoid = targetBanks;
      TILEWRIGHT_ASSIGN_OR_RETURN(from, copy(refs, request));
    }
    Pattern pattern;
    useNearestSxm(pattern, *from);
    pattern.count = size;
    pattern.sources = {{from, refs}};
    pattern.delay = size - 1 + machine.sxm->delay;
    pattern.target = target;
    pattern.results =
        resultRefs(value, static_cast<int64_t>(group) * size, size);
    TILEWRIGHT_ASSIGN_OR_RETURN(Placed placed, fit(pattern));
    Instruction instruction;
    instruction.opcode = Opcode::transpose;
    instruction.queue = placed.queue;
    instruction.cycle = placed.begin;
    instruction.operands = {streamPort(placed.sources.front(), start)};
    instruction.results = {streamPort(placed.result, pattern.results.front())};
    Emitter::Run(emitter).add(std::move(instruction));
  }
  return {};
}

} // namespace tilewright::spatial
