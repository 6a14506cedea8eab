// cvt to and from pairs, tf32 and the 8-, 6- and 4-bit formats: PTX section
// 9.7.9.21.
#include "runtime/emulator/execute/Lanes.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/numeric/Conversion.h"

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

/// `relu` sets a negative number to 0, NaN to the format's.
template <class F, Rounding R, Overflow O>
static F narrowed(float value, bool relued) {
  // Which of -0 and +0 a small negative number becomes does not depend on the
  // order.
  bool negative = value < 0;
  F result = narrow<F, R, O>(relued && negative ? 0.0f : value);
  if (relued && value == 0)
    result = F{};
  return result;
}

//===--- From f32 ---------------------------------------------------------===//

template <class F, Rounding R, Overflow O>
static Step runPair(Warp &warp, const Instruction &in) {
  const float *a = operand<float>(warp, in, 1),
              *b = operand<float>(warp, in, 2);
  bool relued = in.mode != 0;
  auto packed = [&](unsigned lane) {
    return pack(narrowed<F, R, O>(a[lane], relued),
                narrowed<F, R, O>(b[lane], relued));
  };
  if constexpr (sizeof(F) == 2)
    forActive(warp, operand<uint32_t>(warp, in, 0), packed);
  else
    forActive(warp, operand<uint16_t>(warp, in, 0),
              [&](unsigned lane) { return uint16_t(packed(lane)); });
  return Step::next;
}
template <class F>
static Execute buildPair(const Match &match, Instruction &in) {
  in.mode = match.has("relu");
  [[maybe_unused]] constexpr Rounding rz = Rounding::towardZero;
  constexpr Rounding rn = Rounding::nearestEven;
  // The formats of a byte all hold to their finite numbers, and round to
  // nearest.
  if constexpr (sizeof(F) == 2) {
    bool truncates = match["rnd"] == "rz";
    if (!match.has("satfinite"))
      return truncates ? runPair<F, rz, Overflow::infinite>
                       : runPair<F, rn, Overflow::infinite>;
    if (truncates)
      return runPair<F, rz, Overflow::finite>;
  }
  return runPair<F, rn, Overflow::finite>;
}

template <class F, Rounding R, Overflow O>
static Step runSingle(Warp &warp, const Instruction &in) {
  const float *a = operand<float>(warp, in, 1);
  bool relued = in.mode != 0;
  forActive(warp, operand<decltype(F::bits)>(warp, in, 0), [&](unsigned lane) {
    return narrowed<F, R, O>(a[lane], relued).bits;
  });
  return Step::next;
}
template <class F, Rounding R>
static Execute singleOf(const Match &match, Instruction &in) {
  in.mode = match.has("relu");
  return match.has("satfinite") ? runSingle<F, R, Overflow::finite>
                                : runSingle<F, R, Overflow::infinite>;
}
template <class F>
static Execute buildSingle(const Match &match, Instruction &in) {
  if (match["rnd"] == "rna")
    return singleOf<F, Rounding::nearestAway>(match, in);
  return match["rnd"] == "rz" ? singleOf<F, Rounding::towardZero>(match, in)
                              : singleOf<F, Rounding::nearestEven>(match, in);
}

template <Rounding R, Overflow O>
static Step runScalePair(Warp &warp, const Instruction &in) {
  const float *a = operand<float>(warp, in, 1),
              *b = operand<float>(warp, in, 2);
  forActive(warp, operand<uint16_t>(warp, in, 0), [&](unsigned lane) {
    return uint16_t(
        pack(narrowToScale<R, O>(a[lane]), narrowToScale<R, O>(b[lane])));
  });
  return Step::next;
}
static Execute buildScalePair(const Match &match, Instruction &) {
  bool holds = match.has("satfinite");
  constexpr Rounding rz = Rounding::towardZero, up = Rounding::up;
  if (match["rnd"] == "rz")
    return holds ? runScalePair<rz, Overflow::finite>
                 : runScalePair<rz, Overflow::infinite>;
  return holds ? runScalePair<up, Overflow::finite>
               : runScalePair<up, Overflow::infinite>;
}

//===--- From and to pairs of f16 and bf16 --------------------------------===//

