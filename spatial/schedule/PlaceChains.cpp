//===- PlaceChains.cpp - Operations of the vector unit --------------------===//
#include "spatial/schedule/Scheduler.h"

using namespace mlir;

namespace tilewright::spatial {

//===--- What the rows of a group are -------------------------------------===//

Scheduler::ChainRows Scheduler::chainRowsOf(ArrayRef<int32_t> numbers) const {
  ChainRows rows;
  const Chain &first = chains.chains[numbers.front()];
  rows.timing = *chains.timing(first);
  rows.sources.resize(rows.timing.sources.size());
  rows.nodes.resize(first.nodes.size());
  for (auto [k, ref] : llvm::enumerate(first.nodes)) {
    rows.ops.push_back(&program.ops[program.makers[ref.value]]);
    if (chains.isRead[program.flat(ref)])
      rows.written.push_back(k);
  }
  for (int32_t number : numbers) {
    const Chain &chain = chains.chains[number];
    if (chain.product)
      rows.products.push_back(*chain.product);
    const ChainTiming timing = *chains.timing(chain);
    for (auto [list, source] : llvm::zip(rows.sources, timing.sources))
      list.push_back(source.ref);
    for (auto [list, node] : llvm::zip(rows.nodes, chain.nodes))
      list.push_back(node);
  }
  return rows;
}

std::vector<std::vector<Ref>> Scheduler::ChainRows::writtenRefs() const {
  std::vector<std::vector<Ref>> refs;
  refs.reserve(written.size());
  for (size_t k : written)
    refs.push_back(nodes[k]);
  return refs;
}

Ref Scheduler::moved(const Ref &ref, int64_t moves) {
  uint32_t value = ref.value;
  for (int64_t k = 0; k < moves; ++k) {
    auto found = movedValues.find(value);
    if (found == movedValues.end()) {
      const auto number = static_cast<uint32_t>(schedule.values.size());
      Value copied = schedule.values[value];
      copied.name = "v" + std::to_string(number);
      schedule.values.push_back(std::move(copied));
      found = movedValues.insert({value, number}).first;
    }
    value = found->second;
  }
  return {value, ref.index};
}

/// The vectors of a list that some instances have.
static std::vector<Ref> part(ArrayRef<Ref> refs, ArrayRef<int64_t> instances) {
  std::vector<Ref> chosen;
  chosen.reserve(instances.size());
  for (int64_t i : instances)
    chosen.push_back(refs[i]);
  return chosen;
}

//===--- Patterns ---------------------------------------------------------===//

Scheduler::ChainSlots Scheduler::addChain(Pattern &pattern,
                                          const ChainRows &rows, const Run &run,
                                          int64_t position, int64_t begin,
                                          int64_t step) {
  ChainSlots slots;
  slots.count = run.count();
  slots.step = step;
  slots.begin = begin;
  std::vector<std::pair<Queue, CycleSet *>> alus;
  for (int64_t alu = 0; alu < machine.vxm.alus; ++alu) {
    Queue queue{position, QueueKind::alu, alu};
    alus.emplace_back(queue, &table.cyclesOf(queue));
  }
  const int64_t move = machine.delayOf(AluOp::move);
  auto issue = [&](int64_t at, int64_t times) {
    const size_t first = pattern.issues.size();
    for (int64_t k = 0; k < times; ++k)
      pattern.issues.push_back(
          {alus, {begin + at + k * move, slots.count, step, 1}});
    return first;
  };
  slots.productMoves = issue(0, rows.timing.productMoves);
  for (auto [k, source] : llvm::enumerate(rows.timing.sources)) {
    slots.sources.push_back(pattern.legs.size());
    table.addReads(pattern,
                   *run.homes[run.homes.size() - rows.sources.size() + k],
                   part(rows.sources[k], run.instances), position,
                   begin + source.at, step);
    slots.sourceMoves.push_back(issue(source.at, source.moves));
  }
  for (const ChainTiming::Node &node : rows.timing.nodes) {
    slots.nodes.push_back(issue(node.begin, 1));
    slots.nodeMoves.push_back(issue(node.begin + node.delay, node.moves));
  }
  for (auto [target, k] : llvm::zip(run.targets, rows.written)) {
    slots.targets.push_back(pattern.legs.size());
    const ChainTiming::Node &node = rows.timing.nodes[k];
    table.addWrites(pattern, *target, part(rows.nodes[k], run.instances),
                    position, begin + node.begin + node.delay, step);
  }
  return slots;
}

static Port aluPort(int64_t alu, const Ref &ref) {
  Port port;
  port.kind = Port::Kind::alu;
  port.index.start = alu;
  port.name = {ref.value, {ref.index, 0}};
  return port;
}

namespace {
/// Emits the instructions of one run of chains.
class ChainLines {
public:
  /// What is moved: where it comes from, and the first of its moves.
  struct Moved {
    const std::vector<Ref> *refs = nullptr;
    StreamList streams;
    int64_t alu = -1;
    size_t firstMove = 0;
  };
  Emitter &emitter;
  const Pattern &pattern;
  const Placed &placed;
  ArrayRef<int64_t> instances;
  function_ref<Ref(const Ref &, int64_t)> moved;

