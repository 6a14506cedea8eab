// The text of expressions on sizes.
#pragma once

#include "tilewright/compiler/TorchProgram.h"
#include "tilewright/support/Status.h"

namespace tilewright::torch {

/// Parses sympy's srepr: "Mul(Integer(2), Symbol('s0', integer=True))".
StatusOr<Expression> parseSrepr(std::string_view text);
/// Parses a guard in Python: "(L['x'].size()[0] % 3) == 0". A path of an input,
/// L['a']['b'][0], is the name a_b_0.
StatusOr<Expression> parseGuard(std::string_view text);

} // namespace tilewright::torch
