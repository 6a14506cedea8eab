#include "runtime/cpu/HostSymbols.h"
#include "runtime/cpu/KernelCalls.h"
#include "runtime/cpu/SmallFloats.h"
#include <bit>
#include <map>
#include <math.h>
#include <string.h>

namespace tilewright::runtime {

//===----------------------------------------------------------------------===//
// Functions that not every C library has
//===----------------------------------------------------------------------===//

// The rounding mode is to nearest even everywhere in this library.
static double roundEven(double x) { return ::nearbyint(x); }
static float roundEvenFloat(float x) { return ::nearbyintf(x); }
static void sineAndCosine(double x, double *sine, double *cosine) {
  *sine = ::sin(x);
  *cosine = ::cos(x);
}
static void sineAndCosineFloat(float x, float *sine, float *cosine) {
  *sine = ::sinf(x);
  *cosine = ::cosf(x);
}
static double exponential10(double x) { return ::pow(10.0, x); }
static float exponential10Float(float x) {
  return static_cast<float>(::pow(10.0, double(x)));
}

//===----------------------------------------------------------------------===//
// Conversions that compilers call: 16-bit floats are passed in the low half of
// a floating-point register, so a float with them in its low half has the same
// calling convention, whatever types this compiler supports.
//===----------------------------------------------------------------------===//

static float carry(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits));
}
static uint16_t carried(float value) {
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(value));
}
static float truncateFloatToHalf(float x) { return carry(halfFromDouble(x)); }
static float truncateDoubleToHalf(double x) { return carry(halfFromDouble(x)); }
static float extendHalfToFloat(float x) { return floatFromHalf(carried(x)); }
static float truncateFloatToBfloat(float x) {
  return carry(bfloatFromDouble(x));
}
static float truncateDoubleToBfloat(double x) {
  return carry(bfloatFromDouble(x));
}
static float extendBfloatToFloat(float x) {
  return floatFromBfloat(carried(x));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

#define MATH1(NAME)                                                            \
  SYMBOL(NAME, (static_cast<double (*)(double)>(&::NAME)))                     \
  SYMBOL(NAME##f, (static_cast<float (*)(float)>(&::NAME##f)))
#define MATH2(NAME)                                                            \
  SYMBOL(NAME, (static_cast<double (*)(double, double)>(&::NAME)))             \
  SYMBOL(NAME##f, (static_cast<float (*)(float, float)>(&::NAME##f)))
#define MATH3(NAME)                                                            \
  SYMBOL(NAME, (static_cast<double (*)(double, double, double)>(&::NAME)))     \
  SYMBOL(NAME##f, (static_cast<float (*)(float, float, float)>(&::NAME##f)))

std::optional<uint64_t> hostSymbol(std::string_view name) {
  static const std::map<std::string_view, uint64_t> table = {
#define SYMBOL(NAME, FUNCTION) {#NAME, reinterpret_cast<uint64_t> FUNCTION},
#include "runtime/cpu/HostSymbols.inc"
#undef SYMBOL
  };
  auto found = table.find(name);
  if (found == table.end())
    return std::nullopt;
  return found->second;
}

std::span<const std::string_view> hostSymbolNames() {
  static constexpr std::string_view names[] = {
#define SYMBOL(NAME, FUNCTION) #NAME,
#include "runtime/cpu/HostSymbols.inc"
#undef SYMBOL
  };
  return names;
}

} // namespace tilewright::runtime
