//===- Execute.h - Executes a program on vectors ----------------*- C++ -*-===//
//
// The oracle of what follows the vector program: it has no time and no place,
// and shares the machine's arithmetic alone with the simulator of schedules.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SPATIAL_REFERENCE_EXECUTE_H
#define TILEWRIGHT_SPATIAL_REFERENCE_EXECUTE_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "spatial/ir/Spatial.h"
#include "spatial/numeric/Numeric.h"
#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Status.h"
#include <vector>

namespace tilewright::spatial {

/// Executes a function on vectors whose arguments and results say what they are
/// of the model (kInterfaceAttr). `inputs` are in the order of its arguments.
/// Errors: inputs that do not fit, an i64 that is no i32, a row of a gather
/// outside of its table.
StatusOr<std::vector<runtime::HostTensor>>
executeVectors(mlir::FunctionOpInterface function,
               std::span<const runtime::TensorView> inputs);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_REFERENCE_EXECUTE_H
