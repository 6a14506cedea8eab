//===- Memory.h - Loads and stores of views ---------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_MEMORY_H
#define TILEWRIGHT_CODEGEN_CPU_MEMORY_H

#include "codegen/cpu/Views.h"

namespace tilewright::cpu {

/// The address of a tile's first element in a view, if the tile is a load that
/// needs no checks and whose elements are the same in memory and in registers.
std::optional<Address> addressInPlace(mlir::Value tile, Emission &e);

/// Elements of memory from one element of such a tile to the next along `dim`.
mlir::Value strideInPlace(mlir::Value tile, unsigned dim, Emission &e);

/// Whether the tile is loaded from a view, and its elements along `dim` are
/// known to be next to each other there.
bool isContiguousLoad(mlir::Value tile, unsigned dim, Emission &e);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_MEMORY_H
