#include "spatial/simulator/MemoryUnits.h"

#include "support/Format.h"

namespace tilewright::spatial {

MemoryUnits::Bank &MemoryUnits::bank(int64_t chip, const Queue &queue) {
  std::vector<Bank> &banks = units[core.unitOf(chip, queue.position)];
  auto index = static_cast<size_t>(queue.index);
  if (banks.size() <= index)
    banks.resize(index + 1);
  return banks[index];
}

void MemoryUnits::place(int64_t chip, const Queue &queue, int64_t row,
                        NamedPlane plane) {
  bank(chip, queue)[row] = {std::move(plane), core.now};
}

const NamedPlane *MemoryUnits::held(int64_t chip, const Queue &queue,
                                    int64_t row) const {
  const std::vector<Bank> &banks = units[core.unitOf(chip, queue.position)];
  auto index = static_cast<size_t>(queue.index);
  if (banks.size() <= index)
    return nullptr;
  auto found = banks[index].find(row);
  return found == banks[index].end() ? nullptr : &found->second.plane;
}

const MemoryUnits::Row *MemoryUnits::checkedRow(const Issue &issue,
                                                int64_t number, NameId name,
                                                int64_t plane) {
  Bank &rows = bank(issue.line->chip, issue.instruction().queue);
  auto found = rows.find(number);
  const Row *row = found == rows.end() ? nullptr : &found->second;
  if (!row || row->readableFrom > core.now) {
    std::string state = row ? format("its content is readable from cycle {} on",
                                     {row->readableFrom})
                            : "which nothing was written to";
    core.findings.add(FindingCode::undefinedRead, issue, core.now,
                      format("expected {}.{} in row {}, {}",
                             {core.names.print(name), plane, number, state}));
    return nullptr;
  }
  if (row->plane.name == name && row->plane.plane == plane)
    return row;
  core.findings.add(
      FindingCode::wrongOperand, issue, core.now,
      format("expected {}.{} in row {}, found {}.{}",
             {core.names.print(name), plane, number,
              core.names.print(row->plane.name), row->plane.plane}));
  return nullptr;
}

void MemoryUnits::read(const Issue &issue) {
  const Instruction &in = issue.instruction();
  const Port &from = in.operands[0];
  NameId name = core.nameOf(issue, from);
  const Row *row = checkedRow(issue, issue.at(from.index), name, from.plane);
  core.putPlane(issue, in.results[0].streams[0],
                {name, from.plane, row ? row->plane.lanes : core.zeros},
                core.now + resultDelay(core.machine, in));
}

void MemoryUnits::write(const Issue &issue) {
  const Instruction &in = issue.instruction();
  const Port &from = in.operands[0];
  NameId name = core.nameOf(issue, from);
  VectorRef lanes = core.takePlane(issue, from.streams[0], name, from.plane);
  int64_t readableFrom = core.now + core.machine.mem.writeDelay;
  bank(issue.line->chip, in.queue)[issue.at(in.results[0].index)] = {
      {name, from.plane, std::move(lanes)}, readableFrom};
  if (issue.repetition == 0)
    end = std::max(end, readableFrom + 1);
}

void MemoryUnits::gather(const Issue &issue) {
  const Instruction &in = issue.instruction();
  const Port &table = in.operands[0], &to = in.results[0];
  VectorRef index = core.takeVector(issue, in.operands[1]);
  auto n = static_cast<int32_t>(index.lanes()[0]);
  if (n < 0 || n >= in.rows)
    core.findings.add(
        FindingCode::capacity, issue, core.now,
        format("expected an index from 0 to {}, found {}", {in.rows - 1, n}));
  // Whatever the index is, the table must be there.
  VectorRef lanes = core.zeros;
  for (int64_t i = 0; i < in.rows; ++i) {
    const Row *row = checkedRow(issue, issue.at(table.index) + i,
                                core.nameOf(issue, table, i), table.plane);
    if (!row)
      break;
    if (i == n)
      lanes = row->plane.lanes;
  }
  core.putPlane(issue, to.streams[0], {core.nameOf(issue, to), to.plane, lanes},
                core.now + resultDelay(core.machine, in));
}

} // namespace tilewright::spatial
