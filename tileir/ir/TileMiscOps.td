// Assumptions, assertions and what else is not memory, shape or compute.
#ifndef TILEWRIGHT_TILEIR_IR_TILEMISCOPS
#define TILEWRIGHT_TILEIR_IR_TILEMISCOPS

include "tileir/ir/TileKernelOps.td"

#endif
