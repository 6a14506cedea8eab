// A name is made in one way (M12). All instructions that make vectors of a
// value are sorted by what they make; what makes one name is compared with its
// first maker.
#include "support/Format.h"
#include "verify/spatial/EventSweep.h"
#include "verify/spatial/Rules.h"
#include <algorithm>
#include <bit>

namespace tilewright::verify {

using namespace spatial;

namespace {

/// An instruction that makes a name; `which` of its results it is.
struct Making {
  uint32_t value = 0, line = 0;
  int64_t index = 0, cycle = 0, repetition = 0;
  uint32_t which = 0;
};

class NameCheck {
public:
  NameCheck(const Timetable &timetable, FindingList &findings)
      : timetable(timetable), schedule(timetable.schedule), findings(findings) {
  }

  /// Of the lines that make vectors of one value.
  void check(const std::vector<uint32_t> &lines);

private:
  void checkMakings();
  bool sameWay(const Making &a, const Making &b) const;
  void report(const Making &making, const Making *first);

  const Timetable &timetable;
  const Schedule &schedule;
  FindingList &findings;
  std::vector<Making> makings;
};

bool makesNames(Opcode opcode) {
  switch (opcode) {
  case Opcode::gather:
  case Opcode::mul:
  case Opcode::alu:
  case Opcode::map:
  case Opcode::transpose:
    return true;
  case Opcode::read:
  case Opcode::write:
  case Opcode::load:
  case Opcode::send:
  case Opcode::receive:
    break;
  }
  return false;
}

/// Numbers are equal that are one f32, or one i32.
bool sameNumber(DType type, double a, double b) {
  if (type == DType::F32)
    return std::bit_cast<uint32_t>(static_cast<float>(a)) ==
           std::bit_cast<uint32_t>(static_cast<float>(b));
  return a == b;
}

bool NameCheck::sameWay(const Making &a, const Making &b) const {
  const Instruction &one = *timetable.lines[a.line].instruction;
  const Instruction &other = *timetable.lines[b.line].instruction;
  if (a.which != b.which || one.opcode != other.opcode ||
      one.operands.size() != other.operands.size() || one.rows != other.rows)
    return false;
  if (one.opcode == Opcode::alu &&
      (one.alu != other.alu || one.type != other.type))
    return false;
  if (one.opcode == Opcode::mul && one.type != other.type)
    return false;
  if (one.opcode == Opcode::map && one.map != other.map &&
      schedule.maps[one.map].lanes != schedule.maps[other.map].lanes)
    return false;
  for (size_t i = 0; i < one.operands.size(); ++i) {
    const Port &left = one.operands[i], &right = other.operands[i];
    bool isNumber = left.kind == Port::Kind::number;
    if (isNumber != (right.kind == Port::Kind::number))
      return false;
    if (isNumber ? !sameNumber(one.type, left.number, right.number)
                 : left.name.value != right.name.value ||
                       left.name.index.at(a.repetition) !=
                           right.name.index.at(b.repetition))
      return false;
  }
  return true;
}

void NameCheck::report(const Making &making, const Making *first) {
  if (!findings.wants(making.cycle))
    return;
  std::string name = printName(schedule, making.value, making.index);
  std::string message =
      format("{} is an input or a constant, and cannot be made", {name});
  if (first) {
    const Instruction &other = *timetable.lines[first->line].instruction;
    message = format(
        "{} is made in a second way; the first, in cycle {}: {} "
        "(line {})",
        {name, first->cycle, printInstruction(schedule, other), other.line});
  }
  findings.add(FindingCode::wrongOperand, making.cycle, making.line,
               FindingPart::defines, std::move(message));
}

void NameCheck::check(const std::vector<uint32_t> &lines) {
  EventSweep sweep(timetable);
  for (uint32_t line : lines) {
    const Instruction &instruction = *timetable.lines[line].instruction;
    auto results = static_cast<uint32_t>(instruction.opcode == Opcode::transpose
                                             ? schedule.machine.sxm->transpose
                                             : 1);
    // Later runs make names of their own, each as the first run does. Of what
    // makes one name again and again, two show whether it is in one way.
    const Affine &index = instruction.results.front().name.index;
    for (uint32_t i = 0; i < results; ++i)
      sweep.add({line, 0, index.at(0) + i, index.step, i});
  }
  while (sweep.next()) {
    makings.clear();
    sweep.forEach([&](uint32_t which, uint32_t line, const Issue &issue) {
      const VectorName &name =
          timetable.lines[line].instruction->results.front().name;
      makings.push_back({name.value, line,
                         name.index.at(issue.repetition) + which, issue.cycle,
                         issue.repetition, which});
    });
    checkMakings();
  }
}

void NameCheck::checkMakings() {
  std::ranges::sort(makings, {}, [&](const Making &making) {
    return std::tuple(making.index, making.cycle,
                      timetable.lines[making.line].queue, making.line);
  });
  const Making *first = nullptr;
  for (const Making &making : makings) {
    if (!first || first->index != making.index)
      first = &making;
    if (timetable.isGiven(making.value))
      report(making, nullptr);
    else if (first != &making && !sameWay(*first, making))
      report(making, first);
  }
}

} // namespace

void checkNames(const Timetable &timetable, FindingList &findings) {
  std::map<uint32_t, std::vector<uint32_t>> makers;
  for (const TimedQueue &queue : timetable.queues)
    for (uint32_t line : queue.lines) {
      const Instruction &instruction = *timetable.lines[line].instruction;
      if (makesNames(instruction.opcode))
        makers[instruction.results.front().name.value].push_back(line);
    }
  for (const auto &[value, lines] : makers)
    NameCheck(timetable, findings).check(lines);
}

} // namespace tilewright::verify
