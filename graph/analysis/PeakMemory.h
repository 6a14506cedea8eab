//===- PeakMemory.h - What kernels hold for each other ----------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_PEAKMEMORY_H
#define TILEWRIGHT_GRAPH_ANALYSIS_PEAKMEMORY_H

#include "graph/analysis/Group.h"

namespace tilewright::graph {

/// The most bytes that lie between kernels at one time.
struct PeakMemory {
  int64_t bytes = 0;
  /// Position of the group that runs then.
  size_t group = 0;
};

/// Of the results of `groups`, in the order in which they run, from the kernel
/// that writes them to the last one that reads them. What the model takes and
/// returns does not count, nor in a region what it is given and yields: the
/// groups are those of one block. A size that is known only at run time counts
/// for 1024, in all values alike.
PeakMemory peakMemory(llvm::ArrayRef<Group> groups);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_PEAKMEMORY_H
