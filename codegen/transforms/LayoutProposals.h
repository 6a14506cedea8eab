//===- LayoutProposals.h - Layouts that ops would have ----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTPROPOSALS_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTPROPOSALS_H

#include "codegen/layout/Families.h"
#include "codegen/transforms/ElementOrder.h"
#include "codegen/transforms/LayoutClasses.h"
#include "tilewright/codegen/GpuSchedule.h"

namespace tilewright::tilegpu {

/// What the ops of one kernel propose: dots their accumulators, loads and
/// stores wide, coalesced accesses.
class LayoutProposals {
public:
  LayoutProposals(tile::KernelOp kernel, const schedule::GpuSchedule &schedule);

  /// Proposes to all classes; each then has a candidate. An error names the op
  /// that has none.
  mlir::LogicalResult propose(LayoutClasses &classes);

  /// Of a tile with row-major elements, for which nothing is proposed. Without
  /// `mayBeDealt` its repeats are not.
  layout::Layout rowMajor(mlir::Value tile, bool mayBeDealt = true);

private:
  llvm::SmallVector<tile::ViewAccessOpInterface> accesses();
  int64_t slotsOfRegister(mlir::RankedTensorType tile);
  layout::CoalescedParameters parametersOf(mlir::Value tile,
                                           const ElementOrder &memory);
  std::optional<layout::Layout> blocksOf(tile::ViewAccessOpInterface access,
                                         const ElementOrder &memory);
  bool reducesRows(const layout::Dims &shape);
  mlir::LogicalResult proposeAccumulators(LayoutClasses &classes);
  void proposeAccesses(LayoutClasses &classes);
  void proposeScans(LayoutClasses &classes);
  mlir::LogicalResult proposeDefaults(LayoutClasses &classes);

  tile::KernelOp kernel;
  unsigned warps, vectorBits;
  /// Whether dots use the instructions that were chosen, whatever they cost.
  bool isInstructionGiven;
  layout::Dealing dealing;
  bool isTransposing = false;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTPROPOSALS_H
