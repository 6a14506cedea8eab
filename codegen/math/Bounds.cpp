//===- Bounds.cpp - The error bounds of the functions ---------------------===//
#include "codegen/math/ExpandMath.h"

namespace tilewright::elementary {

/// test/codegen/math/BoundTest.cpp establishes each bound, over all operands
/// of the type; docs/math.md prints them beside the greatest errors found.
static constexpr ErrorBound kErrorBounds[] = {
    {"acos", 2, 2},    {"acosh", 2, 2},    {"asin", 2, 2},  {"asinh", 2, 2},
    {"atan", 2, 2},    {"atan2", 2, 2},    {"atanh", 2, 2}, {"cbrt", 1, 1},
    {"cos", 1, 1},     {"cosh", 2, 2},     {"erf", 2, 2},   {"erfc", 4, 4},
    {"exp", 1.5, 1.5}, {"exp2", 1.5, 1.5}, {"expm1", 2, 2}, {"fpowi", 2, 2},
    {"log", 1, 1},     {"log10", 1, 1},    {"log1p", 1, 1}, {"log2", 1, 1},
    {"powf", 2, 2},    {"rsqrt", 2, 2},    {"sin", 1, 1},   {"sincos", 1, 1},
    {"sinh", 2, 2},    {"tan", 3, 3},      {"tanh", 3, 3},
};

llvm::ArrayRef<ErrorBound> errorBounds() { return kErrorBounds; }

} // namespace tilewright::elementary
