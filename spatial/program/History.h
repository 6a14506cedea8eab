// What instructions of a chip find in rows, buffers and accumulators: when it
// came there, and until when what was there before is needed.
#ifndef TILEWRIGHT_SPATIAL_PROGRAM_HISTORY_H
#define TILEWRIGHT_SPATIAL_PROGRAM_HISTORY_H

#include "spatial/program/Flows.h"
#include <map>

namespace tilewright::spatial {

class History {
public:
  History(const Schedule &schedule, const Flows &flows);

  /// The first cycle in which the issue finds what it takes from rows, buffers
  /// and accumulators.
  [[nodiscard]] int64_t ready(Issue issue) const;
  /// The first cycle in which the buffer that a load fills is not in use.
  [[nodiscard]] int64_t bufferFree(Issue issue) const;
  /// The first cycle in which what was in the row that a write fills has been
  /// read. Gathers are not looked at.
  [[nodiscard]] int64_t rowFree(Issue issue) const;

private:
  /// Rows of a buffer that are loaded, or multiplied with, from a cycle on.
  struct BufferUse {
    int64_t cycle = 0, end = 0, row = 0, rows = 0;
  };
  struct Buffer {
    std::vector<BufferUse> loads, products;
  };
  using Cycles = std::vector<int64_t>;
  /// A queue, and the number of a row, a buffer or an accumulator.
  using Cell = std::pair<Queue, int64_t>;

  void add(const Instruction &in);
  [[nodiscard]] int64_t readyRow(const Instruction &in, int64_t repetition,
                                 int64_t cycle) const;
  [[nodiscard]] int64_t readyProduct(const Instruction &in, int64_t repetition,
                                     int64_t cycle) const;
  [[nodiscard]] int64_t rowsOfLoad(const Instruction &in) const;

  const Schedule &schedule;
  const Machine &machine;
  const Flows &flows;
  std::map<Cell, Cycles> writes, reads, sums;
  std::map<Cell, Buffer> buffers;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_PROGRAM_HISTORY_H
