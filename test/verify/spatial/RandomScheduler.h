// Makes a random schedule: chooses operations and where and when they happen,
// and keeps what the machine can do.
#ifndef TILEWRIGHT_TEST_VERIFY_SPATIAL_RANDOMSCHEDULER_H
#define TILEWRIGHT_TEST_VERIFY_SPATIAL_RANDOMSCHEDULER_H

#include "test/verify/spatial/RandomMachine.h"
#include "test/verify/spatial/Reservations.h"
#include "test/verify/spatial/ScheduleBuilder.h"
#include <optional>

namespace tilewright::test {

/// Rows of a bank.
struct Rows {
  int64_t chip = 0;
  spatial::Queue bank;
  int64_t row = 0, count = 0;
  /// The first cycle in which they can be read (or, of rows that nobody needs,
  /// be written).
  int64_t ready = 0;
};

/// All vectors of a value, in memory: plane j of vector i in row i of
/// planes[j].
struct Stored {
  uint32_t value = 0;
  spatial::DType dtype = spatial::DType::F32;
  std::vector<Rows> planes;
  /// The last cycle in which it is read.
  int64_t lastRead = -1;
  [[nodiscard]] int64_t vectors() const { return planes.front().count; }
  [[nodiscard]] int64_t chip() const { return planes.front().chip; }
};

/// A vector that is on its way: on streams, or the result of an ALU.
struct Flight {
  spatial::VectorName name;
  spatial::DType dtype = spatial::DType::F32;
  int64_t chip = 0, position = 0;
  /// When it is put, at `position`.
  int64_t cycle = 0;
  std::vector<spatial::Stream> streams;
  std::optional<int64_t> alu;
};

/// Vectors of a stored value that an instruction takes, one in each repetition.
struct Choice {
  int64_t first = 0, step = 1;
};

[[nodiscard]] inline spatial::Instruction
instructionOf(spatial::Queue queue, spatial::Opcode opcode, int64_t cycle) {
  spatial::Instruction instruction;
  instruction.queue = queue;
  instruction.opcode = opcode;
  instruction.cycle = cycle;
  return instruction;
}

class RandomScheduler {
public:
  explicit RandomScheduler(uint64_t seed);
  ScheduleBuilder run();

private:
  // Scheduling: each returns false (or nothing) if the machine cannot do it,
  // with what it reserved so far left to the caller to roll back.

  /// Reads vectors of `stored` so that they are at `position` in `cycle`, in
  /// each repetition. The operand that the instruction there has.
  std::optional<spatial::Port> feed(size_t stored, Choice choice, int64_t chip,
                                    int64_t position, int64_t cycle,
                                    Repeat repeat = {});
  /// Writes what is put at `position` in `cycle`, and so on in each
  /// repetition: vectors 0, 1, .. of `value`. The streams that it is put on.
  std::optional<std::vector<spatial::Stream>>
  store(uint32_t value, int64_t chip, int64_t position, int64_t cycle,
        Repeat repeat = {});
  /// The same of one plane; adds to `planes`.
  std::optional<spatial::Stream>
  storePlane(spatial::VectorName name, int64_t plane, spatial::Direction flow,
             const std::vector<spatial::Stream> &taken, int64_t chip,
             int64_t position, int64_t cycle, Repeat repeat,
             std::vector<Rows> &planes);
  /// Gives an instruction, whose result is there in `cycle`, results: some are
  /// written, some go on to another instruction.
  bool finish(spatial::Instruction &instruction, uint32_t value, int64_t chip,
              int64_t cycle, Repeat repeat, int depth);
  bool goOn(spatial::Instruction &instruction, uint32_t value, int64_t chip,
            int64_t cycle, int depth);

  // Operations. With a flight, it is the first operand.
  bool operate(const Flight *flight, int depth);
  bool alu(const Flight *flight, int depth);
  bool map(const Flight *flight, int depth);
  bool product();
  bool transpose();
  bool gather();
  bool copy();
  bool send();
  bool again();
  void retire();

  // Parts of operations.
  std::optional<spatial::Port> operandOf(const Flight *flight,
                                         spatial::DType operation, bool isFirst,
                                         spatial::Queue queue, int64_t chip,
                                         int64_t cycle);
  bool loadWeights(size_t weights, int64_t rows, int64_t chip,
                   spatial::Queue plane, int64_t buffer, int64_t cycle);
  bool takeAccumulators(spatial::Queue plane, int64_t chip, int64_t first,
                        int64_t count, int64_t cycle, int64_t until);
  bool multiply(spatial::Instruction product, size_t x, int64_t chip,
                int64_t cycle, const spatial::Port *accumulator);

  // Choices.
  std::optional<int64_t> pickUnit(spatial::UnitKind kind);
  std::optional<size_t> pickStored(const std::function<bool(const Stored &)> &);
  std::optional<std::vector<spatial::Stream>>
  pickStreams(spatial::Direction direction, int64_t count,
              const std::vector<spatial::Stream> &taken = {});
  std::optional<Rows> pickRows(int64_t chip, spatial::Queue bank, int64_t count,
                               int64_t cycle);
  uint32_t newValue(spatial::DType dtype, int64_t vectors);
  int64_t someCycle() { return dice.number(horizon / 3, horizon + 40); }

  void addGiven(bool isInput);
  void addStored(Stored stored);
  void addLine(int64_t chip, spatial::Instruction instruction);
  void addOutputs();
  [[nodiscard]] const spatial::Machine &machine() const {
    return builder.schedule.machine;
  }
  [[nodiscard]] spatial::DType dtypeOf(uint32_t value) const {
    return builder.schedule.values[value].dtype;
  }

  Dice dice;
  ScheduleBuilder builder;
  Reservations taken;
  std::vector<std::vector<spatial::Instruction>> lines;
  std::vector<Stored> pool;
  std::vector<Rows> freeRows;
  std::map<std::pair<int64_t, spatial::Queue>, int64_t> usedRows;
  /// When a buffer (chip, plane, number) or accumulator may be used anew.
  using Slot = std::tuple<int64_t, spatial::Queue, int64_t>;
  std::map<Slot, int64_t> freeBuffers, freeAccumulators;
  /// How ALU results were made, to make them so again.
  struct Recipe {
    spatial::Instruction instruction;
    int64_t chip = 0;
  };
  std::vector<Recipe> recipes;
  /// Values whose elements are indices of tables.
  std::set<uint32_t> indices;
  int64_t horizon = 0;
};

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_VERIFY_SPATIAL_RANDOMSCHEDULER_H
