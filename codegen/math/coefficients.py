"""coefficients.py > Coefficients.h: the numbers behind the math functions.

Needs mpmath. Each polynomial p(v) = c0 + c1 v + ... is the weighted least
squares fit at Chebyshev points, which is near the minimax one, in 120 digits.
Coefficients are rounded one at a time, lowest first, and those left are fitted
again, so that they make up for the rounding (as in S. Chevillard et al.,
"Sollya", 2010: fpminimax without its lattice). The comment above each table
gives the greatest weighted error in bits, as the rounded coefficients have it.
"""

import mpmath
from mpmath import mp, mpf

mp.dps = 120
SINGLE, WIDE = 24, 53


def rounded(x, bits):
    with mp.workprec(bits):
        return +mpf(x)


def literal(x):
    return float(x).hex()


def points(low, high, count):
    return [(low + high) / 2 + (high - low) / 2 *
            mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]


def fit(rows, values, powers):
    """Coefficients of `powers`, by the normal equations."""
    matrix = mp.matrix(len(powers))
    right = mp.matrix(len(powers), 1)
    for (v, w), y in zip(rows, values):
        terms = [w * v**k for k in powers]
        for i, term in enumerate(terms):
            right[i] += term * w * y
            for j in range(i + 1):
                matrix[i, j] += term * terms[j]
    for i in range(len(powers)):
        for j in range(i):
            matrix[j, i] = matrix[i, j]
    return list(mp.lu_solve(matrix, right))


def polynomial(function, weight, low, high, count, bits):
    low, high = mpf(low), mpf(high)
    nodes = points(low, high, 5 * count)
    rows = [(v, weight(v)) for v in nodes]
    left = [function(v) for v in nodes]
    result = []
    for k in range(count):
        c = rounded(fit(rows, left, list(range(k, count)))[0], bits)
        result.append(c)
        left = [y - c * v**k for (v, _), y in zip(rows, left)]
    worst = mpf(0)
    for v in points(low, high, 8 * count + 1):
        p = mpf(0)
        for c in reversed(result):
            p = p * v + c
        worst = max(worst, abs(weight(v) * (function(v) - p)))
    return result, float(mp.log(worst, 2)) if worst else -999.0


def one(v):
    return mpf(1)


def series(term, v, first):
    """sum of term(k) v^(k - first) for k >= first, until it ends."""
    total, k = mpf(0), first
    while True:
        t = term(k) * v**(k - first)
        total += t
        k += 1
        if abs(t) < mpf(10)**-110:
            return total


def root(v):
    return mp.sqrt(v)


def log_tail(f):
    if abs(f) < 0.05:
        return series(lambda k: mpf(-1)**(k + 1) / k, f, 3)
    return (mp.log(1 + f) - f + f * f / 2) / f**3


def log_weight(f):
    """Of an error of the tail in log(1 + f), relative."""
    return abs(f**3 / mp.log(1 + f)) + mpf(10)**-9


ERFC_MIDDLE = mpf("3.75")


def scaled_erfc(t):
    """(1 + 2x) e^(x^2) erfc(x) for t = (x - 15/4) / (x + 15/4)."""
    x = ERFC_MIDDLE * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def erfc_ulp(x):
    return (x - ERFC_MIDDLE) / (x + ERFC_MIDDLE)


HALF_LN2 = mp.log(2) / 2 * mpf("1.0001")
LOG_LOW, LOG_HIGH = mp.sqrt(mpf(1) / 2) - 1, mp.sqrt(2) - 1
QUARTER = (mp.pi / 4)**2 * mpf("1.001")
ERFC_AT_MIDDLE = scaled_erfc(mpf(0))
ERFC_LOW, ERFC_HIGH = erfc_ulp(mpf("0.49")), erfc_ulp(mpf(28))

