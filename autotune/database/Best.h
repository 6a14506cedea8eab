// Which of many trials is the best, and how far two shapes are apart. Plain
// functions of records, whatever their order.
#ifndef TILEWRIGHT_AUTOTUNE_DATABASE_BEST_H
#define TILEWRIGHT_AUTOTUNE_DATABASE_BEST_H

#include "autotune/database/Trial.h"
#include <span>
#include <string_view>

namespace tilewright::autotune {

/// "cuda" of "cuda:1".
[[nodiscard]] std::string_view deviceKind(std::string_view device);

/// The index of the best of the trials of one task on devices of one kind:
///
/// 1. Costs of two metrics are never compared: times count; without them
///    counters; without those the model.
/// 2. Nor are those of two kinds of hardware: the one with the most good trials
///    counts, of several the one whose name sorts first.
/// 3. Of each schedule the latest trial counts, and only if it is ok.
/// 4. Pairs count before medians. A trial whose `ratio` is wholly below 1 beats
///    the schedule it was paired `against`; any other loses to it: it has to
///    win beyond noise. Schedules that lost are out, unless a chain of pairs
///    has them beat the winner, too.
/// 5. Of the rest, the least median; of several the one whose schedule sorts
///    first.
[[nodiscard]] std::optional<size_t>
bestTrial(std::span<const TrialRecord> trials);

/// Whether `a` began later; of two that began in one second, that which is
/// later in its run.
[[nodiscard]] bool isLater(const TrialRecord &a, const TrialRecord &b);

/// As Nearest::distance; none where shapes cannot be compared: other numbers of
/// sizes, or different sizes of which one is not positive.
[[nodiscard]] std::optional<double> distance(std::span<const int64_t> a,
                                             std::span<const int64_t> b);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_DATABASE_BEST_H