  /// Of instance `i`, after `moves` moves.
  [[nodiscard]] Port port(const Moved &from, int64_t moves, int64_t i) const {
    const Ref ref = moved((*from.refs)[i], moves);
    if (moves > 0)
      return aluPort(placed.queues[from.firstMove + moves - 1].index, ref);
    return from.alu < 0 ? streamPort(from.streams, ref)
                        : aluPort(from.alu, ref);
  }

  /// One instruction for each instance.
  void emit(size_t issue,
            function_ref<void(Instruction &, int64_t instance)> fill) const {
    Emitter::Run run(emitter);
    for (auto [n, instance] : llvm::enumerate(instances)) {
      Instruction instruction;
      instruction.opcode = Opcode::alu;
      instruction.queue = placed.queues[issue];
      instruction.cycle = placed.begin + pattern.issues[issue].cycles.at(
                                             static_cast<int64_t>(n));
      fill(instruction, instance);
      run.add(std::move(instruction));
    }
  }

  void emitMoves(const Moved &from, int64_t moves, DType type) const {
    for (int64_t k = 0; k < moves; ++k)
      emit(from.firstMove + k, [&](Instruction &instruction, int64_t i) {
        instruction.alu = AluOp::move;
        instruction.type = isFloat(type) ? DType::F32 : DType::I32;
        instruction.operands = {port(from, k, i)};
        instruction.results = {aluPort(0, moved((*from.refs)[i], k + 1))};
      });
  }
};
} // namespace

void Scheduler::emitChain(const ChainRows &rows, const Run &run,
                          const ChainSlots &slots, const Pattern &pattern,
                          const Placed &placed) {
  if (!table.emitter.keepsLines)
    return;
  auto name = [&](const Ref &ref, int64_t moves) { return moved(ref, moves); };
  const ChainLines lines{table.emitter, pattern, placed, run.instances, name};
  auto planes = [&](ArrayRef<Ref> refs) {
    return static_cast<size_t>(planesOf(refs.front().value));
  };
  auto typeOf = [&](ArrayRef<Ref> refs) {
    return program.values[refs.front().value].dtype;
  };
  ChainLines::Moved product;
  if (slots.product) {
    product = {&rows.products,
               placed.streamsOf(*slots.product, planes(rows.products)), -1,
               slots.productMoves};
    lines.emitMoves(product, rows.timing.productMoves, typeOf(rows.products));
  }
  std::vector<ChainLines::Moved> sources, nodes;
  for (auto [k, refs] : llvm::enumerate(rows.sources)) {
    sources.push_back({&refs, placed.streamsOf(slots.sources[k], planes(refs)),
                       -1, slots.sourceMoves[k]});
    lines.emitMoves(sources.back(), rows.timing.sources[k].moves, typeOf(refs));
  }
  for (auto [k, refs] : llvm::enumerate(rows.nodes)) {
    nodes.push_back(
        {&refs, {}, placed.queues[slots.nodes[k]].index, slots.nodeMoves[k]});
    lines.emitMoves(nodes.back(), rows.timing.nodes[k].moves, typeOf(refs));
  }
  for (auto [k, vectorOp] : llvm::enumerate(rows.ops)) {
    VectorAluOp op = vectorOp->alu();
    const AluOp operation = *aluFromName(op.getName());
    ArrayAttr literals = op.getNumbersAttr();
    const auto written = llvm::find(rows.written, k) - rows.written.begin();
    const bool isWritten =
        written < static_cast<std::ptrdiff_t>(rows.written.size());
    StreamList streams;
    if (isWritten)
      streams = placed.streamsOf(slots.targets[written], planes(rows.nodes[k]));
    lines.emit(slots.nodes[k], [&](Instruction &instruction, int64_t i) {
      instruction.alu = operation;
      instruction.type = *valueType(op.getOperandType());
      size_t next = 0;
      for (int operand = 0; operand < aluOperands(operation); ++operand) {
        if (auto literal =
                literals ? dyn_cast<FloatAttr>(literals[operand]) : nullptr) {
          Port port;
          port.kind = Port::Kind::number;
          port.number = literal.getValueAsDouble();
          instruction.operands.push_back(port);
          continue;
        }
        const ChainInput &input = rows.timing.nodes[k].inputs[next++];
        const ChainLines::Moved &from =
            input.kind == ChainInput::Kind::product ? product
            : input.kind == ChainInput::Kind::node  ? nodes[input.number]
                                                    : sources[input.number];
        instruction.operands.push_back(lines.port(from, input.moves, i));
      }
      instruction.results = {isWritten ? streamPort(streams, rows.nodes[k][i])
                                       : aluPort(0, rows.nodes[k][i])};
    });
  }
}

//===--- Placing ----------------------------------------------------------===//

Status Scheduler::placeChains(ArrayRef<int32_t> numbers) {
  if (vxm < 0)
    return Status::unsupported("the machine has no vxm, which computes "
                               "elements");
  const ChainRows rows = chainRowsOf(numbers);
  const int64_t from = readyAt(rows.sources);
  std::set<Bank> avoid;
  for (const std::vector<Ref> &refs : rows.sources)
    avoid.merge(banksOf(refs));
  for (size_t k : rows.written) {
    TILEWRIGHT_RETURN_IF_ERROR(makeTargets(rows.nodes[k], vxm, avoid, from));
    avoid.merge(banksOf(rows.nodes[k]));
  }
  return placeRows(rows);
}

/// A single operation whose sources are there some turns early, and are moved
/// on until then.
static void takeTurns(ChainTiming &timing, ArrayRef<int64_t> turns,
                      int64_t move) {
  for (auto [source, turn] : llvm::zip(timing.sources, turns)) {
    source.at -= turn * move;
    source.moves += turn;
  }
  for (ChainInput &input : timing.nodes.front().inputs)
    input.moves += turns[input.number];
}

Status Scheduler::placeRows(const ChainRows &rows) {
  const auto count = static_cast<int64_t>(rows.nodes.front().size());
  const bool isSingle = rows.nodes.size() == 1;
  SmallVector<Operand, 3> operands;
  for (const std::vector<Ref> &refs : rows.sources)
    operands.push_back({refs, vxm});
  StatusOr<std::vector<Run>> runs =
      makeRuns(count, operands, rows.writtenRefs(), isSingle);
  if (!runs.ok() && !isSingle)
    return placeRowsApart(rows, llvm::to_vector(llvm::seq<int64_t>(0, count)));
  TILEWRIGHT_RETURN_IF_ERROR(runs.status());
  for (const Run &run : *runs)
    if (!placeRun(rows, run).ok())
      TILEWRIGHT_RETURN_IF_ERROR(isSingle
                                     ? placeInTurns(rows, run)
                                     : placeRowsApart(rows, run.instances));
  return {};
}

Status Scheduler::placeRun(const ChainRows &rows, const Run &run) {
  if (llvm::any_of(run.turns, [](int64_t turn) { return turn > 0; })) {
    ChainRows early = rows;
    takeTurns(early.timing, run.turns, machine.delayOf(AluOp::move));
    return placeRunAsTimed(early, run);
  }
  return placeRunAsTimed(rows, run);
}

Status Scheduler::placeRunAsTimed(const ChainRows &rows, const Run &run) {
  Pattern pattern;
  pattern.position = vxm;
  const ChainSlots slots = addChain(pattern, rows, run, vxm, 0, 1);
  TILEWRIGHT_ASSIGN_OR_RETURN(const Placed placed, table.fit(pattern));
  emitChain(rows, run, slots, pattern, placed);
  return {};
}

Status Scheduler::placeInTurns(const ChainRows &rows, const Run &run) {
  Run single = run;
  for (auto [number, turn] : llvm::enumerate(single.turns))
    turn = static_cast<int64_t>(number);
  for (int64_t instance : run.instances) {
    single.instances = {instance};
    TILEWRIGHT_RETURN_IF_ERROR(placeRun(rows, single));
  }
  return {};
}

Status Scheduler::placeRowsApart(const ChainRows &rows,
                                 ArrayRef<int64_t> instances) {
  for (size_t k = 0; k < rows.nodes.size(); ++k) {
    ChainRows single;
    single.ops = {rows.ops[k]};
    single.nodes = {part(rows.nodes[k], instances)};
    single.written = {0};
    ChainTiming::Node node = rows.timing.nodes[k];
    node.begin = node.moves = 0;
    std::vector<std::pair<ChainInput::Kind, size_t>> seen;
    for (ChainInput &input : node.inputs) {
      const std::pair<ChainInput::Kind, size_t> from{input.kind, input.number};
      const auto number = llvm::find(seen, from) - seen.begin();
      if (number == static_cast<std::ptrdiff_t>(seen.size())) {
        seen.push_back(from);
        const std::vector<Ref> &refs =
            input.kind == ChainInput::Kind::product ? rows.products
            : input.kind == ChainInput::Kind::node ? rows.nodes[input.number]
                                                   : rows.sources[input.number];
        single.sources.push_back(part(refs, instances));
        single.timing.sources.push_back({single.sources.back().front(), 0, 0});
      }
      input = {ChainInput::Kind::source, static_cast<size_t>(number), 0};
    }
    single.timing.nodes = {node};
    if (!llvm::is_contained(rows.written, k))
      TILEWRIGHT_RETURN_IF_ERROR(makeTargets(single.nodes.front(), vxm, {}, 0));
    TILEWRIGHT_RETURN_IF_ERROR(placeRows(single));
  }
  return {};
}

} // namespace tilewright::spatial
