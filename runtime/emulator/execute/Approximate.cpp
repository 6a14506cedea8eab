// The approximate functions: PTX sections 9.7.3.8 and 9.7.3.13 to 9.7.3.22,
// 9.7.4.9 and 9.7.4.10.
#include "runtime/emulator/numeric/Approximate.h"
#include "runtime/emulator/execute/Lanes.h"
#include "runtime/emulator/execute/Tables.h"

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

/// The nearest result, or with LaunchOptions::perturbs another one that the
/// manual allows.
template <Approximate O, bool Flushes>
static Step runUnary(Warp &warp, const Instruction &in) {
  const float *a = operand<float>(warp, in, 1);
  float *d = operand<float>(warp, in, 0);
  const LaunchOptions &options = warp.block->launch->options;
  auto around = [](float value) { return Flushes ? flushed(value) : value; };
  if (options.perturbs)
    forActive(warp, d, [&](unsigned lane) {
      return around(perturbed<O>(around(a[lane]), 1.0f, options.seed));
    });
  else
    forActive(warp, d, [&](unsigned lane) {
      return around(approximate<O>(around(a[lane])));
    });
  return Step::next;
}
template <Approximate O, bool Flushes>
static Step runDivision(Warp &warp, const Instruction &in) {
  const float *a = operand<float>(warp, in, 1);
  const float *b = operand<float>(warp, in, 2);
  float *d = operand<float>(warp, in, 0);
  const LaunchOptions &options = warp.block->launch->options;
  auto around = [](float value) { return Flushes ? flushed(value) : value; };
  if (options.perturbs)
    forActive(warp, d, [&](unsigned lane) {
      return around(
          perturbed<O>(around(a[lane]), around(b[lane]), options.seed));
    });
  else
    forActive(warp, d, [&](unsigned lane) {
      return around(approximate<O>(around(a[lane]), around(b[lane])));
    });
  return Step::next;
}
template <Approximate O>
static Execute buildUnary(const Match &match, Instruction &) {
  return match.has("ftz") ? runUnary<O, true> : runUnary<O, false>;
}
template <Approximate O>
static Execute buildDivision(const Match &match, Instruction &) {
  return match.has("ftz") ? runDivision<O, true> : runDivision<O, false>;
}

//===--- f16 and bf16 -----------------------------------------------------===//

template <Approximate O, class T>
static uint16_t smallResult(const LaunchOptions &options, uint16_t bits,
                            bool flushes) {
  T a = {bits};
  a = flushes ? flushed(a) : a;
  T result =
      options.perturbs ? perturbed<O, T>(a, options.seed) : approximate<O>(a);
  return (flushes ? flushed(result) : result).bits;
}
template <Approximate O, class T>
static Step runSmall(Warp &warp, const Instruction &in) {
  const LaunchOptions &options = warp.block->launch->options;
  const uint16_t *a = operand<uint16_t>(warp, in, 1);
  forActive(warp, operand<uint16_t>(warp, in, 0), [&](unsigned lane) {
    return smallResult<O, T>(options, a[lane], in.mode != 0);
  });
  return Step::next;
}
template <Approximate O, class T>
static Step runSmallPair(Warp &warp, const Instruction &in) {
  const LaunchOptions &options = warp.block->launch->options;
  const uint32_t *a = operand<uint32_t>(warp, in, 1);
  forActive(warp, operand<uint32_t>(warp, in, 0), [&](unsigned lane) {
    bool flushes = in.mode != 0;
    uint32_t low = smallResult<O, T>(options, uint16_t(a[lane]), flushes);
    uint32_t high =
        smallResult<O, T>(options, uint16_t(a[lane] >> 16), flushes);
    return high << 16 | low;
  });
  return Step::next;
}
template <Approximate O>
static Execute buildSmall(const Match &match, Instruction &in) {
  in.mode = match.has("ftz");
  switch (match.type()) {
  case Type::f16:
    return runSmall<O, Half>;
  case Type::f16x2:
    return runSmallPair<O, Half>;
  case Type::bf16:
    return runSmall<O, BFloat>;
  default:
    return runSmallPair<O, BFloat>;
  }
}

//===--- f64 --------------------------------------------------------------===//

template <double (*F)(double)>
static Step runDouble(Warp &warp, const Instruction &in) {
  const double *a = operand<double>(warp, in, 1);
  forActive(warp, operand<double>(warp, in, 0),
            [&](unsigned lane) { return F(a[lane]); });
  return Step::next;
}
template <double (*F)(double)>
static Execute buildDouble(const Match &, Instruction &) {
  return runDouble<F>;
}

//===--- The table --------------------------------------------------------===//

#define F32_1 "d:f32, a:f32"
#define F32_2 "d:f32, a:f32, b:f32"
#define F64_1 "d:f64, a:f64"

static constexpr Form table[] = {
    {"div", ".approx .ftz? .f32", F32_2, "9.7.3.8",
     buildDivision<Approximate::div>},
    {"div", ".full .ftz? .f32", F32_2, "9.7.3.8",
     buildDivision<Approximate::divFull>},
    {"rcp", ".approx .ftz? .f32", F32_1, "9.7.3.13",
     buildUnary<Approximate::rcp>},
    {"rcp", ".approx .ftz .f64", F64_1, "9.7.3.14", buildDouble<rcpApproxFtz>},
    {"sqrt", ".approx .ftz? .f32", F32_1, "9.7.3.15",
     buildUnary<Approximate::sqrt>},
    {"rsqrt", ".approx .ftz? .f32", F32_1, "9.7.3.16",
     buildUnary<Approximate::rsqrt>},
    {"rsqrt", ".approx .f64", F64_1, "9.7.3.16", buildDouble<rsqrtApprox>},
    {"rsqrt", ".approx .ftz .f64", F64_1, "9.7.3.17",
     buildDouble<rsqrtApproxFtz>},
    {"sin", ".approx .ftz? .f32", F32_1, "9.7.3.18",
     buildUnary<Approximate::sin>},
    {"cos", ".approx .ftz? .f32", F32_1, "9.7.3.19",
     buildUnary<Approximate::cos>},
    {"lg2", ".approx .ftz? .f32", F32_1, "9.7.3.20",
     buildUnary<Approximate::lg2>},
    {"ex2", ".approx .ftz? .f32", F32_1, "9.7.3.21",
     buildUnary<Approximate::ex2>},
    {"tanh", ".approx .f32", F32_1, "9.7.3.22", buildUnary<Approximate::tanh>},
    {"tanh", ".approx type=f16|f16x2|bf16|bf16x2", "d:type, a:type", "9.7.4.9",
     buildSmall<Approximate::tanh>},
    {"ex2", ".approx type=f16|f16x2", "d:type, a:type", "9.7.4.10",
     buildSmall<Approximate::ex2>},
    {"ex2", ".approx .ftz type=bf16|bf16x2", "d:type, a:type", "9.7.4.10",
     buildSmall<Approximate::ex2>},
};

std::span<const Form> approximateForms() { return table; }

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator
