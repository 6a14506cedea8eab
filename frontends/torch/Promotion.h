// PyTorch's type promotion: tensors with dimensions decide before tensors
// without, and those before numbers.
#pragma once

#include "frontends/torch/Call.h"

namespace tilewright::torch {

/// An operand of arithmetic.
struct Term {
  /// A number is a known tensor without dimensions, of i1, i64 or f64.
  Tensor tensor;
  bool isNumber = false;
};

/// The argument of this name: a tensor or a number.
FailureOr<Term> termOf(Call &call, StringRef name);
/// The type that operands are converted to.
FailureOr<Element> promote(GraphBuilder &b, ArrayRef<Term> terms);
/// The smallest type that holds both.
Element promoteTypes(GraphBuilder &b, Element x, Element y);
/// The operand in the common type. Numbers beside floats of fewer than 32 bits
/// stay f32, in which such an operator computes.
FailureOr<Tensor> promoted(GraphBuilder &b, const Term &term, Element common);

/// Two operands in their common type.
struct Pair {
  Tensor x, y;
  Element common;
};
FailureOr<Pair> promotedPair(Call &call, StringRef x, StringRef y);

/// A tensor without dimensions as a vector of one element.
Tensor atLeastVector(GraphBuilder &b, const Tensor &x);

/// f32 instead of integers and booleans.
Element floating(GraphBuilder &b, Element element);

} // namespace tilewright::torch
