// When an element may stand for another.
#pragma once

#include "tilewright/mlir/Relation.h"
#include "tilewright/runtime/Tensor.h"

namespace tilewright::verify {

using tilewright::Relation;

/// Whether the bits are the same; any NaN is any other one.
bool isSame(runtime::DType dtype, uint64_t before, uint64_t after);
/// Whether a float is within `distance` times the magnitude of the one before,
/// or of the smallest normal number of the type if that is more; a NaN is near
/// to any NaN, an infinity to itself. Other types: isSame().
bool isNear(runtime::DType dtype, uint64_t before, uint64_t after,
            double distance);

} // namespace tilewright::verify
