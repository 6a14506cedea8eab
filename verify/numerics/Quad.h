// Elements as numbers of f128, and how far they are from exact ones.
#pragma once

#include "tileir/reference/Element.h"
#include "tilewright/runtime/Tensor.h"
#include "llvm/ADT/APFloat.h"

namespace tilewright::verify {

/// An element of any type as f128.
llvm::APFloat quadOf(const runtime::HostTensor &tensor, size_t position);
/// The same of an element of a program; the type says whether an integer has a
/// sign.
llvm::APFloat quadOf(const reference::Element &element, runtime::DType dtype);
/// |computed - exact|, rounded to nearest: 0 for two NaN and for equal
/// infinities.
double distance(llvm::APFloat computed, const llvm::APFloat &exact);
/// A unit in the last place that `exact` has in the type; 1 for integers.
double unitOf(runtime::DType dtype, const llvm::APFloat &exact);

} // namespace tilewright::verify
