// All of the tile dialect.
#ifndef TILEWRIGHT_TILEIR_IR_TILEOPS
#define TILEWRIGHT_TILEIR_IR_TILEOPS

include "tileir/ir/TileAtomicOps.td"
include "tileir/ir/TileAttrs.td"
include "tileir/ir/TileComputeOps.td"
include "tileir/ir/TileKernelOps.td"
include "tileir/ir/TileMemoryOps.td"
include "tileir/ir/TileMiscOps.td"
include "tileir/ir/TileShapeOps.td"

#endif
