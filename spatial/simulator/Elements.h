// Elements of the model's inputs and outputs, as lanes of values. A changed
// type is the only arithmetic here.
#ifndef TILEWRIGHT_SPATIAL_SIMULATOR_ELEMENTS_H
#define TILEWRIGHT_SPATIAL_SIMULATOR_ELEMENTS_H

#include "spatial/numeric/Numeric.h"
#include "spatial/program/Schedule.h"
#include "tilewright/runtime/Tensor.h"

namespace tilewright::spatial {

/// The elements of an input as lanes of `valueType`, in row-major order.
/// Errors: another type or shape than the input's, an integer that does not
/// fit, types that do not convert.
StatusOr<std::vector<Lane>> lanesOfInput(const Interface &input,
                                         DType valueType,
                                         const runtime::TensorView &tensor);

/// The tensor of an output, of lanes of `valueType` in row-major order.
StatusOr<runtime::HostTensor> tensorOfOutput(const Interface &output,
                                             DType valueType,
                                             std::vector<Lane> lanes);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SIMULATOR_ELEMENTS_H
