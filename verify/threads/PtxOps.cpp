//===- PtxOps.cpp - Inline PTX --------------------------------------------===//
//
// The instructions that code generation writes as text: predicated accesses of
// global memory, atomics, conversions of 8-bit floats, moves; and simple
// arithmetic, as kernels of users have it.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tileir/reference/ElementOps.h"
#include "verify/threads/AtomicErrors.h"
#include "verify/threads/Lanes.h"
#include "verify/threads/Layout.h"
#include "verify/threads/Ptx.h"
#include "verify/threads/PtxErrors.h"

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify::threads {

namespace {
/// The statements with what they need to run.
struct Text : Details {
  struct Statement {
    PtxStatement ptx;
    Outcome (*run)(const Instruction &, Thread &, const Text &,
                   const Statement &) = nullptr;
    /// Of the type in the name.
    Type type;
    unsigned bits = 32;
    Combine combine = nullptr;
    Combining combining = Combining::exchange;
  };
  std::vector<Statement> statements;
  /// By register: its lane and its bits.
  struct Register {
    unsigned lane, bits;
  };
  SmallVector<Register> registers;
};
using Statement = Text::Statement;
} // namespace

//===--- Registers --------------------------------------------------------===//

static Lane valueOf(Thread &t, const Text &text, const PtxOperand &operand) {
  if (operand.number)
    return {uint64_t(*operand.number), nullptr};
  return t.frame[text.registers[operand.registers.front()].lane];
}

static void set(Thread &t, const Text &text, unsigned number, Lane lane) {
  const Text::Register &to = text.registers[number];
  lane.bits &= Instruction::maskOf(to.bits);
  t.frame[to.lane] = lane;
}

static Lane addressOf(Thread &t, const Text &text, const PtxOperand &operand) {
  Lane lane = valueOf(t, text, operand);
  lane.bits += uint64_t(operand.offset);
  return lane;
}

//===--- Memory -----------------------------------------------------------===//

static Access accessOf(const Statement &statement, size_t count) {
  Access access;
  const unsigned bytes = statement.bits / 8;
  for (size_t n = 0; n < count; ++n)
    access.layout.fields.push_back(
        {uint64_t(n) * statement.bits, statement.bits});
  access.layout.bytes = count * bytes;
  access.layout.scalarBytes = bytes;
  access.layout.scalarBits = statement.bits;
  access.align = access.layout.bytes;
  return access;
}

static Outcome runLoadText(const Instruction &i, Thread &t, const Text &text,
                           const Statement &s) {
  const auto &to = s.ptx.operands[0].registers;
  SmallVector<Lane, 8> lanes(to.size());
  const Outcome outcome =
      readMemory(i, t, addressOf(t, text, s.ptx.operands[1]),
                 accessOf(s, to.size()), lanes.data());
  for (auto [number, lane] : llvm::zip(to, lanes))
    set(t, text, number, lane);
  return outcome;
}

static Outcome runStoreText(const Instruction &i, Thread &t, const Text &text,
                            const Statement &s) {
  const auto &from = s.ptx.operands[1].registers;
  SmallVector<Lane, 8> lanes;
  for (unsigned number : from) {
    lanes.push_back(t.frame[text.registers[number].lane]);
    lanes.back().bits &= Instruction::maskOf(s.bits);
  }
  return writeMemory(i, t, addressOf(t, text, s.ptx.operands[0]),
                     accessOf(s, from.size()), lanes.data());
}

/// Updates the word at an address by those of the type's numbers in it.
static std::optional<Lane> update(const Instruction &i, Thread &t,
                                  const Lane &address, unsigned wordBits,
                                  const Statement &s, const Lane &value) {
  if (isOpen(address) && !isPoison(address))
    return (void)poisonFault(i, t, address, "its address"), std::nullopt;
  for (const Lane *lane : {&address, &value})
    if (isPoison(*lane)) {
      (void)poisonFault(i, t, *lane, "an operand");
      return std::nullopt;
    }
  std::optional<uint64_t> old =
      readWord(i, t, address.bits, wordBits / 8, true);
  if (!old)
    return std::nullopt;
  uint64_t made = 0;
  const uint64_t mask = Instruction::maskOf(s.bits);
  SmallVector<AtomicUpdate, 4> updates;
  for (unsigned at = 0; at < wordBits; at += s.bits) {
    const uint64_t before = *old >> at & mask, by = value.bits >> at & mask;
    made |= s.combine(before, by, s.bits) << at;
    if (!t.launch.hasErrors())
      continue;
    const Lane part = {by, value.mark.ofPart(at / s.bits, wordBits / s.bits)};
    updates.push_back(
        {s.combining, s.type, address.bits + at / 8, part, before});
    updates.back().readMarks(t.launch.errors());
  }
  if (!writeWord(i, t, address.bits, wordBits / 8, made, true))
    return std::nullopt;
  for (const AtomicUpdate &each : updates)
    markUpdate(t, each);
  if (updates.size() == 1)
    return Lane{*old, markOfOld(updates.front())};
  return Lane{*old, updates.empty() ? Mark() : Mark::unknown()};
}

static unsigned wordBits(const Statement &s) {
  return s.ptx.type().ends_with("x2") ? 32 : s.bits;
}

/// "red": [address], value or {values}.
static Outcome runReduceText(const Instruction &i, Thread &t, const Text &text,
                             const Statement &s) {
  Lane address = addressOf(t, text, s.ptx.operands[0]);
  const unsigned bits = wordBits(s);
  const PtxOperand &values = s.ptx.operands[1];
  if (values.number)
    return update(i, t, address, bits, s, valueOf(t, text, values))
               ? Outcome::next
               : Outcome::fault;
  if (!isPoison(address) &&
      !accessible(i, t, address, bits / 8 * values.registers.size(),
                  bits / 8 * values.registers.size(), true))
    return Outcome::fault;
  for (unsigned number : values.registers) {
    if (!update(i, t, address, bits, s, t.frame[text.registers[number].lane]))
      return Outcome::fault;
    address.bits += bits / 8;
  }
  return Outcome::next;
}

/// "atom": result, [address], value.
static Outcome runAtomText(const Instruction &i, Thread &t, const Text &text,
                           const Statement &s) {
  std::optional<Lane> old =
      update(i, t, addressOf(t, text, s.ptx.operands[1]), wordBits(s), s,
             valueOf(t, text, s.ptx.operands[2]));
  if (!old)
    return Outcome::fault;
  set(t, text, s.ptx.operands[0].registers.front(), *old);
  return Outcome::next;
}

/// "atom.cas": result, [address], expected, value.
static Outcome runSwapText(const Instruction &i, Thread &t, const Text &text,
                           const Statement &s) {
  const Lane address = addressOf(t, text, s.ptx.operands[1]);
  const Lane expected = valueOf(t, text, s.ptx.operands[2]);
  const Lane value = valueOf(t, text, s.ptx.operands[3]);
  for (const Lane *lane : {&address, &expected, &value})
    if (isPoison(*lane))
      return poisonFault(i, t, *lane, "an operand");
  // Whether it is what is expected must not depend on errors.
  for (const Lane *lane : {&address, &expected})
    if (isOpen(*lane))
      return poisonFault(i, t, *lane, "an operand");
  if (t.launch.hasErrors()) {
    const Lane there = {0, t.launch.errors().read(address.bits, s.bits / 8)};
    if (isOpen(there))
      return poisonFault(i, t, there, "what it compares");
  }
  std::optional<uint64_t> old = readWord(i, t, address.bits, s.bits / 8, true);
  if (!old)
    return Outcome::fault;
  if (*old == expected.bits &&
      !writeWord(i, t, address.bits, s.bits / 8, value.bits, true))
    return Outcome::fault;
  if (*old == expected.bits && t.launch.hasErrors())
    t.launch.errors().write(address.bits, s.bits / 8, value.mark);
  set(t, text, s.ptx.operands[0].registers.front(), {*old, nullptr});
  return Outcome::next;
}

//===--- Values -----------------------------------------------------------===//

/// The mark of a result of values that have some.
using MarkOf = Mark (*)(const Statement &, ArrayRef<Lane> x, uint64_t made);

/// Runs `fn(operands)` of one or more values; poison stays poison.
static Outcome compute(Thread &t, const Text &text, const Statement &s,
                       uint64_t (*fn)(const Statement &, ArrayRef<uint64_t>),
                       MarkOf markOf) {
  SmallVector<uint64_t, 3> values;
  SmallVector<Lane, 3> lanes;
  Operation *poison = nullptr;
  for (const PtxOperand &operand : ArrayRef(s.ptx.operands).drop_front()) {
    const Lane lane = valueOf(t, text, operand);
    if (!poison)
      poison = lane.mark;
    lanes.push_back(lane);
    values.push_back(lane.bits & Instruction::maskOf(s.bits));
  }
  Lane made = {poison ? 0 : fn(s, values), poison};
  if (t.launch.hasErrors() && !poison)
    made.mark = markOf(s, lanes, made.bits);
  set(t, text, s.ptx.operands[0].registers.front(), made);
  return Outcome::next;
}

static Mark markOfMove(const Statement &, ArrayRef<Lane> x, uint64_t) {
  return x.front().mark;
}

static Outcome runMoveText(const Instruction &, Thread &t, const Text &text,
                           const Statement &s) {
  return compute(
      t, text, s,
      [](const Statement &, ArrayRef<uint64_t> x) { return x.front(); },
      markOfMove);
}

static Outcome runCombineText(const Instruction &, Thread &t, const Text &text,
                              const Statement &s) {
  return compute(
      t, text, s,
      [](const Statement &s, ArrayRef<uint64_t> x) {
        return s.combine(x[0], x[1], s.bits);
      },
      [](const Statement &s, ArrayRef<Lane> x, uint64_t made) {
        return markOfCombined(s.combining, s.type, x, made);
      });
}

static const llvm::fltSemantics &semanticsOf(StringRef name) {
  return name.starts_with("e4m3") ? APFloat::Float8E4M3FN()
                                  : APFloat::Float8E5M2();
}
/// Of what a conversion makes.
static const llvm::fltSemantics &formatOf(const Statement &s) {
  return semanticsOf(s.ptx.name[s.ptx.name.size() - 2]);
}

/// "cvt.rn.satfinite.e4m3x2.f32 d, a, b": the upper byte of d is a.
static Outcome runNarrowText(const Instruction &, Thread &t, const Text &text,
                             const Statement &s) {
  return compute(
      t, text, s,
      [](const Statement &s, ArrayRef<uint64_t> x) {
        const llvm::fltSemantics &to = formatOf(s);
        auto convert = [&](uint64_t bits) -> uint64_t {
          APFloat number(APFloat::IEEEsingle(), APInt(32, bits));
          if (number.isNaN())
            return 0x7f;
          const APFloat most = APFloat::getLargest(to, number.isNegative());
          const bool isInfinite = number.isInfinity();
          bool isLost = false;
          number.convert(to, APFloat::rmNearestTiesToEven, &isLost);
          if (isInfinite || !number.isFinite())
            number = most;
          return number.bitcastToAPInt().getZExtValue();
        };
        return convert(x[0]) << 8 | convert(x[1]);
      },
      [](const Statement &s, ArrayRef<Lane> x, uint64_t made) {
        return markOfNarrow(formatOf(s), x, made);
      });
}

/// "cvt.rn.f16x2.e4m3x2 d, a".
static Outcome runWidenText(const Instruction &, Thread &t, const Text &text,
                            const Statement &s) {
  return compute(
      t, text, s,
      [](const Statement &s, ArrayRef<uint64_t> x) {
        auto convert = [&](uint64_t byte) -> uint64_t {
          APFloat number(semanticsOf(s.ptx.type()), APInt(8, byte));
          bool isLost = false;
          number.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven,
                         &isLost);
          return number.bitcastToAPInt().getZExtValue();
        };
        return convert(x[0] >> 8 & 255) << 16 | convert(x[0] & 255);
      },
      [](const Statement &, ArrayRef<Lane> x, uint64_t) {
        return markOfWide(x.front());
      });
}

