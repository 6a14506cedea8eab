//===- Cut.h - How a group is cut, as data ----------------------*- C++ -*-===//
//
// What a program computes and in which steps is a choice of the schedule, by
// name: "tile0", "tile1", .. for the dimensions of the group's result, "step0",
// .. for the loops that its root accumulates along, "grid" for the dimension
// that programs walk along first.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_CUT_H
#define TILEWRIGHT_GRAPH_LOWERING_CUT_H

#include "graph/lowering/TileSizes.h"
#include <map>

namespace tilewright::graph {

/// One choice. Other values than these are legal too: any size up to that of
/// the dimension, of powers of two where the limits want them.
struct CutKnob {
  std::string name;
  /// Values worth trying, ascending; no more than a dozen.
  std::vector<int64_t> values;
  /// What is taken if nothing is given; one of the values.
  int64_t chosen = 0;
};

/// Values by the names of knobs; what is left out is chosen.
using CutValues = std::map<std::string, int64_t>;

/// The choices that a group has; none for a concatenation or for a kernel that
/// the user gave.
std::vector<CutKnob> cutKnobs(const Group &group, const TileLimits &limits);

/// The cut by these values. A step that is not given is chosen for the tile
/// that is. Failure, with an error at the group's last op, for a name that the
/// group does not have or a value out of range.
mlir::FailureOr<TileSizes> cutBy(const Group &group, const TileLimits &limits,
                                 const CutValues &values);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_CUT_H
