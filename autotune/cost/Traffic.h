//===- Traffic.h - Bytes that a cache of a given size fetches ---*- C++ -*-===//
#ifndef TILEWRIGHT_AUTOTUNE_COST_TRAFFIC_H
#define TILEWRIGHT_AUTOTUNE_COST_TRAFFIC_H

#include "autotune/cost/Work.h"

namespace tilewright::autotune {

/// Bytes of views that a launch loads into a cache of `cacheBytes` (or writes
/// back from it) in lines of `line`, when programs run in the grid's order.
///
/// For each access, finds the outermost loop of which one iteration, with all
/// its accesses, fits the cache. The access's footprint over that loop is
/// fetched each time the loop is entered. Repeating an earlier read of the same
/// program costs nothing where the program fits.
[[nodiscard]] double fetchedBytes(const Work &work, double cacheBytes,
                                  double line = 1);

/// Bytes that one program accesses, each counted once.
[[nodiscard]] double programBytes(const Work &work);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_COST_TRAFFIC_H
