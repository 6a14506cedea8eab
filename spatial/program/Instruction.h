// One line of a schedule: what a unit does in a cycle.
#ifndef TILEWRIGHT_SPATIAL_PROGRAM_INSTRUCTION_H
#define TILEWRIGHT_SPATIAL_PROGRAM_INSTRUCTION_H

#include "spatial/machine/Machine.h"
#include "spatial/program/InlineVector.h"
#include <cstdint>

namespace tilewright::spatial {

/// "n+s": n + i s in repetition i. All numbers are below 2^31. A large schedule
/// has millions of them, hence their size, and that of what is made of them.
struct Affine {
  int32_t start = 0, step = 0;

  Affine() = default;
  Affine(int64_t start, int64_t step)
      : start(static_cast<int32_t>(start)), step(static_cast<int32_t>(step)) {}
  [[nodiscard]] int64_t at(int64_t repetition) const {
    return start + repetition * step;
  }
  friend auto operator<=>(const Affine &, const Affine &) = default;
};

/// A vector by its name, VALUE[i]; of an instruction that takes several, the
/// first of them.
struct VectorName {
  /// Index in Schedule::values.
  uint32_t value = 0;
  Affine index;
  friend auto operator<=>(const VectorName &, const VectorName &) = default;
};

/// One stream: "e5", "w0".
struct Stream {
  Direction direction = Direction::east;
  uint16_t number = 0;
  friend auto operator<=>(const Stream &, const Stream &) = default;
};

enum class QueueKind : uint8_t {
  /// uP.bB
  bank,
  /// uP.pI.w and uP.pI.a
  weights,
  activations,
  /// uP.aI
  alu,
  /// uP.sI
  port,
  /// uP.tI and uP.rI; I counts over all links of the chip.
  send,
  receive,
};

/// What issues one instruction a cycle (M9).
struct Queue {
  int32_t position = 0;
  QueueKind kind = QueueKind::bank;
  /// The bank, plane, ALU, port or link.
  int32_t index = 0;

  Queue() = default;
  Queue(int64_t position, QueueKind kind, int64_t index)
      : position(static_cast<int32_t>(position)), kind(kind),
        index(static_cast<int32_t>(index)) {}
  friend auto operator<=>(const Queue &, const Queue &) = default;
};

enum class Opcode : uint8_t {
  read,
  write,
  gather,
  load,
  mul,
  alu,
  map,
  transpose,
  send,
  receive,
};

/// Most instructions name one, or the two planes of a vector.
using StreamList = InlineVector<Stream, 2>;

/// Where an instruction takes a vector from, or puts it, and the name that the
/// vector has there.
struct Port {
  enum class Kind : uint8_t {
    /// `streams`, plane 0 first; of a load, plane 0 to w - 1 of the first
    /// vector, then of the next.
    streams,
    /// A row of the queue's bank.
    row,
    /// Row `bufferRow` of buffer `index` of the queue's plane.
    buffer,
    /// Accumulator `index` of the queue's plane.
    accumulator,
    /// The result of ALU `index` of the unit; as a result, of the queue's own.
    alu,
    /// `number`: the same in each lane.
    number,
  };
  Kind kind = Kind::streams;
  /// Where one plane is meant, as V.j says: which.
  int16_t plane = 0;
  VectorName name;
  StreamList streams;
  Affine index, bufferRow;
  /// Of ALU operations on f32 and i32.
  double number = 0;

  friend bool operator==(const Port &, const Port &) = default;
};

/// Most instructions take one vector and put one.
using PortList = InlineVector<Port, 1>;

/// A line. Operands and results stand in the order of the line:
///
/// | opcode | operands | results |
/// |---|---|---|
/// | read | row | streams |
/// | write | streams | row |
/// | gather | row (of index 0 of the table), streams (the index) | streams |
/// | load | streams | buffer |
/// | mul | streams, buffer (row 0), accumulator (if one is added) | accumulator
/// or streams | | alu | 1 to 3: streams, alu or number | one or more: streams;
/// or one: alu | | map | streams, one or two | streams | | transpose | streams
/// | streams | | send | streams | none | | receive | none | streams |
///
/// What keeps its name (read, write, send, load) has it in operand and result.
struct Instruction {
  int64_t cycle = 0;
  Queue queue;
  Opcode opcode = Opcode::read;
  /// Of opcode alu.
  AluOp alu = AluOp::move;
  /// Of mul: what is multiplied. Of alu: f32 or i32, the type of operands.
  DType type = DType::F32;
  /// In its file, from 1; 0 where it comes from none. Not compared.
  uint32_t line = 0;
  /// Of map: index in Schedule::maps.
  uint32_t map = 0;
  /// Of mul: the rows K of the buffer. Of gather: the rows N of the table.
  int32_t rows = 0;
  /// `*COUNT/STEP`: issued `count` times, every `step` cycles.
  int64_t count = 1, step = 1;
  PortList operands, results;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_PROGRAM_INSTRUCTION_H
