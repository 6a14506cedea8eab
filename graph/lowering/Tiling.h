//===- Tiling.h - How a group is tiled, as data -----------------*- C++ -*-===//
//
// What a program computes and in which steps is a parameter of the schedule, by
// name: "tile0", "tile1", .. for the dimensions of the group's result, "step0",
// .. for the loops that its root accumulates along, "grid" for the dimension
// that programs walk along first.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_TILING_H
#define TILEWRIGHT_GRAPH_LOWERING_TILING_H

#include "graph/lowering/TileSizes.h"
#include <map>

namespace tilewright::graph {

/// One parameter. Other values than these are legal too: any size up to that of
/// the dimension, of powers of two where the limits want them.
struct TilingParameter {
  std::string name;
  /// Values worth trying, ascending; no more than a dozen.
  std::vector<int64_t> values;
  /// The default; one of the values.
  int64_t chosen = 0;
};

/// Values by the names of parameters; missing ones are chosen.
using TilingValues = std::map<std::string, int64_t>;

/// The parameters of a group; none for a concatenation or a user's kernel.
std::vector<TilingParameter> tilingParameters(const Group &group,
                                              const TileLimits &limits);

/// The tiling with these values. A missing step is chosen for the given tile.
/// Failure, with an error at the group's last op, for a name that the group
/// does not have or a value out of range.
mlir::FailureOr<TileSizes> tileBy(const Group &group, const TileLimits &limits,
                                  const TilingValues &values);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_TILING_H
