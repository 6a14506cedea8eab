// How many launches are timed, and what they show.
#ifndef TILEWRIGHT_AUTOTUNE_MEASURE_MEASUREMENT_H
#define TILEWRIGHT_AUTOTUNE_MEASURE_MEASUREMENT_H

#include "autotune/measure/Bench.h"
#include "autotune/measure/Statistics.h"

namespace tilewright::autotune {

/// What a measurement found: times of launches, or what one launch costs by
/// what was counted, and then the counters.
struct Measured {
  TimeStatistics time;
  /// The candidate's time over that of the other; 1 without another.
  Interval ratio = {1, 1, 1};
  Standing standing = Standing::open;
  /// Seconds that went into launches that were timed, or warmed up for them.
  double seconds = 0;
  std::vector<runtime::Counter> counted = {};
};

/// Times `kernel`, in pairs with `against` where that is not null, until the
/// comparison is settled (Statistics.h), without one until the median's
/// interval is within 2 %, or `seconds` are over. A far slower kernel is
/// rejected after four pairs. A faster one is measured again, and only those
/// pairs are the result: of many candidates as fast as `against` some are
/// faster by chance, and would seem faster than they are.
StatusOr<Measured> measure(Bench &bench, const BenchKernel &kernel,
                           const BenchKernel *against, double seconds);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_MEASURE_MEASUREMENT_H
