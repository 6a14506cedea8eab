// Expressions of an exported program as sizes.
#pragma once

#include "frontends/torch/Build.h"
#include "tilewright/compiler/TorchProgram.h"

namespace tilewright::torch {

/// What the symbols of a program are, and how its expressions become sizes.
class Numbers {
public:
  explicit Numbers(GraphBuilder &b) : b(b) {}

  /// Declares a symbol.
  void define(const std::string &symbol, Expr size) { symbols[symbol] = size; }
  bool isDefined(const std::string &symbol) const {
    return symbols.count(symbol);
  }
  /// The sizes of an input, which guards name.
  void defineInput(const std::string &name, ArrayRef<Expr> dims) {
    inputs[name].assign(dims.begin(), dims.end());
  }

  /// A whole number. Fails on a symbol that no input has: its value follows
  /// from the elements of tensors.
  FailureOr<Expr> size(const Expression &expression);
  FailureOr<Dims> sizes(ArrayRef<Expression> expressions);
  /// A number that is known, whole or not.
  FailureOr<double> real(const Expression &expression);
  /// How much a condition is violated: 0 where it holds, else more.
  FailureOr<Expr> violation(const Expression &condition);

private:
  /// A ratio of whole numbers.
  struct Ratio {
    Expr over, under;
  };
  FailureOr<Ratio> ratio(const Expression &expression);
  FailureOr<Ratio> combine(Expression::Kind kind, Ratio left, Ratio right);
  FailureOr<Ratio> symbol(const std::string &name);
  FailureOr<Ratio> inputSize(const Expression &expression);
  FailureOr<Ratio> power(const Expression &expression);
  FailureOr<Expr> compared(const Expression &condition);

  GraphBuilder &b;
  std::map<std::string, Expr> symbols;
  std::map<std::string, Dims> inputs;
};

} // namespace tilewright::torch
