// The inputs of a program, its symbols and its conditions on them.
#pragma once

#include "frontends/torch/Numbers.h"
#include "graph/build/Interface.h"

namespace tilewright::torch {

/// Makes an argument of each input that users give, and defines the symbols of
/// their sizes.
LogicalResult readInputs(GraphBuilder &b, Numbers &numbers,
                         const Program &program,
                         std::vector<FunctionArgument> &arguments);
/// Adds the checks that sizes must pass: of inputs that name an expression,
/// ranges and guards.
LogicalResult checkInputs(GraphBuilder &b, Numbers &numbers,
                          const Program &program,
                          ArrayRef<FunctionArgument> arguments);

} // namespace tilewright::torch
