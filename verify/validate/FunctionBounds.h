// How far the functions of math may be from exact results.
#pragma once

#include "tileir/reference/Permitted.h"

namespace tilewright::verify {

/// The bounds of the compiler's own functions (docs/math.md), for
/// FreedomOptions and InterpreterOptions; static data.
llvm::ArrayRef<reference::FunctionBound> functionBounds();

} // namespace tilewright::verify
