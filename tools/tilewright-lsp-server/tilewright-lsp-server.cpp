// The language server for editors: diagnostics, hover and go-to-definition
// for MLIR text at the graph, tile and scheduled levels.
#include "codegen/gpu/TileGpu.h"
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
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "tileir/ir/Register.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilewright::registerAllDialects(registry);
  registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                  mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect, mlir::vector::VectorDialect>();
  registry.insert<tilewright::tilegpu::TileGpuDialect>();
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
