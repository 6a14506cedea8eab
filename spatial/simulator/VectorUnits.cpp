#include "spatial/simulator/VectorUnits.h"

#include "support/Format.h"

namespace tilewright::spatial {

VectorRef VectorUnits::takeResult(const Issue &issue, const Port &port) {
  NameId name = core.nameOf(issue, port);
  auto index = static_cast<size_t>(issue.at(port.index));
  const std::vector<Alu> &alus = units[core.unitOf(issue)];
  const Result *other = nullptr;
  if (index < alus.size())
    for (const Result &result : alus[index]) {
      if (result.cycle != core.now)
        continue;
      // Two operations of different delays may end together.
      if (result.name == name)
        return result.lanes;
      other = &result;
    }
  std::string where = format("as the result of a{}", {index});
  if (other)
    core.checkName(issue, other->name, name, where);
  else
    core.findings.add(
        FindingCode::missingOperand, issue, core.now,
        format("expected {} {}, found none", {core.names.print(name), where}));
  return core.zeros;
}

/// A vector, or nothing and `number`.
VectorRef VectorUnits::operand(const Issue &issue, const Port &port,
                               size_t index, Lane &number) {
  if (port.kind == Port::Kind::number) {
    number = numberLane(operandType(issue.instruction(), index), port.number);
    return {};
  }
  return port.kind == Port::Kind::alu ? takeResult(issue, port)
                                      : core.takeVector(issue, port);
}

void VectorUnits::alu(const Issue &issue) {
  const Instruction &in = issue.instruction();
  std::array<VectorRef, 3> vectors;
  std::array<Lane, 3> numbers = {};
  std::array<std::span<const Lane>, 3> operands;
  for (size_t i = 0; i < in.operands.size(); ++i) {
    vectors[i] = operand(issue, in.operands[i], i, numbers[i]);
    operands[i] = vectors[i] ? std::span<const Lane>(vectors[i].lanes())
                             : std::span<const Lane>(&numbers[i], 1);
  }
  VectorRef lanes(core.pool);
  evaluateAlu(in.alu, in.type, std::span(operands).first(in.operands.size()),
              core.typeOf(in.results[0]), lanes.lanes());

  int64_t ready = core.now + resultDelay(core.machine, in);
  for (const Port &to : in.results)
    if (to.kind == Port::Kind::streams)
      core.putVector(issue, to, 0, lanes, ready);
  std::vector<Alu> &alus = units[core.unitOf(issue)];
  auto index = static_cast<size_t>(in.queue.index);
  if (alus.size() <= index)
    alus.resize(index + 1);
  std::erase_if(alus[index],
                [&](const Result &result) { return result.cycle < core.now; });
  alus[index].push_back(
      {ready, core.nameOf(issue, in.results[0]), std::move(lanes)});
}

void VectorUnits::map(const Issue &issue) {
  const Instruction &in = issue.instruction();
  VectorRef first = core.takeVector(issue, in.operands[0]);
  VectorRef second =
      in.operands.size() > 1 ? core.takeVector(issue, in.operands[1]) : first;
  VectorRef lanes(core.pool);
  std::span<const int32_t> sources = core.schedule.maps[in.map].lanes;
  std::span<const Lane> low = first.lanes(), high = second.lanes();
  std::span<Lane> result = lanes.lanes();
  for (size_t i = 0; i < result.size(); ++i) {
    auto source = static_cast<size_t>(sources[i]);
    result[i] = sources[i] < 0        ? 0
                : source < low.size() ? low[source]
                                      : high[source - low.size()];
  }
  core.putVector(issue, in.results[0], 0, lanes,
                 core.now + resultDelay(core.machine, in));
}

void VectorUnits::transpose(const Issue &issue) { take({issue, {}}); }

void VectorUnits::take(Transposition transposition) {
  const Issue &issue = transposition.issue;
  auto size = static_cast<size_t>(core.machine.sxm->transpose);
  auto index = static_cast<int64_t>(transposition.operands.size());
  const Port &from = issue.instruction().operands[0];
  // All operands come over the same streams.
  Port port = from;
  port.name.index.start += index;
  transposition.operands.push_back(core.takeVector(issue, port));
  if (transposition.operands.size() == size)
    finish(transposition);
  else
    transpositions.add(core.now + 1, std::move(transposition));
}

void VectorUnits::finish(const Transposition &transposition) {
  const Issue &issue = transposition.issue;
  size_t size = transposition.operands.size();
  for (size_t i = 0; i < size; ++i) {
    VectorRef lanes(core.pool);
    std::span<Lane> result = lanes.lanes();
    for (size_t lane = 0; lane < result.size(); ++lane) {
      size_t block = lane - lane % size;
      result[lane] = transposition.operands[lane % size].lanes()[block + i];
    }
    core.putVector(
        issue, issue.instruction().results[0], static_cast<int64_t>(i), lanes,
        core.now + core.machine.sxm->delay + static_cast<int64_t>(i));
  }
}

void VectorUnits::takeDue() {
  transpositions.take(core.now, due);
  for (Transposition &transposition : due)
    take(std::move(transposition));
}

} // namespace tilewright::spatial
