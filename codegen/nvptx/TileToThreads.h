//===- TileToThreads.h - A scheduled kernel as a function -------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_TILETOTHREADS_H
#define TILEWRIGHT_CODEGEN_NVPTX_TILETOTHREADS_H

#include "codegen/target/GpuTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "tileir/ir/Tile.h"

namespace tilewright::nvptx {

/// Emits what one thread of `kernel`, at the scheduled level, does into
/// `module`: a function of the kernel's name whose parameters are the words of
/// its manifest. Errors are reported at the op that has no lowering.
mlir::LogicalResult emitThreads(tile::KernelOp kernel,
                                const target::GpuTarget &target,
                                mlir::ModuleOp module);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_TILETOTHREADS_H
