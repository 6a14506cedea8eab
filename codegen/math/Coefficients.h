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

/// A constant is the sum of its parts.
inline constexpr Constant kLn2{0x1.62e4000000000p-1, 0x1.62e42fefa4000p-1};
inline constexpr Constant kLn2Low{0x1.7f7d1c0000000p-20,
                                  -0x1.8432a1b0e2634p-43};
inline constexpr Constant kLog2e{0x1.7154760000000p+0, 0x1.71547652b82fep+0};
inline constexpr Constant kLog2eLow{0x1.4ae0c00000000p-26,
                                    0x1.777d0ffda0d24p-56};
inline constexpr Constant kLog10e{0x1.bcb7b20000000p-2, 0x1.bcb7b1526e50ep-2};
inline constexpr Constant kLog10eLow{-0x1.5b235e0000000p-27,
                                     0x1.95355baaafad3p-57};
inline constexpr Constant kLog10Of2{0x1.3440000000000p-2, 0x1.34413509f8000p-2};
inline constexpr Constant kLog10Of2Low{0x1.3509f80000000p-18,
                                       -0x1.80433b83b532ap-44};
inline constexpr Constant kThird{0x1.5555560000000p-2, 0x1.5555555555555p-2};
inline constexpr Constant kThirdLow{-0x1.5555560000000p-27,
                                    0x1.5555555555555p-56};
inline constexpr Constant kTwoByPi{0x1.45f3060000000p-1, 0x1.45f306dc9c883p-1};
inline constexpr Constant kHalfPi{0x1.921fb60000000p+0, 0x1.921fb54442d18p+0};
inline constexpr Constant kHalfPiLow{-0x1.777a5c0000000p-25,
                                     0x1.1a62633145c07p-54};
inline constexpr Constant kHalfPiLowest{-0x1.ee59da0000000p-50,
                                        -0x1.f1976b7ed8fbcp-110};
inline constexpr Constant kPi{0x1.921fb60000000p+1, 0x1.921fb54442d18p+1};
inline constexpr Constant kPiLow{-0x1.777a5c0000000p-24, 0x1.1a62633145c07p-53};
inline constexpr Constant kErfcAtMiddle{0x1.3ccda00000000p+0,
                                        0x1.3ccda0b5d5dc2p+0};
inline constexpr Constant kErfcAtMiddleLow{0x1.6babb80000000p-25,
                                           0x1.e65b158f28ce5p-54};
inline constexpr Constant kRoot3Of2{0x1.428a300000000p+0, 0x1.428a2f98d728bp+0};
inline constexpr Constant kRoot3Of2Low{-0x1.9ca35e0000000p-26,
                                       -0x1.ddc22548ea41ep-56};
inline constexpr Constant kRoot3OfHalf{0x1.965fea0000000p-1,
                                       0x1.965fea53d6e3dp-1};
inline constexpr Constant kRoot3OfHalfLow{0x1.4f5b900000000p-27,
                                          -0x1.f53e999952f09p-55};

/// 2 / pi: two digits 0, then those after the point, of 16 and 32 bits.
inline constexpr uint64_t kTwoByPiDigits32[] = {
    0x0000, 0x0000, 0xa2f9, 0x836e, 0x4e44, 0x1529, 0xfc27, 0x57d1,
    0xf534, 0xddc0, 0xdb62, 0x9599, 0x3c43, 0x9041, 0xfe51};
inline constexpr uint64_t kTwoByPiDigits64[] = {
    0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
    0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0,
    0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
    0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
    0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea,
    0x6bfb5fb1, 0x1f8d5d08, 0x56033046};

/// (e^r - 1 - r) / r^2, |r| <= ln(2) / 2.
/// f32: error 2^-28.9.
inline constexpr double kExp32[] = {
    0x1.0000000000000p-1, 0x1.5555560000000p-3,  0x1.5555020000000p-5,
    0x1.110fc80000000p-7, 0x1.6d2e080000000p-10, 0x1.a2cb560000000p-13};
/// f64: error 2^-59.2.
inline constexpr double kExp64[] = {
    0x1.0000000000000p-1,  0x1.5555555555557p-3,  0x1.5555555555556p-5,
    0x1.1111111110050p-7,  0x1.6c16c16c15ff9p-10, 0x1.a01a01ac1e915p-13,
    0x1.a01a01a81968ep-16, 0x1.71de01aacd321p-19, 0x1.27e4d81523f67p-22,
    0x1.af4ecf3207b21p-26, 0x1.1f78e7c32e010p-29};
