//===- ConversionPlanning.h - Parts of planConversion -----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_CONVERSIONPLANNING_H
#define TILEWRIGHT_CODEGEN_LAYOUT_CONVERSIONPLANNING_H

#include "codegen/layout/Conversion.h"

namespace tilewright::layout {

/// The source of each element, within a warp: packed (register, lane, warp,
/// block) bits of `to` to the register of `from`, and to the XOR of the
/// source's lane and the own lane.
struct WarpSource {
  LinearMap reg, laneChange;
};

/// Fills in the rounds. `source` must be right for plan.from and plan.to.
void planRounds(ConversionPlan &plan, const WarpSource &source,
                unsigned laneBits, unsigned elementBits);

/// Fills in the exchange through shared memory.
/// Returns the reason where there is none, else an empty string.
std::string planExchange(ConversionPlan &plan, const Layout &from,
                         const ConversionOptions &options);

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_CONVERSIONPLANNING_H
