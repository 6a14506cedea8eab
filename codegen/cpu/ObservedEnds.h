//===- ObservedEnds.h - What of a tile is stored ----------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_OBSERVEDENDS_H
#define TILEWRIGHT_CODEGEN_CPU_OBSERVEDENDS_H

#include "codegen/cpu/Emission.h"

namespace tilewright::cpu {

/// For each dimension of a tile how many of its indices can reach a store, from
/// 0 on: of a tile that begins inside a view and ends behind it only those
/// inside are stored. Null where all may be, where something other than a store
/// may tell, or where the count is not known before the tile.
Values observedEnds(mlir::Value tile, Emission &e);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_OBSERVEDENDS_H