inline constexpr Polynomial kExp{kExp32, kExp64};

/// (cosh(r) - 1) / v, v = r^2, |r| <= ln(2) / 2.
/// f32: error 2^-29.2.
inline constexpr double kCosh32[] = {0x1.0000000000000p-1, 0x1.5555020000000p-5,
                                     0x1.6d2e080000000p-10};
/// f64: error 2^-65.3.
inline constexpr double kCosh64[] = {
    0x1.0000000000000p-1,  0x1.5555555555556p-5,  0x1.6c16c16c15ff9p-10,
    0x1.a01a01a81968ep-16, 0x1.27e4d81523f67p-22, 0x1.1f78e7c32e010p-29};
inline constexpr Polynomial kCosh{kCosh32, kCosh64};

/// (sinh(r) / r - 1) / v, v = r^2, |r| <= ln(2) / 2.
/// f32: error 2^-27.6.
inline constexpr double kSinh32[] = {0x1.5555560000000p-3, 0x1.110f880000000p-7,
                                     0x1.a3638c0000000p-13};
/// f64: error 2^-55.6.
inline constexpr double kSinh64[] = {
    0x1.5555555555556p-3, 0x1.111111111070ap-7, 0x1.a01a01a9031cdp-13,
    0x1.71de0a392fb2dp-19, 0x1.af3f0f39c8b9bp-26};
inline constexpr Polynomial kSinh{kSinh32, kSinh64};

/// (log(1 + f) - f + f^2 / 2) / f^3, sqrt(1/2) <= 1 + f <= sqrt(2).
/// f32: error 2^-27.1.
inline constexpr double kLogTail32[] = {
    0x1.5555640000000p-2,  -0x1.00023c0000000p-2, 0x1.9998600000000p-3,
    -0x1.5467900000000p-3, 0x1.2364380000000p-3,  -0x1.0e68260000000p-3,
    0x1.025bea0000000p-3,  -0x1.2d36360000000p-4};
/// f64: error 2^-58.9.
inline constexpr double kLogTail64[] = {
    0x1.555555555556fp-2,  -0x1.ffffffffffe54p-3, 0x1.99999999946f2p-3,
    -0x1.555555556dc05p-3, 0x1.249249277ee5cp-3,  -0x1.fffffff19379fp-4,
    0x1.c71c70228f753p-4,  -0x1.99999b0aa7984p-4, 0x1.745d5a357fd00p-4,
    -0x1.55556aa73ef09p-4, 0x1.3b0d57a39416ep-4,  -0x1.248a1b1898744p-4,
    0x1.116c40df92bbfp-4,  -0x1.00c7ce122402ep-4, 0x1.dc64f46e38294p-5,
    -0x1.b4a53621f7de2p-5, 0x1.bcee3ad28b594p-5,  -0x1.010304385109dp-4,
    0x1.cf57d3b74cc84p-5,  -0x1.8804c5c4713f2p-6};
inline constexpr Polynomial kLogTail{kLogTail32, kLogTail64};

/// (atanh(s) / s - 1 - z / 3) / z^2, z = s^2, s = f / (2 + f) for that f.
/// f32: error 2^-28.3.
inline constexpr double kAtanhTail32[] = {
    0x1.99999a0000000p-3, 0x1.2492100000000p-3, 0x1.c704080000000p-4,
    0x1.827ff20000000p-4};
/// f64: error 2^-56.3.
inline constexpr double kAtanhTail64[] = {
    0x1.999999999999ap-3, 0x1.24924924922fep-3, 0x1.c71c71c74c75cp-4,
    0x1.745d173ce8356p-4, 0x1.3b13a9c8f7b4ap-4, 0x1.111551e057a24p-4,
    0x1.e0193d2aea9a7p-5, 0x1.daa7de5413dcap-5};
inline constexpr Polynomial kAtanhTail{kAtanhTail32, kAtanhTail64};

/// (sin(r) / r - 1) / v, v = r^2, |r| <= pi / 4.
/// f32: error 2^-25.3.
inline constexpr double kSin32[] = {-0x1.5555520000000p-3, 0x1.110be40000000p-7,
                                    -0x1.9ab2e00000000p-13};
/// f64: error 2^-55.3.
inline constexpr double kSin64[] = {
    -0x1.5555555555555p-3, 0x1.1111111110c7fp-7,   -0x1.a01a019ea0128p-13,
    0x1.71de37b040fabp-19, -0x1.ae601f5cf1b6ap-26, 0x1.5e10f46459c91p-33};
