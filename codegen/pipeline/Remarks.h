//===- Remarks.h - Remarks on a schedule ------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_PIPELINE_REMARKS_H
#define TILEWRIGHT_CODEGEN_PIPELINE_REMARKS_H

#include "tilewright/codegen/GpuSchedule.h"
#include "tilewright/manifest/Remark.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright {

/// Adds what there is to remark on a kernel at the last form of the scheduled
/// level, in the order of its ops:
///   schedule       the schedule, and why it was chosen
///   narrow_access  an access of global memory that is narrower than possible
///   shuffles       a tile that changes its layout within warps
///   bank_conflicts an access of shared memory that takes more wavefronts than
///                  its bytes do
///   no_matrix_ops  a dot by multiplications and additions
void remarkSchedule(tile::KernelOp kernel,
                    const schedule::ExplainedSchedule &schedule,
                    std::vector<Remark> &remarks);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_PIPELINE_REMARKS_H
