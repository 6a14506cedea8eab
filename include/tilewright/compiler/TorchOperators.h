//===- TorchOperators.h - What is imported from PyTorch ---------*- C++ -*-===//
#ifndef TILEWRIGHT_COMPILER_TORCHOPERATORS_H
#define TILEWRIGHT_COMPILER_TORCHOPERATORS_H

#include "tilewright/support/Export.h"
#include <string_view>

namespace tilewright::torch {

/// Whether programs may call this operator: "aten.add.Tensor". The import may
/// still fail for some of its arguments.
[[nodiscard]] TILEWRIGHT_API bool supportsOperator(std::string_view target);

} // namespace tilewright::torch

#endif // TILEWRIGHT_COMPILER_TORCHOPERATORS_H
