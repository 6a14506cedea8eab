#include "spatial/program/LineScanner.h"
#include "support/Format.h"

namespace tilewright::spatial {

/// In the order of Opcode.
static constexpr std::string_view opcodeNames[] = {
    "read", "write", "gather",    "load", "mul",
    "alu",  "map",   "transpose", "send", "receive"};

std::string_view opcodeName(Opcode opcode) {
  return opcodeNames[static_cast<size_t>(opcode)];
}

/// The queue that issues an opcode.
static QueueKind queueOf(Opcode opcode) {
  switch (opcode) {
  case Opcode::read:
  case Opcode::write:
  case Opcode::gather:
    return QueueKind::bank;
  case Opcode::load:
    return QueueKind::weights;
  case Opcode::mul:
    return QueueKind::activations;
  case Opcode::alu:
    return QueueKind::alu;
  case Opcode::map:
  case Opcode::transpose:
    return QueueKind::port;
  case Opcode::send:
    return QueueKind::send;
  case Opcode::receive:
    return QueueKind::receive;
  }
  return QueueKind::bank;
}

namespace {
/// Reads one line; each function reads what stands behind an operation's word.
class InstructionParser {
public:
  InstructionParser(const NameTable &names, std::string_view line,
                    Instruction &instruction)
      : text(line, names), out(instruction) {}

  Status parse();

private:
  void opcode(std::string_view word, std::string_view queue);
  void operation();
  void read();
  void write();
  void gather();
  void load();
  void mul();
  void alu();
  void map();
  void transpose();
  void send();
  void receive();
  void repetition();

  DType type();
  Port aluOperand();
  /// "A:V" of an accumulator.
  Port accumulator();
  /// A port of this kind with the name `name` and the plane `plane`.
  static Port port(Port::Kind kind, const VectorName &name, int16_t plane = 0);

