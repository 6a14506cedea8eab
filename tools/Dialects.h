// The dialects of the graph, tile and scheduled levels, for the tools that read
// MLIR text of any of them.
#ifndef TILEWRIGHT_TOOLS_DIALECTS_H
#define TILEWRIGHT_TOOLS_DIALECTS_H

#include "codegen/tilegpu/TileGpu.h"
#include "graph/ir/Graph.h"
#include "graph/pipeline/Pipelines.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "spatial/ir/Spatial.h"
#include "tileir/ir/Register.h"

namespace tilewright {

inline void registerToolDialects(mlir::DialectRegistry &registry) {
  registerAllDialects(registry);
  graph::registerModuleDialects(registry);
  registry.insert<graph::GraphDialect, mlir::LLVM::LLVMDialect,
                  mlir::memref::MemRefDialect, mlir::vector::VectorDialect,
                  spatial::SpatialDialect, tilegpu::TileGpuDialect>();
}

} // namespace tilewright

#endif // TILEWRIGHT_TOOLS_DIALECTS_H
