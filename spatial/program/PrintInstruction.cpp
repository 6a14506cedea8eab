#include "spatial/program/InstructionText.h"
#include "support/Format.h"
#include <charconv>

namespace tilewright::spatial {

static void append(std::string &out, int64_t number) {
  char digits[24];
  auto end = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, end.ptr);
}

static void append(std::string &out, const Affine &affine) {
  append(out, int64_t(affine.start));
  if (affine.step > 0)
    out += '+';
  if (affine.step != 0)
    append(out, int64_t(affine.step));
}

static void appendName(const Schedule &schedule, const VectorName &name,
                       std::string &out) {
  out += schedule.values[name.value].name;
  out += '[';
  append(out, name.index);
  out += ']';
}

static void appendStreams(const StreamList &streams, std::string &out) {
  for (size_t i = 0; i < streams.size(); ++i) {
    if (i)
      out += ',';
    out += streams[i].direction == Direction::east ? 'e' : 'w';
    append(out, static_cast<int64_t>(streams[i].number));
  }
}

static void appendPlane(const Port &port, std::string &out) {
  out += '.';
  append(out, int64_t(port.plane));
}

namespace {
/// Appends the parts of a line.
class InstructionPrinter {
public:
  InstructionPrinter(const Schedule &schedule, const Instruction &instruction,
                     std::string &out)
      : schedule(schedule), in(instruction), out(out) {}

  void print();

private:
  /// Where the port is, and its name: "e0,e1:x[0]".
  void port(const Port &port);
  /// "rR".
  void row(const Port &port);
  void results();
  void memory();

  const Schedule &schedule;
  const Instruction &in;
  std::string &out;
};
} // namespace

void InstructionPrinter::port(const Port &port) {
  switch (port.kind) {
  case Port::Kind::number:
    out += formatShortest(port.number);
    return;
  case Port::Kind::streams:
    appendStreams(port.streams, out);
    break;
  case Port::Kind::row:
    row(port);
    break;
  case Port::Kind::buffer:
    out += "buffer ";
    append(out, int64_t(port.index.start));
    break;
  case Port::Kind::accumulator:
    out += "acc ";
    append(out, port.index);
    break;
  case Port::Kind::alu:
    out += 'a';
    if (&port != in.results.data())
      append(out, int64_t(port.index.start));
    break;
  }
  out += ':';
  appendName(schedule, port.name, out);
}

void InstructionPrinter::row(const Port &port) {
  out += 'r';
  append(out, port.index);
}

void InstructionPrinter::results() {
  for (const Port &result : in.results) {
    out += " -> ";
    port(result);
  }
}

/// What a bank or a link does: one plane of a vector.
void InstructionPrinter::memory() {
  switch (in.opcode) {
  case Opcode::read:
  case Opcode::receive:
    if (in.opcode == Opcode::read)
      row(in.operands[0]), out += ':';
    appendName(schedule, in.results[0].name, out);
    appendPlane(in.results[0], out);
    out += " -> ";
    appendStreams(in.results[0].streams, out);
    break;
  case Opcode::gather:
    row(in.operands[0]);
    out += '#';
    append(out, int64_t(in.rows));
    out += ':';
    appendName(schedule, in.operands[0].name, out);
    appendPlane(in.operands[0], out);
    out += ' ';
    port(in.operands[1]);
    results();
    appendPlane(in.results[0], out);
    break;
  default: // write and send
    port(in.operands[0]);
    appendPlane(in.operands[0], out);
    if (in.opcode == Opcode::write)
      out += " -> ", row(in.results[0]);
    break;
  }
}

void InstructionPrinter::print() {
  out += '@';
  append(out, in.cycle);
  out += ' ';
  appendQueue(in.queue, out);
  out += ' ';
  out += in.opcode == Opcode::alu ? aluName(in.alu) : opcodeName(in.opcode);
  out += ' ';
  switch (in.opcode) {
  case Opcode::load:
    port(in.operands[0]);
    out += " -> buffer ";
    append(out, int64_t(in.results[0].index.start));
    out += " row ";
    append(out, in.results[0].bufferRow);
    break;
  case Opcode::mul:
    out += valueTypeName(in.type);
    out += ' ';
    port(in.operands[0]);
    out += ' ';
    port(in.operands[1]);
    out += " rows ";
    append(out, int64_t(in.rows));
    if (in.operands.size() == 3)
      out += " + ", port(in.operands[2]);
    results();
    break;
  case Opcode::alu:
  case Opcode::map:
  case Opcode::transpose:
    if (in.opcode == Opcode::alu)
      out += valueTypeName(in.type);
    else if (in.opcode == Opcode::map)
      out += schedule.maps[in.map].name;
    for (const Port &operand : in.operands) {
      if (out.back() != ' ')
        out += ' ';
      port(operand);
    }
    results();
    break;
  default:
    memory();
    break;
  }
  if (in.count == 1 && in.step == 1)
    return;
  out += " *";
  append(out, in.count);
  out += '/';
  append(out, in.step);
}

void appendInstruction(const Schedule &schedule, const Instruction &instruction,
                       std::string &out) {
  InstructionPrinter(schedule, instruction, out).print();
}

std::string printInstruction(const Schedule &schedule,
                             const Instruction &instruction) {
  std::string text;
  appendInstruction(schedule, instruction, text);
  return text;
}

std::string printName(const Schedule &schedule, uint32_t value, int64_t index) {
  return format("{}[{}]", {schedule.values[value].name, index});
}

} // namespace tilewright::spatial
