#include "spatial/simulator/LinkUnits.h"

#include "support/Format.h"

namespace tilewright::spatial {

void LinkUnits::send(const Issue &issue) {
  const Instruction &in = issue.instruction();
  const Port &from = in.operands[0];
  NameId name = core.nameOf(issue, from);
  VectorRef lanes = core.takePlane(issue, from.streams[0], name, from.plane);
  const Machine::Link &link = *core.machine.link;
  packets.add(core.now + link.vectorCycles + link.latency + link.guard,
              {issue,
               {name, from.plane, std::move(lanes)},
               core.machine.links.at({issue.line->chip, in.queue.index})});
}

void LinkUnits::receive(const Issue &issue) {
  const Instruction &in = issue.instruction();
  const Port &to = in.results[0];
  NamedPlane plane = {core.nameOf(issue, to), to.plane, core.zeros};
  LinkEnd end = {issue.line->chip, in.queue.index};
  auto packet = std::ranges::find(arrived, end, &Packet::to);
  if (packet == arrived.end()) {
    core.findings.add(
        FindingCode::lateReceive, issue, core.now,
        format("expected {}.{} on link {}, nothing arrives",
               {core.names.print(plane.name), plane.plane, end.link}));
  } else if (packet->plane.name != plane.name ||
             packet->plane.plane != plane.plane) {
    core.findings.add(
        FindingCode::wrongOperand, issue, core.now,
        format("expected {}.{} on link {}, found {}.{}",
               {core.names.print(plane.name), plane.plane, end.link,
                core.names.print(packet->plane.name), packet->plane.plane}));
  } else {
    plane.lanes = packet->plane.lanes;
  }
  if (packet != arrived.end())
    packet->isReceived = true;
  core.putPlane(issue, to.streams[0], std::move(plane), core.now);
}

void LinkUnits::arriveDue() { packets.take(core.now, arrived); }

void LinkUnits::endCycle() {
  for (const Packet &packet : arrived) {
    if (packet.isReceived)
      continue;
    Queue queue = {0, QueueKind::receive, packet.to.link};
    for (int64_t position : core.machine.positionsOf(UnitKind::c2c)) {
      const Unit &unit = core.machine.units[static_cast<size_t>(position)];
      if (packet.to.link >= unit.firstLink &&
          packet.to.link < unit.firstLink + unit.links)
        queue.position = position;
    }
    core.findings.add(FindingCode::lostValue, packet.issue, core.now,
                      packet.to.chip, queue,
                      format("{}.{} arrives at link {}, and is not received",
                             {core.names.print(packet.plane.name),
                              packet.plane.plane, packet.to.link}));
  }
  arrived.clear();
}

} // namespace tilewright::spatial
