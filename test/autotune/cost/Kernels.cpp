#include "test/autotune/cost/Kernels.h"

#include "mlir/Parser/Parser.h"
#include "tilewright/mlir/Compile.h"
#include "llvm/Support/FormatVariadic.h"

namespace tilewright::test {

ParsedKernel::ParsedKernel(const std::string &text)
    : context(std::make_unique<mlir::MLIRContext>()) {
  prepareContext(*context);
  module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
}

tile::KernelOp ParsedKernel::operator*() const {
  return *module.get().getOps<tile::KernelOp>().begin();
}

std::string gemmText(int64_t m, int64_t n, int64_t k) {
  return llvm::formatv(R"(
tile.kernel @gemm(%A: !tile.view<?x?xf32>, %B: !tile.view<?x?xf32>,
                  %C: !tile.view<?x?xf32>)
    grid affine_map<()[M, K, L, N, P, Q] -> (M ceildiv {0}, N ceildiv {1})> {{
  %i, %j = tile.program_id
  %zero = arith.constant dense<0.0> : tensor<{0}x{1}xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.count %A, 1 by {2} : !tile.view<?x?xf32>
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%acc = %zero)
      -> tensor<{0}x{1}xf32> {{
    %a = tile.load %A[%i, %k] pad 0.0
        : !tile.view<?x?xf32> -> tensor<{0}x{2}xf32>
    %b = tile.load %B[%k, %j] pad 0.0
        : !tile.view<?x?xf32> -> tensor<{2}x{1}xf32>
    %n = tile.dot %a, %b, %acc : tensor<{0}x{2}xf32>, tensor<{2}x{1}xf32>
        -> tensor<{0}x{1}xf32>
    scf.yield %n : tensor<{0}x{1}xf32>
  }
  tile.store %sum, %C[%i, %j] : tensor<{0}x{1}xf32>, !tile.view<?x?xf32>
})",
                       m, n, k);
}

std::string normText(int64_t rows, int64_t width) {
  return llvm::formatv(R"(
tile.kernel @norm(%X: !tile.view<?x?xf32>, %Y: !tile.view<?x?xf32>)
    grid affine_map<()[R, W, P, Q] -> (R ceildiv {0})> {{
  %i = tile.program_id
  %zero = arith.constant dense<0.0> : tensor<{0}xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = tile.count %X, 1 by {1} : !tile.view<?x?xf32>
  %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%s = %zero)
      -> tensor<{0}xf32> {{
    %x = tile.load %X[%i, %k] pad 0.0
        : !tile.view<?x?xf32> -> tensor<{0}x{1}xf32>
    %q = arith.mulf %x, %x : tensor<{0}x{1}xf32>
    %p = tile.reduce %q axis 1 {{
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tile.yield %t : f32
    } : tensor<{0}x{1}xf32> -> tensor<{0}xf32>
    %n = arith.addf %s, %p : tensor<{0}xf32>
    scf.yield %n : tensor<{0}xf32>
  }
  scf.for %k = %c0 to %steps step %c1 {{
    %x = tile.load %X[%i, %k] pad 0.0
        : !tile.view<?x?xf32> -> tensor<{0}x{1}xf32>
    %c = tile.reshape %sum : tensor<{0}xf32> -> tensor<{0}x1xf32>
    %d = tile.broadcast %c : tensor<{0}x1xf32> -> tensor<{0}x{1}xf32>
    %y = arith.divf %x, %d : tensor<{0}x{1}xf32>
    tile.store %y, %Y[%i, %k] : tensor<{0}x{1}xf32>, !tile.view<?x?xf32>
  }
})",
                       rows, width);
}

std::string twiceText(int64_t width) {
  return llvm::formatv(R"(
tile.kernel @twice(%X: !tile.view<?xf32>, %Y: !tile.view<?xf32>)
    grid affine_map<()[N, M] -> (N ceildiv {0})> {{
  %i = tile.program_id
  %x = tile.load %X[%i] pad 0.0 : !tile.view<?xf32> -> tensor<{0}xf32>
  %y = arith.addf %x, %x : tensor<{0}xf32>
  tile.store %y, %Y[%i] : tensor<{0}xf32>, !tile.view<?xf32>
})",
                       width);
}

const std::string convolutionText = R"(
tile.kernel @convolution(%X: !tile.view<?x?xf32>, %Y: !tile.view<?x?xf32>)
    grid affine_map<()[H, W, P, Q] -> (P ceildiv 8, Q ceildiv 8)> {
  %i, %j = tile.program_id
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %top = arith.muli %i, %c8 : index
  %left = arith.muli %j, %c8 : index
  %sum = scf.for %h = %c0 to %c3 step %c1 iter_args(%s = %zero)
      -> tensor<8x8xf32> {
    %row = arith.addi %top, %h : index
    %inner = scf.for %w = %c0 to %c3 step %c1 iter_args(%t = %s)
        -> tensor<8x8xf32> {
      %column = arith.addi %left, %w : index
      %x = tile.load %X at [%row, %column] pad 0.0
          : !tile.view<?x?xf32> -> tensor<8x8xf32>
      %n = arith.addf %t, %x : tensor<8x8xf32>
      scf.yield %n : tensor<8x8xf32>
    }
    scf.yield %inner : tensor<8x8xf32>
  }
  tile.store %sum, %Y[%i, %j] : tensor<8x8xf32>, !tile.view<?x?xf32>
})";

} // namespace tilewright::test
