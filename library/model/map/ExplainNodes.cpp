//===- ExplainNodes.cpp - What the nodes of a model take ------------------===//
#include "library/model/map/ExplainNodes.h"

#include "library/model/map/Bounds.h"
#include "spatial/ir/Spatial.h"
#include "spatial/program/Use.h"
#include "spatial/transforms/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {

using spatial::Instruction;
using spatial::Machine;
using spatial::Opcode;
using spatial::QueueKind;

namespace {
/// What binds a node: its longest chain, and for how long its instructions keep
/// queues.
struct Work {
  int64_t chain = 0;
  std::map<QueueKind, int64_t> busy;
};

class NodeReport {
public:
  NodeReport(func::FuncOp vectors, const spatial::Schedule &schedule,
             MapModelReport &report)
      : vectors(vectors), schedule(schedule), machine(schedule.machine),
        report(report) {}

  void run();

private:
  /// The number of a node, or -1; a new one if it is `added`.
  int64_t nodeNumber(StringRef name, bool isAdded);
  void countOps();
  void addInstruction(const Instruction &in);
  void addBound(MapNode &node, const Work &work) const;
  void addLayouts();

  func::FuncOp vectors;
  const spatial::Schedule &schedule;
  const Machine &machine;
  MapModelReport &report;
  llvm::StringMap<int64_t> numbers;
  /// By node.
  std::vector<Work> work;
  /// By value: its node, and the longest chain of the node that ends there.
  llvm::DenseMap<Value, std::pair<int64_t, Arrival>> ends;
};
} // namespace

int64_t NodeReport::nodeNumber(StringRef name, bool isAdded) {
  auto found = numbers.find(name);
  if (found != numbers.end())
    return found->second;
  if (!isAdded)
    return -1;
  const auto number = static_cast<int64_t>(report.nodes.size());
  numbers[name] = number;
  report.nodes.emplace_back().name = name.str();
  report.nodes.back().begin = INT64_MAX;
  work.emplace_back();
  return number;
}

//===--- The program ------------------------------------------------------===//

void NodeReport::countOps() {
  for (Operation &op : vectors.getBody().front().without_terminator()) {
    if (isa<spatial::ConstantOp>(op))
      continue;
    // A selection is of no node.
    const bool isSelection = isa<spatial::SelectVectorsOp>(op);
    const int64_t node = nodeNumber(spatial::nodeOf(op.getLoc()), !isSelection);
    SmallVector<Arrival> operands;
    for (Value operand : op.getOperands()) {
      auto found = ends.find(operand);
      // A node begins when it takes its first operand; weights are loaded
      // before.
      operands.push_back(found != ends.end() && found->second.first == node
                             ? found->second.second
                             : Arrival{-2, false});
    }
    const Arrival end = arrivalAfter(&op, operands, machine);
    ends[op.getResult(0)] = {node, end};
    if (!isSelection)
      work[node].chain = std::max(work[node].chain, end.cycle);
  }
}

//===--- The schedule -----------------------------------------------------===//

/// The value that an instruction makes, or puts into memory.
static std::optional<uint32_t> madeValue(const Instruction &in) {
  if (in.results.empty())
    return std::nullopt;
  return in.results.front().name.value;
}

static const char *opName(const Instruction &in) {
  switch (in.opcode) {
  case Opcode::mul:
    return "mul";
  case Opcode::alu:
    return "alu";
  case Opcode::map:
    return "map";
  case Opcode::transpose:
    return "transpose";
  case Opcode::gather:
    return "gather";
  default:
    return nullptr; // It makes no vector.
  }
}

void NodeReport::addInstruction(const Instruction &in) {
  std::optional<uint32_t> value = madeValue(in);
  if (!value)
    return;
  const int64_t number = nodeNumber(schedule.values[*value].node, false);
  if (number < 0)
    return;
  MapNode &node = report.nodes[number];
  const int64_t last = in.cycle + (in.count - 1) * in.step;
  if (in.opcode == Opcode::write)
    node.end = std::max(node.end, last + machine.mem.writeDelay);
  const char *name = opName(in);
  if (!name)
    return;
  node.instructions[name] += in.count;
  work[number].busy[in.queue.kind] +=
      in.count * spatial::busyCycles(machine, in);
  node.begin = std::min(node.begin, in.cycle);
  node.end = std::max(node.end, last + spatial::cyclesToResult(machine, in));
}

void NodeReport::addBound(MapNode &node, const Work &work) const {
  node.lowerBound = work.chain;
  node.binds = "chain";
  for (auto [kind, busy] : work.busy) {
    int64_t queues = 0;
    for (int64_t position : machine.positionsOf(spatial::unitOf(kind)))
      queues += spatial::queuesOf(machine, position, kind);
    const int64_t cycles = (busy + queues - 1) / std::max<int64_t>(queues, 1);
    if (cycles > node.lowerBound) {
      node.lowerBound = cycles;
      node.binds = spatial::unitName(spatial::unitOf(kind));
    }
  }
}

//===--- Layouts ----------------------------------------------------------===//

static MapLayout layoutFrom(DictionaryAttr entry) {
  MapLayout layout;
  layout.shape = entry.getAs<DenseI64ArrayAttr>("shape").asArrayRef().vec();
  layout.lanes = entry.getAs<DenseI64ArrayAttr>("lanes").asArrayRef().vec();
  layout.vectors = entry.getAs<IntegerAttr>("vectors").getInt();
  layout.filled = entry.getAs<FloatAttr>("filled").getValueAsDouble();
  for (auto operand :
       entry.getAs<ArrayAttr>("operands").getAsRange<DictionaryAttr>())
    layout.operands.emplace_back(operand.getAs<StringAttr>("node").str(),
                                 operand.getAs<StringAttr>("lies").str());
  return layout;
}

void NodeReport::addLayouts() {
  auto entries = vectors->getAttrOfType<ArrayAttr>(spatial::kLayoutsAttr);
  if (!entries)
    return;
  for (auto entry : entries.getAsRange<DictionaryAttr>()) {
    const StringRef name = entry.getAs<StringAttr>("node").getValue();
    if (entry.get("input"))
      report.inputs.emplace_back(name.str(), layoutFrom(entry));
    else if (int64_t number = nodeNumber(name, false); number >= 0)
      report.nodes[number].layouts.push_back(layoutFrom(entry));
  }
}

void NodeReport::run() {
  countOps();
  for (const Instruction &in : schedule.instructions[0])
    addInstruction(in);
  for (auto [node, of] : llvm::zip(report.nodes, work)) {
    node.begin = std::min(node.begin, node.end);
    addBound(node, of);
  }
  addLayouts();
}

void explainNodes(func::FuncOp vectors, const spatial::Schedule &schedule,
                  MapModelReport &report) {
  NodeReport(vectors, schedule, report).run();
}

} // namespace tilewright
