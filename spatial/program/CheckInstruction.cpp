#include "spatial/program/InstructionText.h"
#include "support/Format.h"
#include <algorithm>
#include <cmath>

namespace tilewright::spatial {

namespace {
/// Checks one line. The first failure stays.
class InstructionChecker {
public:
  InstructionChecker(const Schedule &schedule, const Instruction &instruction)
      : schedule(schedule), in(instruction) {}

  Status check();

private:
  void fail(std::string message) {
    if (error.ok())
      error = Status::invalidInput(std::move(message));
  }
  [[nodiscard]] const Value &value(const Port &port) const {
    return schedule.values[port.name.value];
  }
  [[nodiscard]] DType dtype(const Port &port) const {
    return value(port).dtype;
  }

  void repetition();
  /// That start, and start in the last repetition, are not too great.
  void range(int64_t start, int64_t step, int64_t most);
  void range(const Affine &affine) {
    range(affine.start, affine.step, mostLineIndex);
  }
  void ports();
  /// That the vectors V to V + vectors - 1 exist, in each repetition.
  void exists(const Port &port, int64_t vectors);
  /// That the streams are those of so many vectors.
  void streams(const Port &port, int64_t vectors);
  void plane(const Port &port);
  void types();
  void expectType(const Port &port, bool fits, std::string_view expected);
  void gather();
  void mul();
  void alu();
  void aluOperand(const Port &port, bool isCondition);
  void map();

