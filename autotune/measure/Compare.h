// Whether two results of a kernel are the same but for rounding.
#ifndef TILEWRIGHT_AUTOTUNE_MEASURE_COMPARE_H
#define TILEWRIGHT_AUTOTUNE_MEASURE_COMPARE_H

#include "tilewright/runtime/Tensor.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewright::autotune {

/// How far an element of this type may be from the expected one, as a share of
/// the largest magnitude that the expected tensor has: schedules add up in
/// other orders, and round then. 0 for integers and for floats of a byte and
/// less, which are compared bit by bit.
[[nodiscard]] double tolerance(runtime::DType dtype);

/// The first difference beyond the tolerance ("element 17 is 3.5, expected
/// 2.25"), or none. Elements where `known` is false are not looked at; an
/// empty `known` looks at all. Types and shapes agree.
std::optional<std::string> difference(const runtime::TensorView &found,
                                      const runtime::TensorView &expected,
                                      const std::vector<bool> &known);

/// Input numbers for a kernel: floats from -1 to 1 (exact in the small types),
/// integers 0 and 1, which are valid as indices and conditions too. Determined
/// by the seed alone.
void fillAtRandom(runtime::HostTensor &tensor, uint64_t seed);

/// The bits that mark unwritten elements: NaNs for floats.
void fillAsUnwritten(runtime::HostTensor &tensor);
/// For each element whether its bits are others than those.
[[nodiscard]] std::vector<bool> writtenElements(const runtime::TensorView &t);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_MEASURE_COMPARE_H