inline constexpr Polynomial kSin{kSin32, kSin64};

/// (cos(r) - 1 + v / 2) / v^2, v = r^2, |r| <= pi / 4.
/// f32: error 2^-28.6.
inline constexpr double kCos32[] = {
    0x1.5555540000000p-5, -0x1.6c129c0000000p-10, 0x1.9bc64e0000000p-16};
/// f64: error 2^-58.6.
inline constexpr double kCos64[] = {
    0x1.5555555555555p-5,   -0x1.6c16c16c168cap-10, 0x1.a01a019f3824ep-16,
    -0x1.27e4fa02b1dfap-22, 0x1.1eeb578a27a15p-29,  -0x1.907344329409cp-37};
inline constexpr Polynomial kCos{kCos32, kCos64};

/// (asin(x) / x - 1) / v, v = x^2, |x| <= 1/2.
/// f32: error 2^-26.6.
inline constexpr double kAsin32[] = {
    0x1.5555540000000p-3, 0x1.3334c60000000p-4, 0x1.6d40c20000000p-5,
    0x1.ff87ba0000000p-6, 0x1.10e64c0000000p-6, 0x1.19f7c00000000p-5};
/// f64: error 2^-55.6.
inline constexpr double kAsin64[] = {
    0x1.5555555555556p-3, 0x1.3333333332dcbp-4, 0x1.6db6db6e43d3cp-5,
    0x1.f1c71c14b135bp-6, 0x1.6e8bb30527e03p-6, 0x1.1c4d1b4605556p-6,
    0x1.c9d1e5624e7a0p-7, 0x1.780beb44a1c3dp-7, 0x1.52e5783d2361fp-7,
    0x1.606a07908e428p-8, 0x1.2087ec5c5f5a1p-6, -0x1.f1073a995a4dfp-7,
    0x1.da9863f51c636p-6};
inline constexpr Polynomial kAsin{kAsin32, kAsin64};

/// (atan(t) / t - 1) / v, v = t^2, |t| <= 1.
/// f32: error 2^-25.6.
inline constexpr double kAtan32[] = {
    -0x1.5555540000000p-2, 0x1.9998380000000p-3,  -0x1.246d7e0000000p-3,
    0x1.c402600000000p-4,  -0x1.62e5600000000p-4, 0x1.00bb480000000p-4,
    -0x1.27ab2a0000000p-5, 0x1.bf3cfa0000000p-7,  -0x1.3d99d80000000p-9};
/// f64: error 2^-55.1.
inline constexpr double kAtan64[] = {
    -0x1.5555555555555p-2,  0x1.99999999996d8p-3,  -0x1.2492492479c6cp-3,
    0x1.c71c71bc8b1fap-4,   -0x1.745d1612c9397p-4, 0x1.3b139bebfeb79p-4,
    -0x1.1110141532e6ap-4,  0x1.e1d1444db8c80p-5,  -0x1.aec16eeee4c18p-5,
    0x1.8433b21c08356p-5,   -0x1.5d41a74af8930p-5, 0x1.33b5f5e6356c9p-5,
    -0x1.012c24710c22dp-5,  0x1.86c181abb93adp-6,  -0x1.010d1735d57b3p-6,
    0x1.1606e27fbcd97p-7,   -0x1.d2773f893c07dp-9, 0x1.194770813f28ap-10,
    -0x1.ae7bf4733f56bp-13, 0x1.38581265bbac9p-16};
inline constexpr Polynomial kAtan{kAtan32, kAtan64};

/// erf(x) / x - 1, v = x^2, |x| <= 1.
/// f32: error 2^-29.6.
inline constexpr double kErf32[] = {
    0x1.06eba80000000p-3,  -0x1.8127400000000p-2, 0x1.ce2d500000000p-4,
    -0x1.b7fe8e0000000p-6, 0x1.542dee0000000p-8,  -0x1.a5099e0000000p-11,
    0x1.4c2f4c0000000p-14};
/// f64: error 2^-55.9.
inline constexpr double kErf64[] = {
    0x1.06eba8214db68p-3,   -0x1.812746b0379b4p-2,  0x1.ce2f21a040a5ep-4,
    -0x1.b82ce311f49a9p-6,  0x1.565bccf8bd912p-8,   -0x1.c02db035571f1p-11,
    0x1.f9a2ba5a675fap-14,  -0x1.f4ca4de40ff53p-17, 0x1.b97ffcd589cc3p-20,
    -0x1.5c08c58c8ded0p-23, 0x1.d7298f0290a90p-27,  -0x1.abe1004c263f1p-31};
