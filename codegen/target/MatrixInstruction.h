//===- MatrixInstruction.h - Facts about matrix instructions ----*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TARGET_MATRIXINSTRUCTION_H
#define TILEWRIGHT_CODEGEN_TARGET_MATRIXINSTRUCTION_H

#include "tilewright/codegen/GpuTarget.h"

namespace tilewright::target {

/// Element types of matrices. i8 are signed or unsigned, f8 are f8E4M3FN or
/// f8E5M2, each operand on its own; of f32 a tf32 takes 11 significant bits.
enum class MatrixType : uint8_t { f16, bf16, tf32, f32, f64, i8, i32, f8 };
/// Who issues an instruction together.
enum class MatrixIssuer : uint8_t { warp };
/// Where a kernel keeps an operand until the instruction: in shared memory,
/// from where a warp loads fragments.
enum class MatrixPlace : uint8_t { shared };
/// How a sum is rounded (bounds are in docs/spec.md, `tile.dot`).
/// `truncatedF32`: the products of 8 positions of k (4 of tf32) and the
/// accumulator are aligned to the largest, truncated, and added; `truncated13`:
/// the same of 16 positions, to 13 bits on some targets; `f64`: by fused
/// multiply-adds; `exact`: not at all.
enum class MatrixRounding : uint8_t { truncatedF32, truncated13, f64, exact };

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
  /// Products that a multiprocessor adds up in the time of 1024 of f16, which
  /// take a cycle on the first target.
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
