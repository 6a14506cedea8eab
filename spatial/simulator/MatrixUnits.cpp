#include "spatial/simulator/MatrixUnits.h"

#include "support/Format.h"

namespace tilewright::spatial {

MatrixUnits::Plane &MatrixUnits::plane(const Issue &issue) {
  std::vector<Plane> &planes = units[core.unitOf(issue)];
  auto index = static_cast<size_t>(issue.instruction().queue.index);
  if (planes.size() <= index)
    planes.resize(index + 1);
  return planes[index];
}

MatrixUnits::Buffer &MatrixUnits::buffer(Plane &plane, int64_t index) {
  auto number = static_cast<size_t>(index);
  if (plane.buffers.size() <= number)
    plane.buffers.resize(number + 1);
  Buffer &buffer = plane.buffers[number];
  if (buffer.names.empty()) {
    auto rows = static_cast<size_t>(core.machine.mxm.rows);
    buffer.names.resize(rows);
    buffer.rows.resize(rows);
    buffer.lanes.resize(rows);
  }
  return buffer;
}

void MatrixUnits::load(const Issue &issue) {
  const Instruction &in = issue.instruction();
  const Port &from = in.operands[0], &to = in.results[0];
  Plane &to_plane = plane(issue);
  int64_t index = issue.at(to.index);
  if (to_plane.busyUntil >= core.now && to_plane.busyBuffer == index)
    core.findings.add(FindingCode::unitBusy, issue, core.now,
                      format("a mul uses buffer {} until cycle {}",
                             {index, to_plane.busyUntil}));
  Buffer &rows = buffer(to_plane, index);
  auto vectors = static_cast<int64_t>(from.streams.size()) /
                 core.machine.planesOf(core.typeOf(from));
  for (int64_t i = 0; i < vectors; ++i) {
    auto row = static_cast<size_t>(issue.at(to.bufferRow) + i);
    rows.rows[row] = core.takeVector(issue, from, i);
    rows.lanes[row] = rows.rows[row].lanes().data();
    rows.names[row] = core.nameOf(issue, from, i);
  }
}

/// That the first rows are those that the instruction names.
bool MatrixUnits::checkBuffer(const Issue &issue, const Buffer &buffer) {
  const Instruction &in = issue.instruction();
  const Port &port = in.operands[1];
  for (int64_t k = 0; k < in.rows; ++k) {
    NameId name = core.nameOf(issue, port, k);
    const std::optional<NameId> &found = buffer.names[static_cast<size_t>(k)];
    if (found == name)
      continue;
    std::string where =
        format("in row {} of buffer {}", {k, issue.at(port.index)});
    if (found)
      return core.checkName(issue, *found, name, where);
    core.findings.add(FindingCode::undefinedRead, issue, core.now,
                      format("expected {} {}, which nothing was loaded into",
                             {core.names.print(name), where}));
    return false;
  }
  return true;
}

void MatrixUnits::mul(const Issue &issue) {
  const Instruction &in = issue.instruction();
  Plane &used = plane(issue);
  int64_t index = issue.at(in.operands[1].index);
  if (used.busyUntil >= core.now)
    core.findings.add(FindingCode::unitBusy, issue, core.now,
                      format("the mul before uses the plane until cycle {}",
                             {used.busyUntil}));
  used.busyUntil = core.now + core.machine.mxm.passes.at(in.type) - 1;
  used.busyBuffer = index;

  VectorRef x = core.takeVector(issue, in.operands[0]);
  const Buffer &weights = buffer(used, index);
  VectorRef product(core.pool);
  if (checkBuffer(issue, weights)) {
    auto columns = static_cast<size_t>(core.machine.mxm.columns);
    multiply(in.type, x.lanes(),
             std::span(weights.lanes).first(static_cast<size_t>(in.rows)),
             nullptr, product.lanes().first(columns));
    std::ranges::fill(product.lanes().subspan(columns), 0);
  } else {
    product = core.zeros;
  }
  products.add(core.now + resultDelay(core.machine, in),
               {issue, std::move(product)});
}

void MatrixUnits::accumulate(const Issue &issue, const Port &port,
                             VectorRef &lanes) {
  NameId name = core.nameOf(issue, port);
  int64_t index = issue.at(port.index);
  std::string_view what = "in its accumulator";
  auto &accumulators = plane(issue).accumulators;
  auto found = accumulators.find(index);
  if (found == accumulators.end()) {
    core.findings.add(
        FindingCode::undefinedRead, issue, core.now,
        format("expected {} in accumulator {}, which nothing was added to",
               {core.names.print(name), index}));
    return;
  }
  if (!core.checkName(issue, found->second.name, name, what))
    return;
  DType type = core.typeOf(port);
  VectorRef sums(core.pool);
  const std::span<const Lane> operands[] = {lanes.lanes(),
                                            found->second.lanes.lanes()};
  evaluateAlu(AluOp::add, type, operands, type, sums.lanes());
  // 0 + -0 is 0, so lanes beyond the columns stay 0.
  lanes = std::move(sums);
}

void MatrixUnits::finish(Product &product) {
  const Instruction &in = product.issue.instruction();
  if (in.operands.size() > 2)
    accumulate(product.issue, in.operands[2], product.lanes);
  const Port &to = in.results[0];
  if (to.kind == Port::Kind::accumulator)
    plane(product.issue).accumulators[product.issue.at(to.index)] = {
        core.nameOf(product.issue, to), product.lanes};
  else
    core.putVector(product.issue, to, 0, product.lanes, core.now);
}

void MatrixUnits::finishDue() {
  products.take(core.now, due);
  for (Product &product : due)
    finish(product);
}

} // namespace tilewright::spatial
