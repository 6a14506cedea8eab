// Rows of memory over time: which vectors lie where, from when to when.
#ifndef TILEWRIGHT_SPATIAL_SCHEDULE_MEMORY_H
#define TILEWRIGHT_SPATIAL_SCHEDULE_MEMORY_H

#include "spatial/program/Instruction.h"
#include "spatial/schedule/Reservations.h"
#include "spatial/schedule/ScheduleChoices.h"
#include "tilewright/support/Status.h"
#include <memory>
#include <set>
#include <span>

namespace tilewright::spatial {

/// One bank: its position and number in the slice.
struct Bank {
  int64_t position = 0, number = 0;
  friend auto operator<=>(const Bank &, const Bank &) = default;
};

/// Rows that hold vectors of one value. The vectors are dealt to `groups` of
/// banks; each group has a bank for each plane.
struct Home {
  uint32_t value = 0;
  /// The place of each vector of the value among those here, or -1.
  std::vector<int32_t> slots;
  int64_t groups = 1, planes = 1;
  /// By group x planes + plane: the bank, and its first row.
  std::vector<Bank> banks;
  std::vector<int64_t> rows;
  /// By slot: when it can be read.
  std::vector<int64_t> ready;
  /// Whether its vectors are there before cycle 0.
  bool isInitial = false;
  /// When it was read last.
  int64_t lastRead = -1;
  /// The rows were free before this cycle.
  int64_t freeFrom = 0;
  /// The least and the greatest position of its banks.
  int64_t first = 0, last = 0;

  [[nodiscard]] bool holds(int64_t vector) const { return slots[vector] >= 0; }
  [[nodiscard]] int64_t groupOf(int64_t vector) const {
    return slots[vector] % groups;
  }
  [[nodiscard]] const Bank &bankOf(int64_t vector, int64_t plane) const {
    return banks[groupOf(vector) * planes + plane];
  }
  [[nodiscard]] int64_t rowOf(int64_t vector, int64_t plane) const {
    return rows[groupOf(vector) * planes + plane] + slots[vector] / groups;
  }
  [[nodiscard]] int64_t readyAt(int64_t vector) const {
    return ready[slots[vector]];
  }
  /// Whether all planes of a vector flow in one direction to a unit there.
  [[nodiscard]] bool isBeside(int64_t position) const {
    return last < position || first > position;
  }
};

/// What a home should be.
struct HomeRequest {
  uint32_t value = 0;
  /// The vectors that it is to hold, in the order of slots, of `total`.
  std::vector<int32_t> vectors;
  int64_t total = 0;
  int64_t groups = 1, planes = 1;
  /// Rows are wanted that are free from this cycle on, about, in banks that are
  /// used little then.
  int64_t from = 0;
  /// Whether the rows hold something before cycle 0, so that nothing may have
  /// used them.
  bool isInitial = false;
  /// Whether they are weights, which are read many at a time: their banks are
  /// few, and hold nothing else if possible.
  bool isWeights = false;
  /// Banks that will not do.
  std::set<Bank> avoid;
  /// If not empty, by plane: positions that it comes from, whose banks never
  /// see it.
  std::vector<std::set<int64_t>> sources;
  /// Positions of the units that take or put the vectors: all banks are on one
  /// side of each, so that all planes flow in one direction.
  std::vector<int64_t> units;
  /// By position: how far vectors go from there. Empty: that does not matter.
  std::vector<int64_t> travel;
  /// Only positions first to last.
  int64_t firstPosition = 0, lastPosition = INT64_MAX;
};

/// The rows of all banks.
class Memory {
public:
  Memory(const Machine &machine, const ScheduleChoices &choices);

  /// Rows for the vectors, in the banks that are used least, and no unit that
  /// takes or puts them between these. Errors: there are no free rows.
  StatusOr<Home> allocate(const HomeRequest &request);
  /// The rows may be written by others after their last read.
  void release(const Home &home);
  /// The cycles in which a bank reads or writes.
  [[nodiscard]] CycleSet &port(const Bank &bank) { return state(bank).port; }
  [[nodiscard]] std::span<const Bank> banks() const { return all; }
  /// How many banks were looked at.
  [[nodiscard]] int64_t work() const { return seen; }

private:
  struct Free {
    int64_t row = 0, count = 0, from = 0;
  };
  struct State {
    CycleSet port;
    std::vector<Free> free;
    /// Accesses that homes here are expected to have.
    int64_t load = 0;
    bool hasWeights = false;
  };
  [[nodiscard]] State &state(const Bank &bank) {
    return states[bank.position * machine.mem.banks + bank.number];
  }
  [[nodiscard]] const State &state(const Bank &bank) const {
    return states[bank.position * machine.mem.banks + bank.number];
  }
  /// The best free rows of a bank for `count` vectors; count 0 if none.
  [[nodiscard]] Free best(const State &state, int64_t count,
                          int64_t from) const;
  void take(State &state, const Free &rows);
  /// Makes ranges of rows that were used before, and are neighbours, one.
  static void join(std::vector<Free> &free);

  struct Candidate {
    Bank bank;
    Free rows;
    int64_t cost = 0;
  };
  /// The first candidates such that each plane of each group has one; in the
  /// order of banks of a home. Empty if there are too few.
  [[nodiscard]] static std::vector<Candidate>
  choose(const HomeRequest &request, std::span<const Candidate> found);
  /// Banks at the positions first to last with free rows, the best ones first.
  [[nodiscard]] std::vector<Candidate> candidates(const HomeRequest &request,
                                                  int64_t each, int64_t first,
                                                  int64_t last) const;

  const Machine &machine;
  const ScheduleChoices &choices;
  std::vector<Bank> all;
  std::vector<State> states;
  int64_t seen = 0;
  /// Whether all neighbours are joined, as no rows were found else.
  bool isJoined = false;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SCHEDULE_MEMORY_H
