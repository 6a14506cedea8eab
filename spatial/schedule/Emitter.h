// The lines of a schedule, as they are decided.
#ifndef TILEWRIGHT_SPATIAL_SCHEDULE_EMITTER_H
#define TILEWRIGHT_SPATIAL_SCHEDULE_EMITTER_H

#include "spatial/program/Schedule.h"

namespace tilewright::spatial {

/// Collects instructions; equal ones at a steady pace become one line.
class Emitter {
public:
  /// Drops all lines.
  Emitter() = default;
  /// Keeps them, of which there are about `expected`: so many need not be
  /// copied when there are more.
  explicit Emitter(int64_t expected) : keepsLines(true) {
    instructions.reserve(expected);
  }

  /// An instruction of one cycle. Those of one `Run` are added in the order of
  /// their cycles.
  class Run {
  public:
    explicit Run(Emitter &emitter) : emitter(emitter) {}
    ~Run() { flush(); }
    Run(const Run &) = delete;
    Run &operator=(const Run &) = delete;

    void add(Instruction instruction);

  private:
    [[nodiscard]] bool join(const Instruction &next);
    void flush();

    Emitter &emitter;
    std::optional<Instruction> current;
  };

  /// All lines, by cycle and the text of the queue.
  [[nodiscard]] std::vector<Instruction> take();

  bool keepsLines = false;

private:
  std::vector<Instruction> instructions;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SCHEDULE_EMITTER_H
