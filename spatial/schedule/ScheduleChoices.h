// Decisions of the scheduler that no rule makes best for all programs.
#ifndef TILEWRIGHT_SPATIAL_SCHEDULE_SCHEDULECHOICES_H
#define TILEWRIGHT_SPATIAL_SCHEDULE_SCHEDULECHOICES_H

#include <cstdint>

namespace tilewright::spatial {

/// Any values of at least 1 give a right schedule; which of them give a short
/// one differs between programs and machines. The defaults were the best of
/// some hundred at random, on average over models of several kinds on two
/// machines; for one model others are better by up to a tenth. The search
/// changes them (SearchSchedules.cpp).
struct ScheduleChoices {
  //===--- The bank of a value (Memory.cpp) -------------------------------===//
  /// So many accesses that a bank has more than another one are as bad as one
  /// position more on the way.
  int64_t accessesForTravel = 4;
  /// Accesses in so many cycles from when a value is made are counted twice.
  int64_t soon = 128;
  /// What others count where weights lie.
  int64_t accessesForWeights = 300;
  /// For weights, so many accesses of others count as one: the more, the nearer
  /// to their mxm they lie.
  int64_t accessesForOneOfWeights = 256;

  //===--- Blocks of vectors, each in banks of its own (Homes.cpp) --------===//
  /// A value is busy if each of its vectors is read so often.
  int64_t readsOfBusy = 2;
  /// The fewest vectors of a block, and of a busy value.
  int64_t leastBlock = 4, leastBusyBlock = 2;
  /// The most blocks of a value, and of a busy one.
  int64_t mostBlocks = 32, mostBusyBlocks = 16;
  /// A value has blocks in one of so many banks at most.
  int64_t banksForBlock = 2;

  //===--- Sums (Products.cpp) --------------------------------------------===//
  /// A plane is given so many times as many cycles of products as it takes to
  /// load the weights, if there are as many.
  int64_t productsForLoad = 2;
  /// Each sum is made by one plane where so many times as many of them as there
  /// are planes can be made at a time.
  int64_t sumsForPlane = 1;

  //===--- Runs (Homes.cpp) -----------------------------------------------===//
  /// The most instances that repeat at a steady pace.
  int64_t longestRun = 256;

  friend bool operator==(const ScheduleChoices &,
                         const ScheduleChoices &) = default;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SCHEDULE_SCHEDULECHOICES_H
