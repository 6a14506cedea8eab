// Functions of f128 (binary128 of IEEE 754), for runs that stand for exact
// arithmetic.
#pragma once

#include "llvm/ADT/APFloat.h"
#include <mpfr.h>

namespace tilewright::reference {

/// A function of MPFR.
using QuadUnary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using QuadBinary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

/// The function of numbers of f128, rounded once to nearest, as C's library
/// specifies it for zeros, infinities and NaN.
llvm::APFloat quadFunction(QuadUnary fn, const llvm::APFloat &x);
llvm::APFloat quadFunction(QuadBinary fn, const llvm::APFloat &x,
                           const llvm::APFloat &y);
llvm::APFloat quadPower(const llvm::APFloat &x, int64_t exponent);

/// 1 / sqrt(x), where MPFR takes that of -0 for +infinity, IEEE 754 for
/// -infinity.
int quadInverseRoot(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);

} // namespace tilewright::reference