# Name, description, function, weight of its error, range and number of
# coefficients for f32, the same for f64.
POLYNOMIALS = [
    ("kExp", "(e^r - 1 - r) / r^2, |r| <= ln(2) / 2",
     lambda r: series(lambda k: 1 / mp.factorial(k), r, 2), one,
     (-HALF_LN2, HALF_LN2, 6), (-HALF_LN2, HALF_LN2, 11)),
    ("kCosh", "(cosh(r) - 1) / v, v = r^2, |r| <= ln(2) / 2",
     lambda v: series(lambda k: 1 / mp.factorial(2 * k), v, 1), one,
     (0, HALF_LN2**2, 3), (0, HALF_LN2**2, 6)),
    ("kSinh", "(sinh(r) / r - 1) / v, v = r^2, |r| <= ln(2) / 2",
     lambda v: series(lambda k: 1 / mp.factorial(2 * k + 1), v, 1), one,
     (0, HALF_LN2**2, 3), (0, HALF_LN2**2, 5)),
    ("kLogTail", "(log(1 + f) - f + f^2 / 2) / f^3, sqrt(1/2) <= 1 + f <= "
     "sqrt(2)", log_tail, log_weight,
     (LOG_LOW, LOG_HIGH, 8), (LOG_LOW, LOG_HIGH, 20)),
    ("kAtanhTail", "(atanh(s) / s - 1 - z / 3) / z^2, z = s^2, s = f / (2 + f)"
     " for that f", lambda z: series(lambda k: mpf(1) / (2 * k + 1), z, 2),
     one, (0, mpf("0.02946"), 4), (0, mpf("0.02946"), 8)),
    ("kSin", "(sin(r) / r - 1) / v, v = r^2, |r| <= pi / 4",
     lambda v: series(lambda k: mpf(-1)**k / mp.factorial(2 * k + 1), v, 1),
     one, (0, QUARTER, 3), (0, QUARTER, 6)),
    ("kCos", "(cos(r) - 1 + v / 2) / v^2, v = r^2, |r| <= pi / 4",
     lambda v: series(lambda k: mpf(-1)**k / mp.factorial(2 * k), v, 2),
     one, (0, QUARTER, 3), (0, QUARTER, 6)),
    ("kAsin", "(asin(x) / x - 1) / v, v = x^2, |x| <= 1/2",
     lambda v: (mp.asin(root(v)) / root(v) - 1) / v, one,
     (0, mpf("0.2501"), 6), (0, mpf("0.2501"), 13)),
    ("kAtan", "(atan(t) / t - 1) / v, v = t^2, |t| <= 1",
     lambda v: (mp.atan(root(v)) / root(v) - 1) / v, one,
     (0, 1, 9), (0, 1, 20)),
    ("kErf", "erf(x) / x - 1, v = x^2, |x| <= 1",
     lambda v: mp.erf(root(v)) / root(v) - 1, one, (0, 1, 7), (0, 1, 12)),
    ("kLogErfc", "log(erfc(1 + v)), 1 + v <= 4 in f32, 6 in f64",
     lambda v: mp.log(mp.erfc(1 + v)), lambda v: mp.erfc(1 + v),
     (0, 3, 7), (0, 5, 18)),
    ("kScaledErfc", "((1 + 2x) e^(x^2) erfc(x) - kErfcAtMiddle) / v, v = "
     "(x - 15/4) / (x + 15/4), 1/2 <= x <= 28",
     lambda t: (scaled_erfc(t) - ERFC_AT_MIDDLE) / t, one,
     (ERFC_LOW, ERFC_HIGH, 10), (ERFC_LOW, ERFC_HIGH, 21)),
    ("kRootCubed", "(1 + f)^(-1/3), for the f of the logarithm",
     lambda f: (1 + f)**(-mpf(1) / 3), lambda f: (1 + f)**(mpf(1) / 3),
     (LOG_LOW, LOG_HIGH, 6), (LOG_LOW, LOG_HIGH, 9)),
]


def print_polynomial(name, what, function, weight, single, wide):
    print(f"/// {what}.")
    for width, span, bits in ((32, single, SINGLE), (64, wide, WIDE)):
        table, error = polynomial(function, weight, *span, bits)
        print(f"/// f{width}: error 2^{error:.1f}.")
        print(f"inline constexpr double {name}{width}[] = {{")
        print(",\n".join(f"    {literal(c)}" for c in table) + "};")
    print(f"inline constexpr Polynomial {name}{{{name}32, {name}64}};\n")


# Name, value, trailing zero bits of its first part (f32, f64), which make
# products with whole numbers exact, and number of parts.
CONSTANTS = [
    ("kLn2", mp.log(2), 9, 12, 2), ("kLog2e", 1 / mp.log(2), 0, 0, 2),
    ("kLog10e", 1 / mp.log(10), 0, 0, 2),
    ("kLog10Of2", mp.log(2) / mp.log(10), 9, 12, 2),
    ("kThird", mpf(1) / 3, 0, 0, 2), ("kTwoByPi", 2 / mp.pi, 0, 0, 1),
    ("kHalfPi", mp.pi / 2, 0, 0, 3), ("kPi", mp.pi, 0, 0, 2),
    ("kErfcAtMiddle", ERFC_AT_MIDDLE, 0, 0, 2),
    ("kRoot3Of2", mpf(2)**(mpf(1) / 3), 0, 0, 2),
    ("kRoot3OfHalf", mpf(2)**(-mpf(1) / 3), 0, 0, 2),
]


def print_constants():
    for name, value, single, wide, parts in CONSTANTS:
        left = {SINGLE: value, WIDE: value}
        for part in range(parts):
            suffix = ["", "Low", "Lowest"][part]
            numbers = []
            for bits, spare in ((SINGLE, single), (WIDE, wide)):
                c = rounded(left[bits], bits - (spare if part == 0 else 0))
                left[bits] -= c
                numbers.append(literal(c))
            print(f"inline constexpr Constant {name}{suffix}{{{numbers[0]}, "
                  f"{numbers[1]}}};")
    print()


def print_digits():
    """2 / pi after the point, in digits of half a word, two zeros before."""
    for width, half, count in ((32, 16, 13), (64, 32, 37)):
        digits = int(2 / mp.pi * mpf(2)**(half * count))
        words = [(digits >> (half * (count - 1 - i))) & ((1 << half) - 1)
                 for i in range(count)]
        print(f"inline constexpr uint64_t kTwoByPiDigits{width}[] = {{")
        print(",\n".join(f"    0x{w:0{half // 4}x}" for w in [0, 0] + words) +
              "};")
    print()


def main():
    with mp.workdps(500):
        print("""\
//===- Coefficients.h - The numbers behind the functions --------*- C++ -*-===//
//
// Made by coefficients.py (which says how) and clang-format. Do not edit.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_MATH_COEFFICIENTS_H
#define TILEWRIGHT_CODEGEN_MATH_COEFFICIENTS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace tilewright::math {

/// A number as f32 and as f64 have it.
struct Constant {
  double single, wide;
};
/// Coefficients, that of v^0 first.
struct Polynomial {
  llvm::ArrayRef<double> single, wide;
};

/// A constant is the sum of its parts.""")
        print_constants()
        print("/// 2 / pi: two digits 0, then those after the point, of 16 and "
              "32 bits.")
        print_digits()
    for entry in POLYNOMIALS:
        print_polynomial(*entry)
    print("} // namespace tilewright::math\n")
    print("#endif // TILEWRIGHT_CODEGEN_MATH_COEFFICIENTS_H")


if __name__ == "__main__":
    main()