  const Schedule &schedule;
  const Instruction &in;
  Status error;
};
} // namespace

void InstructionChecker::range(int64_t start, int64_t step, int64_t most) {
  int64_t last = 0;
  if (__builtin_mul_overflow(step, in.count - 1, &last) ||
      __builtin_add_overflow(last, start, &last) || last > most || last < -most)
    fail(format("expected numbers of at most {} in all repetitions, found "
                "{} in steps of {}, {} times",
                {most == mostLineNumber ? "2^40" : std::to_string(most), start,
                 step, in.count}));
}

void InstructionChecker::repetition() {
  if (in.count < 1 || in.step < 1)
    return fail(format("expected COUNT and STEP of at least 1, found *{}/{}",
                       {in.count, in.step}));
  if (in.count > mostInstructions)
    return fail(
        format("expected at most 2^31 repetitions, found {}", {in.count}));
  if (in.cycle < 0)
    return fail(format("expected a cycle of at least 0, found {}", {in.cycle}));
  range(in.cycle, in.step, mostLineNumber);
}

void InstructionChecker::exists(const Port &port, int64_t vectors) {
  range(port.name.index);
  if (!error.ok())
    return;
  int64_t first = port.name.index.at(0);
  int64_t last = port.name.index.at(in.count - 1);
  int64_t least = std::min(first, last);
  int64_t most = std::max(first, last) + vectors - 1;
  const Value &named = value(port);
  if (least < 0 || most >= named.vectors)
    fail(format("the value '{}' has the vectors 0 to {}, and no {}",
                {named.name, named.vectors - 1, least < 0 ? least : most}));
}

void InstructionChecker::streams(const Port &port, int64_t vectors) {
  const int64_t planes = schedule.machine.planesOf(dtype(port));
  const auto found = static_cast<int64_t>(port.streams.size());
  if (found != planes * vectors)
    return fail(format(
        "expected {}, one for each plane of {}, found {}",
        {counted(planes * vectors, "stream"),
         printName(schedule, port.name.value, port.name.index.start), found}));
  for (int64_t begin = 0; begin < found; begin += planes)
    for (int64_t i = begin; i < begin + planes; ++i)
      for (int64_t k = begin; k < i; ++k) {
        const Stream &a = port.streams[static_cast<size_t>(k)];
        const Stream &b = port.streams[static_cast<size_t>(i)];
        if (a.direction != b.direction)
          return fail("expected streams of one direction for a vector");
        if (a == b)
          return fail(
              format("the stream {}{} stands twice in a vector",
                     {a.direction == Direction::east ? "e" : "w", a.number}));
      }
}

void InstructionChecker::plane(const Port &port) {
  const int64_t planes = schedule.machine.planesOf(dtype(port));
  if (port.plane >= planes)
    fail(format("expected a plane from 0 to {} of {}, found {}",
                {planes - 1, valueTypeName(dtype(port)), port.plane}));
  if (port.kind == Port::Kind::streams && port.streams.size() != 1)
    fail(format("expected 1 stream for a plane, found {}",
                {port.streams.size()}));
}

/// The vectors that an instruction names with one name.
static int64_t vectorsOf(const Schedule &schedule, const Instruction &in,
                         const Port &port) {
  if (in.opcode == Opcode::gather && port.kind == Port::Kind::row)
    return in.rows;
  if (in.opcode == Opcode::mul && port.kind == Port::Kind::buffer)
    return in.rows;
  if (in.opcode == Opcode::transpose)
    return schedule.machine.sxm ? schedule.machine.sxm->transpose : 1;
  if (in.opcode == Opcode::load) {
    const Port &from = in.operands[0];
    auto streams = static_cast<int64_t>(from.streams.size());
    return std::max<int64_t>(
        1, streams / schedule.machine.planesOf(
                         schedule.values[from.name.value].dtype));
  }
  return 1;
}

/// Whether a port of this opcode carries one plane, "V.j".
static bool hasPlane(const Instruction &in, const Port &port) {
  switch (in.opcode) {
  case Opcode::read:
  case Opcode::write:
  case Opcode::send:
  case Opcode::receive:
    return true;
  case Opcode::gather: // All but the index.
    return port.kind == Port::Kind::row || &port == in.results.data();
  default:
    return false;
  }
}

void InstructionChecker::ports() {
  for (const auto *list : {&in.operands, &in.results})
    for (const Port &port : *list) {
      if (!error.ok() || port.kind == Port::Kind::number)
        continue;
      range(port.index);
      range(port.bufferRow);
      const int64_t vectors = vectorsOf(schedule, in, port);
      exists(port, vectors);
      if (hasPlane(in, port))
        plane(port);
      else if (port.kind == Port::Kind::streams)
        streams(port, in.opcode == Opcode::load ? vectors : 1);
    }
}

void InstructionChecker::expectType(const Port &port, bool fits,
                                    std::string_view expected) {
  if (!fits)
    fail(format("expected {}, found '{}' of {}",
                {expected, value(port).name, valueTypeName(dtype(port))}));
}

void InstructionChecker::gather() {
  const Port &table = in.operands[0], &index = in.operands[1];
  const Port &result = in.results[0];
  expectType(index, dtype(index) == DType::I32, "an index of i32");
  expectType(result, dtype(result) == dtype(table),
             format("a result of the table's type, {}",
                    {valueTypeName(dtype(table))}));
  if (table.plane != result.plane)
    fail(format("expected the table's plane, {}, in the result, found {}",
                {table.plane, result.plane}));
}

void InstructionChecker::mul() {
  for (size_t i = 0; i < 2; ++i)
    expectType(in.operands[i], dtype(in.operands[i]) == in.type,
               format("an operand of {}", {valueTypeName(in.type)}));
  DType product = in.type == DType::I8 ? DType::I32 : DType::F32;
  std::string expected =
      format("{}, the type of products of {}",
             {valueTypeName(product), valueTypeName(in.type)});
  if (in.operands.size() == 3)
    expectType(in.operands[2], dtype(in.operands[2]) == product, expected);
  expectType(in.results[0], dtype(in.results[0]) == product, expected);
}

/// Whether an operation of `type` (f32 or i32) takes values of `valueType`.
static bool widens(DType valueType, DType type) {
  return isFloat(valueType) == (type == DType::F32);
}

void InstructionChecker::aluOperand(const Port &port, bool isCondition) {
  if (port.kind != Port::Kind::number) {
    if (isCondition)
      expectType(port, dtype(port) == DType::Bool, "a condition of i1");
    else
      expectType(port, widens(dtype(port), in.type),
                 in.type == DType::F32 ? "an operand of f32, f16 or bf16"
                                       : "an operand of i32, i8, u8 or i1");
    return;
  }
  const double number = port.number;
  if (isCondition) {
    if (number != 0 && number != 1)
      fail("expected 0 or 1 for a condition");
  } else if (in.type == DType::I32 &&
             !(number >= -2147483648.0 && number <= 2147483647.0 &&
               number == std::trunc(number))) {
    fail(format("expected a number that an i32 holds, found {}", {number}));
  }
}

/// The types that an operation works on.
enum class Domain : uint8_t { both, floats, integers };

static Domain domainOf(AluOp op) {
  switch (delayClass(op)) {
  case DelayClass::logic:
  case DelayClass::shift:
    return Domain::integers;
  case DelayClass::round:
  case DelayClass::sqrt:
  case DelayClass::rsqrt:
  case DelayClass::exp:
  case DelayClass::log:
  case DelayClass::tanh:
  case DelayClass::erf:
  case DelayClass::sin:
  case DelayClass::cos:
  case DelayClass::pow:
    return Domain::floats;
  default:
    return Domain::both;
  }
}

void InstructionChecker::alu() {
  const Domain domain = domainOf(in.alu);
  if (domain != Domain::both &&
      (domain == Domain::floats) != (in.type == DType::F32))
    return fail(
        format("'{}' is an operation on {}, not on {}",
               {aluName(in.alu), domain == Domain::floats ? "f32" : "i32",
                valueTypeName(in.type)}));
  for (size_t i = 0; i < in.operands.size(); ++i)
    aluOperand(in.operands[i], in.alu == AluOp::select && i == 0);
  const Port &result = in.results[0];
  switch (resultType(in.alu, in.type)) {
  case DType::Bool:
    return expectType(result, dtype(result) == DType::Bool, "a result of i1");
  case DType::F32:
    return expectType(result, isFloat(dtype(result)),
                      "a result of f32, f16 or bf16");
  default:
    return expectType(result, !isFloat(dtype(result)),
                      "a result of i32, i8, u8 or i1");
  }
}

void InstructionChecker::map() {
  const DType type = dtype(in.operands[0]);
  for (const auto *list : {&in.operands, &in.results})
    for (const Port &port : *list)
      expectType(port, dtype(port) == type,
                 format("one type, {}", {valueTypeName(type)}));
  if (in.opcode == Opcode::transpose || in.operands.size() == 2)
    return;
  const LaneMap &map = schedule.maps[in.map];
  if (std::ranges::any_of(map.lanes, [&](int32_t lane) {
        return lane >= schedule.machine.lanes;
      }))
    fail(format("the map '{}' takes lanes of a second operand, which is "
                "missing",
                {map.name}));
}

void InstructionChecker::types() {
  switch (in.opcode) {
  case Opcode::gather:
    return gather();
  case Opcode::mul:
    return mul();
  case Opcode::alu:
    return alu();
  case Opcode::map:
  case Opcode::transpose:
    return map();
  default: // They keep the name, and so the type.
    return;
  }
}

Status InstructionChecker::check() {
  repetition();
  const bool hasRows = in.opcode == Opcode::gather || in.opcode == Opcode::mul;
  if (hasRows && in.rows < 1)
    fail("expected at least 1 row, found 0");
  if (error.ok())
    ports();
  if (error.ok())
    types();
  return error;
}

Status checkInstruction(const Schedule &schedule,
                        const Instruction &instruction) {
  return InstructionChecker(schedule, instruction).check();
}

} // namespace tilewright::spatial
