// The parameters of operators and their defaults, which archives leave out.
#pragma once

#include "tilewright/compiler/TorchProgram.h"

namespace tilewright::torch {

/// A parameter of an operator.
struct Parameter {
  std::string_view name;
  /// Nothing if each call gives it.
  std::optional<Argument> otherwise;
};

/// The parameters of an operator, "aten.add.Tensor", in order; empty if
/// scripts/torch-schemas does not list it. One that writes in place,
/// "aten.add_.Tensor", has those of the other.
std::vector<Parameter> parametersOf(std::string_view target);

} // namespace tilewright::torch
