// How a float becomes one of a smaller type.
#pragma once

#include "tileir/reference/Element.h"
#include "tilewright/mlir/Tile.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilewright::reference {

struct RoundingRule {
  tile::Rounding rounding = tile::Rounding::nearest_even;
  /// Too large a number becomes the largest finite one.
  bool saturate = false;
  /// For stochastic rounding: 0 to just below 1.
  double random = 0;
};

/// `source` rounded to another type, as tile.convert specifies it. The source
/// may have more precision than any type of a program.
llvm::APFloat roundFloat(const llvm::APFloat &source,
                         const llvm::fltSemantics &semantics,
                         const RoundingRule &rule = {});

/// LLVM's name; toward zero for stochastic, which begins there.
llvm::RoundingMode roundingMode(tile::Rounding rounding);

/// Exact for every element type of programs; any NaN becomes the quiet one.
double asDouble(llvm::APFloat value);

/// A float operation rounded once: 8-bit and smaller types are computed in
/// double, where a single operation on them is exact or far more precise, so
/// that types without sign, zero or NaN need no special rules.
Element computeFloat(
    mlir::Type type, llvm::ArrayRef<Element> operands,
    llvm::function_ref<llvm::APFloat(llvm::ArrayRef<llvm::APFloat>)> compute);

} // namespace tilewright::reference
