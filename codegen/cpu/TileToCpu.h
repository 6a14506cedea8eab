//===- TileToCpu.h - Tile kernels as host functions -------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_TILETOCPU_H
#define TILEWRIGHT_CODEGEN_CPU_TILETOCPU_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tilewright::cpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/cpu/Passes.h.inc"

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_TILETOCPU_H
