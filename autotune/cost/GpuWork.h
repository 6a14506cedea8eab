//===- GpuWork.h - What the threads of a launch have to do ------*- C++ -*-===//
//
// Counts from the scheduled level, op by op, as codegen/nvptx emits them. What
// layouts say is exact: accesses, sectors, wavefronts, barriers, products. The
// instructions around them are estimates.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_AUTOTUNE_COST_GPUWORK_H
#define TILEWRIGHT_AUTOTUNE_COST_GPUWORK_H

#include "autotune/cost/LoopNest.h"

namespace tilewright::autotune {

/// Sums over all warps of a launch. They should agree with the emulator's
/// counters of the same meaning (runtime/emulator/counters/Counters.inc).
struct GpuWork {
  /// Instructions that warps issue (of PTX), and the slots that they take.
  double instructions = 0, slots = 0;
  /// Products that warps add up: instructions of 32 FMAs.
  double products = 0;
  /// Matrix instructions of warps, and products that these multiply.
  double tensorOperations = 0, matrixProducts = 0;
  /// How many products of f16 would take as long as all of these.
  double productsOfF16 = 0;
  double globalRequests = 0, sectors = 0;
  double sharedRequests = 0, wavefronts = 0, idealWavefronts = 0;
  /// Arrivals of warps.
  double barriers = 0;

  int64_t programs = 1, warps = 1;
  /// Of a block, in bytes.
  int64_t shared = 0;
  /// 32-bit registers that a thread needs at least: the largest set of tiles
  /// that are alive at once.
  int64_t registers = 0;
  /// What addresses, counters and what is computed need besides, about.
  int64_t otherRegisters = 28;
  /// Cycles that one program waits for memory and barriers.
  double chain = 0;
  bool isGuess = false;
};

/// `scheduled` is a kernel at the last form of the scheduled level. Errors: as
/// LoopNest::create.
StatusOr<GpuWork> analyzeGpuWork(tile::KernelOp scheduled,
                                 std::span<const ArgumentShape> arguments);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_COST_GPUWORK_H
