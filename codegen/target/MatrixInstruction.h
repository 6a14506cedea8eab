//===- MatrixInstruction.h - Facts about matrix instructions ----*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TARGET_MATRIXINSTRUCTION_H
#define TILEWRIGHT_CODEGEN_TARGET_MATRIXINSTRUCTION_H

#include "tilewright/codegen/GpuTarget.h"

namespace tilewright::target {

/// Element types of matrices, by their names in MLIR.
enum class MatrixType : uint8_t { f16, bf16, f32 };
/// Who issues an instruction together.
enum class MatrixIssuer : uint8_t { warp };
/// Where a kernel keeps an operand until the instruction: in shared memory,
/// from where ldmatrix brings fragments.
enum class MatrixPlace : uint8_t { shared };
/// How a sum is rounded. `truncatedF32`: the products of 8 positions of k and
/// the accumulator are aligned to the largest, truncated, and added (the bound
/// is in docs/spec.md, `tile.dot`).
enum class MatrixRounding : uint8_t { truncatedF32 };

/// D = A * B + C, where A is m x k, B is k x n, C and D are m x n.
struct MatrixInstruction {
  /// As schedules and attributes name it.
  std::string_view name;
  int64_t m = 0, n = 0, k = 0;
  MatrixType operands = MatrixType::f16, accumulator = MatrixType::f32;
  /// The first compute capability, and version of PTX times 10, that have it.
  unsigned major = 0, minor = 0, ptxVersion = 0;
  MatrixIssuer issuer = MatrixIssuer::warp;
  MatrixPlace lhs = MatrixPlace::shared, rhs = MatrixPlace::shared;
  MatrixRounding rounding = MatrixRounding::truncatedF32;
  /// Products that a multiprocessor of the first target adds up in a cycle.
  int64_t productsOfCycle = 0;

  /// Whether `target` has the instruction.
  [[nodiscard]] bool isOn(const GpuTarget &target) const;
};

/// All of them; of one type the one of the largest k first.
[[nodiscard]] std::span<const MatrixInstruction> matrixInstructions();

/// The instruction of that name, or null.
[[nodiscard]] const MatrixInstruction *
findMatrixInstruction(std::string_view name);

} // namespace tilewright::target

#endif // TILEWRIGHT_CODEGEN_TARGET_MATRIXINSTRUCTION_H
