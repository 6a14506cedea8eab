// Numbers and element types that C++ lets pass.
#include "WrongKernels.h"

#include <limits>

using namespace tilewright::authoring;

namespace tilewright::test {

static WrongKernels wrongNumbers() {
  WrongKernels all;
  all.add("too large for I8", [] {
    auto a = zeros<I8>(8);
    a = a + 300; // literal_range
  });
  all.add("negative and unsigned", [] {
    auto a = zeros<U32>(8);
    a = max(a, Scalar<U32>(-1)); // literal_range
  });
  all.add("too large for I4", [] {
    auto a = full<I4>({8}, 8); // literal_range
  });
  all.add("too large for Index", [](Index n) {
    n = n + ~uint64_t(0); // literal_range
  });
  all.add("too large for F16", [] {
    auto a = zeros<F16>(8);
    a = a * 1e5; // literal_range
  });
  all.add("infinity without one", [] {
    auto a = full<F8E4M3FN>({8}, infinity); // literal_range
  });
  all.add("NaN without one", [] {
    double nan = std::numeric_limits<double>::quiet_NaN();
    auto a = full<F4E2M1FN>({8}, nan); // literal_range
  });
  all.add("zero without one", [] {
    auto a = zeros<F8E8M0FNU>(8); // literal_range
  });
  all.add("number as condition's value", [] {
    auto a = zeros<U8>(8);
    a = where(a > 3, a, 256); // literal_range
  });
  all.add("scalar", [] {
    Scalar<I16> a = 40000; // literal_range
  });
  all.add("division by 0", [] {
    auto a = zeros<I32>(8);
    a = a / 0; // division_by_zero
  });
  all.add("remainder by 0", [](Index n) {
    n = n % 0; // division_by_zero
  });
  all.add("division by zeros", [] {
    auto a = iota<U8>(8);
    a /= zeros<U8>(8); // division_by_zero
  });
  all.add("shift by the width", [] {
    auto a = iota<I32>(8);
    a = a << 32; // shift_range
  });
  all.add("fast math of an unknown flag", [] {
    FastMath fast("afn,quick"); // fast_math
    auto a = exp(zeros<F32>(8));
  });
  all.add("ceilDiv by 0", [](View<F32, 1> x) {
    auto n = ceilDiv(x.dim(0), 0); // division_by_zero
  });
  return all;
}

static WrongKernels wrongTypes() {
  WrongKernels all;
  all.add("bitcast", [] {
    auto a = zeros<F32>(8);
    auto b = bitcast<I16>(a); // bitcast_width
  });
  all.add("bitcast of Index", [](Index n) {
    auto b = bitcast<I64>(n); // bitcast_width
  });
  all.add("dot into a narrower type", [] {
    auto a = zeros<F32>(8, 8);
    auto b = dot<F16>(a, a); // dot_c4
  });
  all.add("dot of floats into integers", [] {
    auto a = zeros<F16>(8, 8);
    auto b = dot<I32>(a, a); // dot_c4
  });
  all.add("dot of integers into a byte", [] {
    auto a = zeros<I8>(8, 8);
    auto b = dot<I8>(a, a); // dot_c4
  });
  all.add("dot of two floats", [] {
    auto a = zeros<F16>(8, 8);
    auto b = zeros<BF16>(8, 8);
    auto c = dot<F32>(a, b); // dot_c4
  });
  all.add("precision of another type", [] {
    auto a = zeros<F16>(8, 8);
    auto b = dot<F32>(a, a, Precision::tf32); // dot_c5
  });
  all.add("scaledDot of F16", [] {
    auto a = zeros<F16>(32, 32);
    auto s = ones<F8E8M0FNU>(32, 1);
    auto t = transpose(s);
    auto c = zeros<F32>(32, 32);
    c = scaledDot(a, s, a, t, c); // scaled_dot_c5
  });
  all.add("scaledDot with scales of F32", [] {
    auto a = zeros<F8E5M2>(32, 32);
    auto s = ones<F32>(32, 1);
    auto c = zeros<F32>(32, 32);
    c = scaledDot(a, s, a, transpose(s), c); // scaled_dot_c6
  });
  return all;
}

WrongKernels wrongElements() { return joined({wrongNumbers(), wrongTypes()}); }

} // namespace tilewright::test