//===--- Statements -------------------------------------------------------===//

/// Chooses the statement's function; false where there is none.
static bool resolve(Statement &s, MLIRContext *context) {
  const PtxStatement &ptx = s.ptx;
  const StringRef name = ptx.name.front();
  const size_t count = ptx.operands.size();
  if (ptx.name.size() < 2)
    return false;
  if (name == "cvt") {
    const bool widens = ptx.type() == "e4m3x2" || ptx.type() == "e5m2x2";
    s.bits = 32;
    s.run = widens                                   ? runWidenText
            : ptx.has("e4m3x2") || ptx.has("e5m2x2") ? runNarrowText
                                                     : nullptr;
    return s.run && count == (widens ? 2 : 3);
  }
  s.type = scalarOf(ptx.type(), context, s.bits);
  if (!s.type)
    return false;
  const bool isGlobal = ptx.has("global");
  if (name == "mov" && count == 2)
    s.run = runMoveText;
  if (name == "ld" && isGlobal && count == 2)
    s.run = runLoadText;
  if (name == "st" && isGlobal && count == 2)
    s.run = runStoreText;
  if (name == "atom" && ptx.has("cas") && isGlobal && count == 4)
    s.run = runSwapText;
  if (s.run)
    return true;
  std::optional<Combining> combining = combiningOf(ptx);
  if (!combining)
    return false;
  // Those that are rounded in another way, or halved, are others.
  for (StringRef other : {"rz", "rm", "rp", "hi", "wide", "sat", "ftz", "cc"})
    if (ptx.has(other))
      return false;
  s.combine = combinerOf(*combining, s.type);
  s.combining = *combining;
  s.run = name == "red" && count == 2 && isGlobal         ? runReduceText
          : name == "atom" && count == 3 && isGlobal      ? runAtomText
          : name != "red" && name != "atom" && count == 3 ? runCombineText
                                                          : nullptr;
  return s.run && s.combine;
}

