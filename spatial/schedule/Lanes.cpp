//===- Lanes.cpp - Ops of vector and permutation units --------------------===//
#include "spatial/schedule/Scheduler.h"

#include "support/Format.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright::spatial {

//===--- Where operands come from -----------------------------------------===//

Home *Scheduler::homeOf(const Ref &ref, ArrayRef<Bank> avoid) const {
  for (const Home &home : homes[ref.value]) {
    if (!home.holds(ref.index))
      continue;
    bool fits = true;
    for (int64_t plane = 0; plane < home.planes; ++plane)
      fits &= !llvm::is_contained(avoid, home.bankOf(ref.index, plane));
    if (fits)
      return const_cast<Home *>(&home);
  }
  return nullptr;
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

StatusOr<std::vector<Scheduler::Run>>
Scheduler::makeRuns(ArrayRef<std::vector<Ref>> operands,
                    ArrayRef<Ref> results) {
  // Of one run, and how many runs back an instance may join one.
  constexpr size_t longest = 256, most = 32;
  std::vector<Run> runs;
  const size_t count =
      results.empty() ? operands.front().size() : results.size();
  for (size_t i = 0; i < count; ++i) {
    Run run;
    SmallVector<Bank, 16> used;
    auto use = [&](const Home &home, int64_t vector) {
      for (int64_t plane = 0; plane < home.planes; ++plane)
        used.push_back(home.bankOf(vector, plane));
      return home.groupOf(vector);
    };
    if (!results.empty()) {
      run.target = homeOf(results[i]);
      run.targetGroup = use(*run.target, results[i].index);
    }
    for (const std::vector<Ref> &refs : operands) {
      Home *home = homeOf(refs[i], used);
      if (!home) {
        // The bank has one access a cycle: the vectors of this run, and those
        // that follow of the same value, are copied elsewhere.
        std::vector<Ref> needed;
        for (size_t k = i; k < count; ++k)
          if (refs[k].value == refs[i].value)
            needed.push_back(refs[k]);
        HomeRequest request;
        request.avoid = {used.begin(), used.end()};
        TILEWRIGHT_ASSIGN_OR_RETURN(home, copy(needed, request));
      }
      run.homes.push_back(home);
      run.groups.push_back(use(*home, refs[i].index));
    }
    size_t found = runs.size();
    for (size_t back = 1; back <= std::min(runs.size(), most); ++back)
      if (runs[runs.size() - back].isAlike(run)) {
        found = runs.size() - back;
        break;
      }
    if (found == runs.size() || runs[found].instances.size() == longest) {
      found = runs.size();
      runs.push_back(std::move(run));
    }
    runs[found].instances.push_back(static_cast<int64_t>(i));
  }
  return std::move(runs);
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

/// The vectors of a list that some instances have.
static std::vector<Ref> part(ArrayRef<Ref> refs, ArrayRef<int64_t> instances) {
  std::vector<Ref> chosen;
  for (int64_t i : instances)
    chosen.push_back(refs[i]);
  return chosen;
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
  TILEWRIGHT_RETURN_IF_ERROR(makeTargets(value, lists));
  const std::vector<Ref> results =
      resultRefs(value, 0, schedule.values[value].vectors);
  TILEWRIGHT_ASSIGN_OR_RETURN(const std::vector<Run> runs,
                              makeRuns(lists, results));
  const AluOp operation = *aluFromName(op.getName());
  const DType type = *valueType(op.getOperandType());
  for (const Run &run : runs) {
    Pattern pattern;
    pattern.position = positions.front();
    pattern.count = run.count();
    for (auto [refs, home] : llvm::zip(lists, run.homes))
      pattern.sources.push_back({home, part(refs, run.instances)});
    for (int64_t alu = 0; alu < machine.vxm.alus; ++alu) {
      Queue queue{pattern.position, QueueKind::alu, alu};
      pattern.queues.emplace_back(queue, &queues[queue]);
    }
    pattern.delay = machine.delayOf(operation);
    pattern.target = run.target;
    pattern.results = part(results, run.instances);
    TILEWRIGHT_ASSIGN_OR_RETURN(Placed placed, fit(pattern));
    Emitter::Run lines(emitter);
    for (int64_t i = 0; i < pattern.count; ++i) {
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
      lines.add(std::move(instruction));
    }
  }
  return {};
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
  TILEWRIGHT_RETURN_IF_ERROR(makeTargets(value, lists));
  const std::vector<Ref> results =
      resultRefs(value, 0, schedule.values[value].vectors);
  TILEWRIGHT_ASSIGN_OR_RETURN(const std::vector<Run> runs,
                              makeRuns(lists, results));
  ArrayRef<int32_t> lanes = op.getLanes();
  std::string key(reinterpret_cast<const char *>(lanes.data()),
                  lanes.size() * sizeof(int32_t));
  auto [map, isNew] =
      mapNumbers.insert({key, static_cast<uint32_t>(schedule.maps.size())});
  if (isNew)
    schedule.maps.push_back({"m" + std::to_string(schedule.maps.size()),
                             {lanes.begin(), lanes.end()}});
  const uint32_t number = map->second;
  for (const Run &run : runs) {
    Pattern pattern;
    useNearestSxm(pattern, *run.homes.front());
    pattern.count = run.count();
    for (auto [refs, home] : llvm::zip(lists, run.homes))
      pattern.sources.push_back({home, part(refs, run.instances)});
    pattern.delay = machine.sxm->delay;
    pattern.target = run.target;
    pattern.results = part(results, run.instances);
    TILEWRIGHT_ASSIGN_OR_RETURN(Placed placed, fit(pattern));
    Emitter::Run lines(emitter);
    for (int64_t i = 0; i < pattern.count; ++i) {
      Instruction instruction;
      instruction.opcode = Opcode::map;
      instruction.map = number;
      instruction.queue = placed.queue;
      instruction.cycle = placed.begin + i;
      for (size_t source : which)
        instruction.operands.push_back(streamPort(
            placed.sources[source], pattern.sources[source].refs[i]));
      instruction.results = {streamPort(placed.result, pattern.results[i])};
      lines.add(std::move(instruction));
    }
  }
  return {};
}

//===--- Transposes and gathers -------------------------------------------===//

Status Scheduler::placeTranspose(TransposeOp op) {
  const auto size = static_cast<int64_t>(op.getSize());
  const uint32_t value = numbers.lookup(op.getResult());
  std::vector<Ref> starts = refsOf(op.getReads(), op.getIndices(), 0);
  HomeRequest whole = wholeOf(value);
  whole.avoid = banksOf(starts);
  for (auto [group, start] : llvm::enumerate(starts)) {
    std::vector<Ref> refs;
    for (int64_t i = 0; i < size; ++i)
      refs.push_back({start.value, start.index + static_cast<int32_t>(i)});
    // Each block flows to one bank, wherever other blocks go.
    HomeRequest block = whole;
    const auto begin =
        whole.vectors.begin() + static_cast<int64_t>(group) * size;
    block.vectors.assign(begin, begin + size);
    StatusOr<Home *> made = makeHome(block);
    if (!made.ok()) {
      block.avoid.clear();
      made = makeHome(block);
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(Home * target, made);
    Home *from = homeOf(start, target->banks);
    const bool isTogether =
        from && llvm::all_of(refs, [&](const Ref &ref) {
          return from->holds(ref.index) &&
                 from->groupOf(ref.index) == from->groupOf(start.index);
        });
    if (!isTogether) {
      HomeRequest request;
      request.avoid = {target->banks.begin(), target->banks.end()};
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
