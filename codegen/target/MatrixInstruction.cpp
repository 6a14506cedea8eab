//===- MatrixInstruction.cpp - Facts about matrix instructions ------------===//
#include "codegen/target/MatrixInstruction.h"

#include <algorithm>

namespace tilewright::target {

static constexpr MatrixInstruction instructions[] = {
#define MATRIX_INSTRUCTION(name, m, n, k, operands, accumulator, major, minor, \
                           ptx, issuer, lhs, rhs, rounding, products)          \
  {name,                                                                       \
   m,                                                                          \
   n,                                                                          \
   k,                                                                          \
   MatrixType::operands,                                                       \
   MatrixType::accumulator,                                                    \
   major,                                                                      \
   minor,                                                                      \
   ptx,                                                                        \
   MatrixIssuer::issuer,                                                       \
   MatrixPlace::lhs,                                                           \
   MatrixPlace::rhs,                                                           \
   MatrixRounding::rounding,                                                   \
   products},
#include "codegen/target/MatrixInstructions.inc"
#undef MATRIX_INSTRUCTION
};

bool MatrixInstruction::isOn(const GpuTarget &target) const {
  return target.matrixProducts &&
         std::pair(target.major, target.minor) >= std::pair(major, minor);
}

std::span<const MatrixInstruction> matrixInstructions() { return instructions; }

const MatrixInstruction *findMatrixInstruction(std::string_view name) {
  const auto *found =
      std::ranges::find(instructions, name, &MatrixInstruction::name);
  return found == std::end(instructions) ? nullptr : found;
}

} // namespace tilewright::target
