#include "support/Format.h"
#include "verify/spatial/EventSweep.h"
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
  LinkCheck(const Timetable &timetable, FindingList &findings, LinkEnd receiver)
      : timetable(timetable), findings(findings), receiver(receiver) {}

  void check(const std::vector<uint32_t> &sends,
             const std::vector<uint32_t> &receives);

private:
  void checkReceive(uint32_t line, const Issue &issue);
  void reportLost();

  const Timetable &timetable;
  FindingList &findings;
  const LinkEnd receiver;
  std::vector<Packet> packets;
};

void LinkCheck::check(const std::vector<uint32_t> &sends,
                      const std::vector<uint32_t> &receives) {
  enum Tag : uint32_t { send, receive };
  const std::optional<Machine::Link> &facts = timetable.schedule.machine.link;
  int64_t delay =
      facts ? facts->vectorCycles + facts->latency + facts->guard : 0;
  EventSweep sweep(timetable);
  for (uint32_t line : sends)
    sweep.add(line, delay, send);
  for (uint32_t line : receives)
    sweep.add(line, 0, receive);
  while (sweep.next()) {
    packets.clear();
    sweep.forEach([&](uint32_t tag, uint32_t line, const Issue &issue) {
      const Instruction &instruction = *timetable.lines[line].instruction;
      if (tag == receive)
        return;
      const Port &sent = instruction.operands.front();
      packets.push_back({issue.cycle + delay,
                         timetable.nameAt(sent.name, issue, 0, sent.plane),
                         line});
    });
    std::ranges::sort(packets, {}, &Packet::arrival);
    sweep.forEach([&](uint32_t tag, uint32_t line, const Issue &issue) {
      if (tag == receive)
        checkReceive(line, issue);
    });
    reportLost();
  }
}

void LinkCheck::checkReceive(uint32_t line, const Issue &issue) {
  const Port &result = timetable.lines[line].instruction->results.front();
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
    findings.add(
        FindingCode::wrongOperand, issue.cycle, line, FindingPart::operands,
        format("expected {}, but {} arrives",
               {timetable.print(name), timetable.print(arriving.back().name)}));
}

void LinkCheck::reportLost() {
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
    auto sender = senders.find(end);
    LinkCheck(timetable, findings, end)
        .check(sender == senders.end() ? none : sender->second->lines,
               receiver ? receiver->lines : none);
  }
}

} // namespace tilewright::verify
