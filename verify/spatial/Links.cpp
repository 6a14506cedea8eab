#include "support/Format.h"
#include "verify/spatial/Rules.h"
#include <algorithm>

namespace tilewright::verify {

using namespace spatial;

namespace {

struct Packet {
  int64_t arrival = 0;
  PlaneName name;
  uint32_t line = 0;
  bool isReceived = false;
};

/// The other end of a link, where packets of one sender are received.
class LinkCheck {
public:
  LinkCheck(const Timetable &timetable, FindingList &findings)
      : timetable(timetable), findings(findings) {}

  void addSends(const std::vector<uint32_t> &lines);
  void checkReceives(const std::vector<uint32_t> &lines);
  void reportLost(LinkEnd receiver);

private:
  const Timetable &timetable;
  FindingList &findings;
  std::vector<Packet> packets;
};

void LinkCheck::addSends(const std::vector<uint32_t> &lines) {
  const Machine::Link &link = *timetable.schedule.machine.link;
  for (uint32_t line : lines) {
    const Port &operand = timetable.lines[line].instruction->operands.front();
    timetable.forEachIssue(line, [&](const Issue &issue) {
      packets.push_back(
          {issue.cycle + link.vectorCycles + link.latency + link.guard,
           timetable.nameAt(operand.name, issue, 0, operand.plane), line});
    });
  }
  std::ranges::sort(packets, {}, &Packet::arrival);
}

void LinkCheck::checkReceives(const std::vector<uint32_t> &lines) {
  for (uint32_t line : lines) {
    const Port &result = timetable.lines[line].instruction->results.front();
    timetable.forEachIssue(line, [&](const Issue &issue) {
      PlaneName name = timetable.nameAt(result.name, issue, 0, result.plane);
      auto arriving =
          std::ranges::equal_range(packets, issue.cycle, {}, &Packet::arrival);
      for (Packet &packet : arriving)
        packet.isReceived = true;
      if (!findings.wants(issue.cycle))
        return;
      if (arriving.empty())
        findings.add(FindingCode::lateReceive, issue.cycle, line,
                     FindingPart::operands,
                     format("expected {}, but nothing arrives in cycle {}",
                            {timetable.print(name), issue.cycle}));
      else if (arriving.back().name != name)
        findings.add(FindingCode::wrongOperand, issue.cycle, line,
                     FindingPart::operands,
                     format("expected {}, but {} arrives",
                            {timetable.print(name),
                             timetable.print(arriving.back().name)}));
    });
  }
}

void LinkCheck::reportLost(LinkEnd receiver) {
  for (const Packet &packet : packets)
    if (!packet.isReceived && findings.wants(packet.arrival))
      findings.add(FindingCode::lostValue, packet.arrival, packet.line,
                   FindingPart::operands,
                   format("{} arrives at link {} of chip {} in cycle {}, and "
                          "nothing receives it",
                          {timetable.print(packet.name), receiver.link,
                           receiver.chip, packet.arrival}));
}

} // namespace

void checkLinks(const Timetable &timetable, FindingList &findings) {
  const Machine &machine = timetable.schedule.machine;
  std::map<LinkEnd, const TimedQueue *> senders, receivers;
  for (const TimedQueue &queue : timetable.queues) {
    if (queue.lines.empty())
      continue;
    LinkEnd end{queue.chip, queue.queue.index};
    if (queue.queue.kind == QueueKind::send)
      senders[machine.links.at(end)] = &queue;
    if (queue.queue.kind == QueueKind::receive)
      receivers[end] = &queue;
  }
  static const std::vector<uint32_t> none;
  for (auto [end, queue] : senders)
    receivers.try_emplace(end, nullptr);
  for (auto [end, receiver] : receivers) {
    LinkCheck link(timetable, findings);
    auto sender = senders.find(end);
    if (sender != senders.end())
      link.addSends(sender->second->lines);
    link.checkReceives(receiver ? receiver->lines : none);
    link.reportLost(end);
  }
}

} // namespace tilewright::verify