inline constexpr Polynomial kErf{kErf32, kErf64};

/// log(erfc(1 + v)), 1 + v <= 4 in f32, 6 in f64.
/// f32: error 2^-26.9.
inline constexpr double kLogErfc32[] = {
    -0x1.d97fc00000000p+0, -0x1.51c99e0000000p+1, -0x1.afaec80000000p-1,
    -0x1.53a7860000000p-5, 0x1.423d3c0000000p-7,  -0x1.d4eda00000000p-10,
    0x1.7290ea0000000p-13};
/// f64: error 2^-56.8.
inline constexpr double kLogErfc64[] = {
    -0x1.d97fbf27aa2a1p+0,  -0x1.51c9b0006c226p+1,  -0x1.afabc11a2aaa3p-1,
    -0x1.5477f099f84c8p-5,  0x1.48c9d386ba1d6p-7,   -0x1.033f5a846b154p-9,
    0x1.f1b05ca7639a1p-13,  0x1.b92cf0f3ae639p-16,  -0x1.c851d1f338f03p-16,
    0x1.4483ed59c3b6bp-17,  -0x1.1e2847d246157p-19, 0x1.b82f48bd17350p-23,
    0x1.f13b9571c9441p-25,  -0x1.1e519fe3ebda7p-25, 0x1.24152a89e77dep-27,
    -0x1.69a45094fe9a7p-30, 0x1.0590c4a37ae5cp-33,  -0x1.5510a3cca9dc6p-38};
inline constexpr Polynomial kLogErfc{kLogErfc32, kLogErfc64};

/// ((1 + 2x) e^(x^2) erfc(x) - kErfcAtMiddle) / v, v = (x - 15/4) / (x + 15/4),
/// 1/2 <= x <= 28. f32: error 2^-24.5.
inline constexpr double kScaledErfc32[] = {
    -0x1.1f367c0000000p-3, 0x1.d5f3f00000000p-9,  0x1.5104b00000000p-4,
    -0x1.bdaa8c0000000p-4, 0x1.79e83a0000000p-4,  -0x1.e0b8940000000p-5,
    0x1.d3f6880000000p-6,  -0x1.40ca4a0000000p-7, 0x1.64363e0000000p-10,
    0x1.8021600000000p-12};
/// f64: error 2^-55.7.
inline constexpr double kScaledErfc64[] = {
    -0x1.1f367683f89a7p-3, 0x1.d5f294815a0a1p-9,   0x1.510169d0967fep-4,
    -0x1.bda9309a29674p-4, 0x1.7a14188a9a074p-4,   -0x1.e0d0fa6dc0671p-5,
    0x1.d0b0037da0bb2p-6,  -0x1.3f603c44d9a04p-7,  0x1.cc3a0e49f37f8p-10,
    0x1.33fb3893ce44bp-12, -0x1.303fa289d9030p-12, 0x1.b140b5d820cfdp-15,
    0x1.778ba9e9bb4edp-16, -0x1.7fd59303d833ep-17, -0x1.056eea5e86285p-20,
    0x1.d316a3c79071fp-20, -0x1.e2b21796a3bb8p-25, -0x1.03fb502465764p-22,
    0x1.769fbc1222ebap-26, 0x1.b0bdcc373b7d1p-26,  -0x1.714a16c84ea90p-29};
inline constexpr Polynomial kScaledErfc{kScaledErfc32, kScaledErfc64};

/// (1 + f)^(-1/3), for the f of the logarithm.
/// f32: error 2^-17.2.
inline constexpr double kRootCubed32[] = {
    0x1.0000340000000p+0,  -0x1.55406c0000000p-2, 0x1.c5feea0000000p-3,
    -0x1.68acd20000000p-3, 0x1.46d4ba0000000p-3,  -0x1.b01ec40000000p-4};
/// f64: error 2^-25.2.
inline constexpr double kRootCubed64[] = {
    0x1.ffffff42c65dfp-1,  -0x1.555551abb9e7bp-2, 0x1.c72045c9d2ab9p-3,
    -0x1.6200da2b4d122p-3, 0x1.2637919b473b9p-3,  -0x1.fbfe6d1c3d53cp-4,
    0x1.de35be8a071d3p-4,  -0x1.da790c75ee570p-4, 0x1.23289a824876fp-4};
inline constexpr Polynomial kRootCubed{kRootCubed32, kRootCubed64};

} // namespace tilewright::math

#endif // TILEWRIGHT_CODEGEN_MATH_COEFFICIENTS_H
