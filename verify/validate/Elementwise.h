// Functions whose results have each element from the same index of the
// arguments.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::verify {

/// Whether all arguments and results are tensors of one shape, and each element
/// of a result is computed from the elements of the arguments at its index, in
/// the same way at each index. False where that is not seen.
bool isElementwise(mlir::func::FuncOp function);

} // namespace tilewright::verify
