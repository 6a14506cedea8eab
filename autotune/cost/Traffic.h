//===- Traffic.h - Bytes that a cache of a given size fetches ---*- C++ -*-===//
#ifndef TILEWRIGHT_AUTOTUNE_COST_TRAFFIC_H
#define TILEWRIGHT_AUTOTUNE_COST_TRAFFIC_H

#include "autotune/cost/Work.h"

namespace tilewright::autotune {

/// Bytes of views that a launch brings into a cache of `cacheBytes` (or writes
/// out of it) in lines of `line`, when programs follow each other in the grid's
/// order.
///
/// For each access the outermost loop is found one iteration of which, with all
/// that is accessed in it, fits the cache. What the access covers during the
/// whole of that loop is fetched once for each time that the loop is entered.
/// An access that reads again what one before it in the same program has read
/// costs nothing where the program fits.
[[nodiscard]] double fetchedBytes(const Work &work, double cacheBytes,
                                  double line = 1);

/// Bytes that one program accesses, each counted once.
[[nodiscard]] double programBytes(const Work &work);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_COST_TRAFFIC_H