  LineScanner text;
  Instruction &out;
};
} // namespace

Status InstructionParser::parse() {
  text.skipBlanks();
  text.expectHere("@");
  out.cycle = text.natural();
  std::string_view queue = text.word();
  if (std::optional<Queue> parsed = parseQueue(queue))
    out.queue = *parsed;
  else
    text.fail(format("expected a queue (u0.b0, u0.p0.w, u0.p0.a, u0.a0, u0.s0, "
                     "u0.t0, u0.r0), found '{}'",
                     {queue.substr(0, 24)}));
  if (text.failed())
    return text.status();
  opcode(text.word(), queue);
  if (!text.failed())
    operation();
  if (!text.failed())
    repetition();
  if (!text.failed() && !text.atEnd())
    text.failExpected("the end of the line");
  return text.status();
}

void InstructionParser::opcode(std::string_view word, std::string_view queue) {
  std::optional<Opcode> found;
  for (Opcode named :
       {Opcode::read, Opcode::write, Opcode::gather, Opcode::load, Opcode::map,
        Opcode::transpose, Opcode::send, Opcode::receive})
    if (opcodeName(named) == word)
      found = named;
  if (std::optional<AluOp> op = aluFromName(word);
      op && (word != "mul" || out.queue.kind == QueueKind::alu)) {
    found = Opcode::alu;
    out.alu = *op;
  } else if (word == "mul") {
    found = Opcode::mul;
  }
  if (!found)
    return text.fail(
        format("expected an operation, found '{}'", {word.substr(0, 24)}));
  out.opcode = *found;
  if (queueOf(*found) != out.queue.kind)
    text.fail(format("'{}' is not an operation of the queue {}",
                     {word, queue.substr(0, 24)}));
}

void InstructionParser::operation() {
  switch (out.opcode) {
  case Opcode::read:
    return read();
  case Opcode::write:
    return write();
  case Opcode::gather:
    return gather();
  case Opcode::load:
    return load();
  case Opcode::mul:
    return mul();
  case Opcode::alu:
    return alu();
  case Opcode::map:
    return map();
  case Opcode::transpose:
    return transpose();
  case Opcode::send:
    return send();
  case Opcode::receive:
    return receive();
  }
}

Port InstructionParser::port(Port::Kind kind, const VectorName &name,
                             int16_t plane) {
  Port port;
  port.kind = kind;
  port.name = name;
  port.plane = plane;
  return port;
}

/// read rR:V.j -> S
void InstructionParser::read() {
  Affine row = text.row();
  text.expectHere(":");
  VectorName name = text.vectorName();
  int16_t plane = text.plane();
  text.expect("->");
  out.operands.push_back(port(Port::Kind::row, name, plane));
  out.operands[0].index = row;
  out.results.push_back(port(Port::Kind::streams, name, plane));
  out.results[0].streams = text.streams();
}

/// write S:V.j -> rR
void InstructionParser::write() {
  out.operands.push_back(text.streamOperand());
  Port &from = out.operands[0];
  from.plane = text.plane();
  text.expect("->");
  out.results.push_back(port(Port::Kind::row, from.name, from.plane));
  out.results[0].index = text.row();
}

/// gather rR#N:T[i].j S:V -> S:V.j
void InstructionParser::gather() {
  Affine row = text.row();
  text.expectHere("#");
  out.rows = static_cast<int32_t>(text.natural(mostLineIndex));
  text.expectHere(":");
  VectorName table = text.vectorName();
  int16_t plane = text.plane();
  out.operands.push_back(port(Port::Kind::row, table, plane));
  out.operands[0].index = row;
  out.operands.push_back(text.streamOperand());
  text.expect("->");
  out.results.push_back(text.streamOperand());
  out.results[0].plane = text.plane();
}

/// load S:V -> buffer B row K
void InstructionParser::load() {
  out.operands.push_back(text.streamOperand());
  text.expect("->");
  text.expect("buffer");
  out.results.push_back(port(Port::Kind::buffer, out.operands[0].name));
  Port &buffer = out.results[0];
  text.skipBlanks();
  buffer.index = {text.natural(mostLineIndex), 0};
  text.expect("row");
  text.skipBlanks();
  buffer.bufferRow = text.affine();
}

Port InstructionParser::accumulator() {
  text.expect("acc");
  text.skipBlanks();
  Affine index = text.affine();
  text.expectHere(":");
  Port result = port(Port::Kind::accumulator, text.vectorName());
  result.index = index;
  return result;
}

/// mul TYPE S:V buffer B:V rows K [+ acc A:V] -> acc A:V, or -> S:V
void InstructionParser::mul() {
  std::string_view word = text.word();
  std::optional<DType> type = valueTypeFromName(word);
  if (!type || (!isFloat(*type) && *type != DType::I8))
    text.fail(format("expected i8, f16, bf16 or f32, found '{}'",
                     {word.substr(0, 24)}));
  out.type = type.value_or(DType::F32);
  out.operands.push_back(text.streamOperand());
  text.expect("buffer");
  text.skipBlanks();
  int64_t buffer = text.natural(mostLineIndex);
  text.expectHere(":");
  out.operands.push_back(port(Port::Kind::buffer, text.vectorName()));
  out.operands[1].index = {buffer, 0};
  text.expect("rows");
  text.skipBlanks();
  out.rows = static_cast<int32_t>(text.natural(mostLineIndex));
  if (text.accept("+"))
    out.operands.push_back(accumulator());
  text.expect("->");
  text.skipBlanks();
  out.results.push_back(text.atStreams() ? text.streamOperand()
                                         : accumulator());
}

DType InstructionParser::type() {
  std::string_view word = text.word();
  if (word != "f32" && word != "i32")
    text.fail(format("expected f32 or i32, the type of the operands, found "
                     "'{}'",
                     {word.substr(0, 24)}));
  return word == "i32" ? DType::I32 : DType::F32;
}

Port InstructionParser::aluOperand() {
  text.skipBlanks();
  if (text.atStreams())
    return text.streamOperand();
  Port operand;
  if (text.acceptHere("a")) {
    operand.kind = Port::Kind::alu;
    operand.index = {text.natural(mostLineIndex), 0};
    text.expectHere(":");
    operand.name = text.vectorName();
    return operand;
  }
  operand.kind = Port::Kind::number;
  operand.number = text.number();
  return operand;
}

/// OP TYPE X [X [X]] -> S:V [-> S:V], or -> a:V
void InstructionParser::alu() {
  out.type = type();
  const int count = aluOperands(out.alu);
  for (int i = 0; i < count && !text.failed(); ++i)
    out.operands.push_back(aluOperand());
  text.expect("->");
  text.skipBlanks();
  if (text.acceptHere("a:")) {
    out.results.push_back(port(Port::Kind::alu, text.vectorName()));
    out.results[0].index.start = out.queue.index;
    return;
  }
  do {
    out.results.push_back(text.streamOperand());
    if (!text.failed() && out.results.back().name != out.results[0].name)
      text.fail("expected one name for all results of an operation");
  } while (!text.failed() && text.accept("->"));
}

/// map NAME S:V [S:V] -> S:V
void InstructionParser::map() {
  text.skipBlanks();
  std::string_view name = text.identifier();
  if (std::optional<uint32_t> index = text.table().map(name))
    out.map = *index;
  else
    text.fail(format("the manifest has no map '{}'", {name.substr(0, 60)}));
  out.operands.push_back(text.streamOperand());
  text.skipBlanks();
  if (text.atStreams())
    out.operands.push_back(text.streamOperand());
  text.expect("->");
  out.results.push_back(text.streamOperand());
}

/// transpose S:V -> S:V
void InstructionParser::transpose() {
  out.operands.push_back(text.streamOperand());
  text.expect("->");
  out.results.push_back(text.streamOperand());
}

/// send S:V.j
void InstructionParser::send() {
  out.operands.push_back(text.streamOperand());
  out.operands[0].plane = text.plane();
}

/// receive V.j -> S
void InstructionParser::receive() {
  text.skipBlanks();
  VectorName name = text.vectorName();
  int16_t plane = text.plane();
  text.expect("->");
  out.results.push_back(port(Port::Kind::streams, name, plane));
  out.results[0].streams = text.streams();
}

/// [*COUNT/STEP]
void InstructionParser::repetition() {
  text.skipBlanks();
  if (!text.acceptHere("*"))
    return;
  out.count = text.natural();
  text.expectHere("/");
  out.step = text.natural();
}

Status parseInstruction(const Schedule &schedule, const NameTable &names,
                        std::string_view line, Instruction &instruction) {
  TILEWRIGHT_RETURN_IF_ERROR(
      InstructionParser(names, line, instruction).parse());
  return checkInstruction(schedule, instruction);
}

} // namespace tilewright::spatial
