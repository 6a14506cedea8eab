// Types of arguments under torch.autocast.
#pragma once

#include "mlir/Support/LLVM.h"

namespace tilewright::torch {

/// Whether autocast on the CPU gives all floats among an operator's arguments
/// one type, which is that of the result: "aten.linear.default".
bool isCastByAutocast(mlir::StringRef target);

} // namespace tilewright::torch