template <class F, class Wide>
static Step runNarrowPair(Warp &warp, const Instruction &in) {
  const uint32_t *a = operand<uint32_t>(warp, in, 1);
  bool relued = in.mode != 0;
  forActive(warp, operand<uint16_t>(warp, in, 0), [&](unsigned lane) {
    auto small = [&](Wide value) {
      return narrowed<F, Rounding::nearestEven, Overflow::finite>(widen(value),
                                                                  relued);
    };
    return uint16_t(
        pack(small(upperOf<Wide>(a[lane])), small(lowerOf<Wide>(a[lane]))));
  });
  return Step::next;
}
template <class F>
static Execute buildNarrowPair(const Match &match, Instruction &in) {
  in.mode = match.has("relu");
  return runNarrowPair<F, Half>;
}

/// Exact, but where f8 exceeds f16: nowhere.
template <class F, class Wide>
static Step runWidenPair(Warp &warp, const Instruction &in) {
  const uint16_t *a = operand<uint16_t>(warp, in, 1);
  bool relued = in.mode != 0;
  forActive(warp, operand<uint32_t>(warp, in, 0), [&](unsigned lane) {
    auto wide = [&](F value) {
      return narrowed<Wide, Rounding::nearestEven, Overflow::infinite>(
          widen(value), relued);
    };
    return pack(wide(upperOf<F>(a[lane])), wide(lowerOf<F>(a[lane])));
  });
  return Step::next;
}
template <class F, class Wide>
static Execute buildWidenPair(const Match &match, Instruction &in) {
  in.mode = match.has("relu");
  return runWidenPair<F, Wide>;
}

//===--- The table --------------------------------------------------------===//

#define TWO_F32 ", a:f32, b:f32"
#define PAIR(NAME, FORMAT)                                                     \
  {"cvt", ".rn .satfinite .relu? ." NAME " .f32", "d:b16" TWO_F32, "9.7.9.21", \
   buildPair<FORMAT>},                                                         \
      {"cvt", ".rn .satfinite .relu? ." NAME " .f16x2", "d:b16, a:f16x2",      \
       "9.7.9.21", buildNarrowPair<FORMAT>},                                   \
  {                                                                            \
    "cvt", ".rn .relu? .f16x2 ." NAME, "d:f16x2, a:b16", "9.7.9.21",           \
        buildWidenPair<FORMAT, Half>                                           \
  }

static constexpr Form table[] = {
    {"cvt", "rnd=rn|rz .relu? .satfinite? .f16x2 .f32", "d:f16x2" TWO_F32,
     "9.7.9.21", buildPair<Half>},
    {"cvt", "rnd=rn|rz .relu? .satfinite? .bf16x2 .f32", "d:bf16x2" TWO_F32,
     "9.7.9.21", buildPair<BFloat>},
    {"cvt", "rnd=rn|rz .relu .satfinite? .f16 .f32", "d:f16, a:f32", "9.7.9.21",
     buildSingle<Half>},
    {"cvt", "rnd=rn|rz .satfinite .f16 .f32", "d:f16, a:f32", "9.7.9.21",
     buildSingle<Half>},
    {"cvt", "rnd=rn|rz .relu .satfinite? .bf16 .f32", "d:bf16, a:f32",
     "9.7.9.21", buildSingle<BFloat>},
    {"cvt", "rnd=rn|rz .satfinite .bf16 .f32", "d:bf16, a:f32", "9.7.9.21",
     buildSingle<BFloat>},
    {"cvt", "rnd=rna .satfinite? .tf32 .f32", "d:b32, a:f32", "9.7.9.21",
     buildSingle<TF32>},
    {"cvt", "rnd=rn|rz .satfinite? .relu? .tf32 .f32", "d:b32, a:f32",
     "9.7.9.21", buildSingle<TF32>},
    PAIR("e4m3x2", E4M3),
    PAIR("e5m2x2", E5M2),
    PAIR("e2m3x2", E2M3),
    PAIR("e3m2x2", E3M2),
    {"cvt", "rnd=rz|rp .satfinite? .ue8m0x2 .f32", "d:b16" TWO_F32, "9.7.9.21",
     buildScalePair},
    {"cvt", ".rn .bf16x2 .ue8m0x2", "d:bf16x2, a:b16", "9.7.9.21",
     buildWidenPair<UE8M0, BFloat>},
    {"cvt", ".rn .satfinite .relu? .e2m1x2 .f32", "d:b8" TWO_F32, "9.7.9.21",
     buildPair<E2M1>},
    {"cvt", ".rn .relu? .f16x2 .e2m1x2", "d:f16x2, a:b8", "9.7.9.21",
     buildWidenPair<E2M1, Half>},
};

std::span<const Form> convertSmallForms() { return table; }

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator
