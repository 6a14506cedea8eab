//===- Programs.h - Program indices and bounds ------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_PROGRAMS_H
#define TILEWRIGHT_CODEGEN_CPU_PROGRAMS_H

#include "codegen/cpu/Emission.h"

namespace tilewright::cpu {

/// Reads this program's indices and their counts from its linear id and the
/// grid. id0 is the fastest part of the linear id.
void readProgramIds(mlir::Value linear, mlir::Value grid, Emission &e);

/// An upper bound of a kernel's index value, from constants, the grid and loop
/// bounds; assumes that all these values are at least 0.
std::optional<int64_t> maximum(mlir::Value value, Emission &e);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_PROGRAMS_H
