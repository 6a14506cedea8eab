// The numbers in a module near which it may behave differently.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "verify/validate/Program.h"

namespace tilewright::verify {

/// Constants, static sizes, steps and tiles of all ops in the module.
Hints readHints(mlir::ModuleOp module);

} // namespace tilewright::verify
