//===- DotOperand.h - What a thread reads of a dot's operands ---*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TILEGPU_DOTOPERAND_H
#define TILEWRIGHT_CODEGEN_TILEGPU_DOTOPERAND_H

#include "codegen/layout/Layout.h"
#include <vector>

namespace tilewright::tilegpu {

enum class DotSide : uint8_t { lhs, rhs };

/// An operand of a dot as the threads that hold the accumulators need it. A
/// *fiber* is a row of lhs or a column of rhs, of one batch: each thread needs
/// all of some fibers.
struct DotOperand {
  /// The operand if each thread held all that it needs in registers.
  layout::Layout layout;
  /// Of each of those registers: the fiber, counted per thread, and the
  /// position along it.
  std::vector<int32_t> fiber, depth;
  /// For each register of the accumulators the fiber that it needs.
  std::vector<int32_t> fiberOfAccumulator;
};

/// Of accumulators [m, n] or [batch, m, n] in registers of layout
/// `accumulators`, and fibers of `depth` elements.
StatusOr<DotOperand> dotOperand(const layout::Layout &accumulators,
                                DotSide side, int64_t depth);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TILEGPU_DOTOPERAND_H
