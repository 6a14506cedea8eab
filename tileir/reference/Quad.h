// Functions of f128 (binary128 of IEEE 754), for runs that stand for exact
// arithmetic.
#pragma once

#include "llvm/ADT/APFloat.h"
#include <mpfr.h>

// Debian's archive of MPFR cannot be part of a shared library, as the Python
// wheel is one: where nothing is linked these are null.
#pragma weak mpfr_acos
#pragma weak mpfr_acosh
#pragma weak mpfr_asin
#pragma weak mpfr_asinh
#pragma weak mpfr_atan
#pragma weak mpfr_atan2
#pragma weak mpfr_atanh
#pragma weak mpfr_cbrt
#pragma weak mpfr_cos
#pragma weak mpfr_cosh
#pragma weak mpfr_erf
#pragma weak mpfr_erfc
#pragma weak mpfr_exp
#pragma weak mpfr_exp2
#pragma weak mpfr_expm1
#pragma weak mpfr_log
#pragma weak mpfr_log10
#pragma weak mpfr_log1p
#pragma weak mpfr_log2
#pragma weak mpfr_pow
#pragma weak mpfr_pow_si
#pragma weak mpfr_rec_sqrt
#pragma weak mpfr_set_inf
#pragma weak mpfr_sin
#pragma weak mpfr_sinh
#pragma weak mpfr_sqrt
#pragma weak mpfr_tan
#pragma weak mpfr_tanh

namespace tilewright::reference {

/// Whether functions of f128 are known: MPFR is linked. Those below expect it,
/// and are NaN otherwise.
bool hasQuadFunctions();

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
