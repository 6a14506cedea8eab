// Lines of a schedule while they run.
#ifndef TILEWRIGHT_SPATIAL_SIMULATOR_LINE_H
#define TILEWRIGHT_SPATIAL_SIMULATOR_LINE_H

#include "spatial/program/Finding.h"
#include "spatial/program/Schedule.h"
#include "spatial/simulator/Vectors.h"
#include <optional>

namespace tilewright::spatial {

struct Line {
  const Instruction *instruction = nullptr;
  int64_t chip = 0;
  /// The queue's number, of those that lines use; they are in order of chip
  /// and text.
  uint32_t queue = 0;
};

/// A line in a cycle.
struct Issue {
  const Line *line = nullptr;
  /// Of `*COUNT/STEP`, and of the schedule.
  int64_t iteration = 0, repetition = 0;

  [[nodiscard]] const Instruction &instruction() const {
    return *line->instruction;
  }
  [[nodiscard]] int64_t at(const Affine &affine) const {
    return affine.at(iteration);
  }
};

/// What the machine does not have of what the line names; empty where it has
/// all.
std::string findCapacityFault(const Schedule &schedule, const Issue &issue);

/// The type that an operand of an ALU's instruction is taken as.
inline DType operandType(const Instruction &instruction, size_t operand) {
  bool isCondition = instruction.alu == AluOp::select && operand == 0;
  return isCondition ? DType::I32 : instruction.type;
}

/// The cycle in which an instruction begun in cycle 0 puts its (first) result
/// on streams or into an accumulator.
int64_t resultDelay(const Machine &machine, const Instruction &instruction);

/// The length of the schedule (M11), that its lines have.
int64_t lengthOf(const Schedule &schedule);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SIMULATOR_LINE_H
