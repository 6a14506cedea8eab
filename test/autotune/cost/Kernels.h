// Kernels whose work is easy to count by hand.
#ifndef TILEWRIGHT_TEST_AUTOTUNE_COST_KERNELS_H
#define TILEWRIGHT_TEST_AUTOTUNE_COST_KERNELS_H

#include "autotune/cost/ArgumentShape.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tilewright/mlir/Tile.h"
#include <string>

namespace tilewright::test {

/// A kernel in its own module and context.
class ParsedKernel {
public:
  explicit ParsedKernel(const std::string &text);
  [[nodiscard]] tile::KernelOp operator*() const;

private:
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

[[nodiscard]] inline autotune::ArgumentShape view(std::vector<int64_t> dims) {
  return {std::move(dims), {}};
}

/// C = A B in tiles of m x n, k of the depth at a time.
[[nodiscard]] std::string gemmText(int64_t m, int64_t n, int64_t k);
/// The sum of each row of squares, and each row over its sum: two loops over
/// the same tiles of `rows` x `width`.
[[nodiscard]] std::string normText(int64_t rows, int64_t width);
/// y = 2 x, `width` elements a program.
[[nodiscard]] std::string twiceText(int64_t width);
/// A convolution of 3 x 3 by windows of 8 x 8 that move by one element.
extern const std::string convolutionText;

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_AUTOTUNE_COST_KERNELS_H
