// Runs passes over MLIR text at the graph, tile or scheduled level.
#include "codegen/math/ExpandMath.h"
#include "codegen/transforms/Passes.h"
#include "frontends/graph/ir/Graph.h"
#include "frontends/graph/normalize/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "tileir/ir/Register.h"
#include "tileir/transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilewright::registerAllDialects(registry);
  registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                  mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect, mlir::vector::VectorDialect>();
  registry.insert<tilewright::graph::GraphDialect,
                  tilewright::tilegpu::TileGpuDialect>();
  tilewright::graph::registerModuleDialects(registry);
  mlir::registerTransformsPasses();
  tilewright::gpu::registerGpuPasses();
  tilewright::graph::registerGraphPasses();
  tilewright::graph::registerGraphPipelines();
  tilewright::elementary::registerMathPasses();
  tilewright::tile::registerTilePasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tilewright optimizer driver\n", registry));
}
