//===- TileToThreads.h - Scheduled kernels as functions ---------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_TILETOTHREADS_H
#define TILEWRIGHT_CODEGEN_NVPTX_TILETOTHREADS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tilewright::nvptx {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/nvptx/Passes.h.inc"

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_TILETOTHREADS_H
