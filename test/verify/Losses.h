// Losses of precision, as wrong passes would cause them.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace tilewright::test {

/// Changes kernels as they are before the pass `lower-math`; false if there is
/// nothing to change. By name:
///   narrow-f16, narrow-bf16  accumulators are rounded after each step
///   product                  products are rounded to bf16 before they are
///   added term                     of the products of parts of f32 one is left
///   out function                 functions are computed in f16 chunk sums of
///   few bits are not added up in f32 between
bool lose(mlir::ModuleOp module, const std::string &loss);

} // namespace tilewright::test
