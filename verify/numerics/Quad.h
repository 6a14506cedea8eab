// Numbers of f128 and of f64.
#pragma once

#include "tilewright/runtime/Tensor.h"
#include "llvm/ADT/APFloat.h"

namespace tilewright::verify {

/// An element of any type as f128.
llvm::APFloat quadOf(const runtime::HostTensor &tensor, size_t position);
/// As f64, to nearest.
double nearest(llvm::APFloat quad);
/// |computed - exact|, rounded to nearest: 0 for two NaN and for equal
/// infinities.
double distance(llvm::APFloat computed, const llvm::APFloat &exact);
/// A unit in the last place that `exact` has in the type; 1 for integers.
double unitOf(runtime::DType dtype, const llvm::APFloat &exact);

} // namespace tilewright::verify
