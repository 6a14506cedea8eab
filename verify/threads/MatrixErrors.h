//===- MatrixErrors.h - Errors of matrix instructions -----------*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_THREADS_MATRIXERRORS_H
#define TILEWRIGHT_VERIFY_THREADS_MATRIXERRORS_H

#include "verify/threads/ErrorRules.h"
#include "verify/threads/MatrixProduct.h"

namespace tilewright::verify::threads {

/// A factor as the instruction takes it.
struct MatrixFactor {
  Inexact number;
  /// For the upper bits of a number: the size of the rest, which other products
  /// have.
  bool isUpper = false;
  double rest = 0;
};

/// What an instruction adds up to one element of its result.
struct MatrixSum {
  /// One pair for each k.
  llvm::ArrayRef<MatrixFactor> a, b;
  FloatLayout formatA, formatB;
  Inexact acc;
  /// What the reference computed.
  double made;
};

/// Products are exact, and are truncated where the greatest one leaves no room:
/// each by less than the last bit that is kept.
double errorOfProducts(const MatrixSum &sum, const ProductRules &rules);
/// Of fused multiply-adds in f64, in order.
double errorOfChain(const MatrixSum &sum, const NumberFormat &format);

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_MATRIXERRORS_H
