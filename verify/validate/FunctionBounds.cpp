#include "verify/validate/FunctionBounds.h"

#include "codegen/math/LowerMathFunctions.h"

namespace tilewright::verify {

llvm::ArrayRef<reference::FunctionBound> functionBounds() {
  static const std::vector<reference::FunctionBound> bounds = [] {
    std::vector<reference::FunctionBound> all;
    for (const math::ErrorBound &bound : math::errorBounds())
      all.push_back({bound.function, bound.single, bound.wide});
    return all;
  }();
  return bounds;
}

} // namespace tilewright::verify
