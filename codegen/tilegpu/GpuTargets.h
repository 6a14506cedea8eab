// GPUs in the IR.
#ifndef TILEWRIGHT_CODEGEN_TILEGPU_GPUTARGETS_H
#define TILEWRIGHT_CODEGEN_TILEGPU_GPUTARGETS_H

#include "tilewright/codegen/GpuTarget.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright::tilegpu {

/// The attribute `tile.target` for a GPU, with all facts about it: a plug-in
/// may have brought it.
tile::TargetAttr attributeOf(const target::GpuTarget &target,
                             mlir::MLIRContext *context);

/// The GPU of the module's `tile.target`, by name or by description. A missing
/// target or a CPU is an error at the module. The name lives as long as the
/// context.
mlir::FailureOr<target::GpuTarget> gpuOf(mlir::ModuleOp module);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TILEGPU_GPUTARGETS_H
