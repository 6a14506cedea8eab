//===- GpuAccess.h - Accesses of warps to views -----------------*- C++ -*-===//
#ifndef TILEWRIGHT_AUTOTUNE_COST_GPUACCESS_H
#define TILEWRIGHT_AUTOTUNE_COST_GPUACCESS_H

#include "autotune/cost/LoopNest.h"
#include "codegen/layout/Access.h"
#include "codegen/tilegpu/TileGpu.h"

namespace tilewright::autotune {

/// What one execution of a load or store of a view costs, on average over all
/// in which it is live.
struct ViewTraffic {
  /// Sums over the warps of a block.
  double requests = 0, sectors = 0;
  /// Accesses of a thread, and elements of each.
  double groups = 0;
  unsigned elements = 1;
  /// How often the whole tile is in the view: no access is checked then.
  double wholeShare = 1;
  /// The share of executions in which it is live.
  double liveShare = 1;
};

/// Of an op at the scheduled level; `live`, if not null, is the condition under
/// which it accesses anything.
ViewTraffic viewTraffic(tile::ViewAccessOpInterface op, const LoopNest &nest,
                        mlir::Value live = {});

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_COST_GPUACCESS_H