static Outcome runText(const Instruction &i, Thread &t) {
  const Text &text = i.as<Text>();
  for (const Statement &statement : text.statements) {
    if (statement.ptx.predicate) {
      const Lane &predicate =
          t.frame[text.registers[*statement.ptx.predicate].lane];
      if (isOpen(predicate))
        return poisonFault(i, t, predicate, "its predicate");
      if (bool(predicate.bits & 1) == statement.ptx.isNegated)
        continue;
    }
    const Outcome outcome = statement.run(i, t, text, statement);
    if (outcome != Outcome::next)
      return outcome;
  }
  return Outcome::next;
}

static LogicalResult buildText(LLVM::InlineAsmOp op, Compiler &c) {
  auto error = [&] {
    return errorAt(op) << "the reference of threads does not know this PTX: "
                       << op.getAsmString();
  };
  std::optional<std::vector<PtxStatement>> parsed = parsePtx(op.getAsmString());
  if (!parsed)
    return error();
  auto text = std::make_shared<Text>();
  Instruction instruction = c.beginMove(op);
  // Results are numbered first.
  unsigned next = instruction.result;
  auto add = [&](TypeRange types, std::optional<unsigned> first) {
    SmallVector<Type> scalars;
    for (Type type : types)
      (void)scalarsOf(type, scalars);
    for (Type scalar : scalars)
      text->registers.push_back({first ? (*first)++ : next++, bitsOf(scalar)});
  };
  add(op->getResultTypes(), std::nullopt);
  for (Value operand : op.getOperands())
    add(operand.getType(), c.laneOf(operand));
  for (PtxStatement &each : *parsed) {
    Statement statement;
    statement.ptx = std::move(each);
    for (const PtxOperand &operand : statement.ptx.operands)
      for (unsigned number : operand.registers)
        if (number >= text->registers.size())
          return error();
    if (!resolve(statement, op.getContext()))
      return error();
    text->statements.push_back(std::move(statement));
  }
  instruction.run = runText;
  instruction.details = std::move(text);
  c.emit(std::move(instruction));
  return success();
}

void addPtxOps(OpTable &ops) { ops.add<LLVM::InlineAsmOp>(buildText); }

} // namespace tilewright::verify::threads
