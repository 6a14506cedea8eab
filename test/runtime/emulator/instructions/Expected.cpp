#include "test/runtime/emulator/instructions/Expected.h"

#include "test/runtime/emulator/instructions/Reals.h"

#include <cmath>
#include <sstream>

namespace instructions {

static double valueOf(Kind kind, Bits bits) {
  switch (kind) {
  case Kind::single:
    return fromBits<float>(bits);
  case Kind::bfloat:
    return valueOf(fromBits<BFloat>(bits));
  case Kind::half:
    return valueOf(fromBits<Half>(bits));
  default:
    return fromBits<double>(bits);
  }
}

static bool agreesElement(const Operand &operand, const Expected &expected,
                          Bits found) {
  if (expected.isAny)
    return true;
  if (expected.isRange) {
    double value = valueOf(operand.kind, found);
    if (std::isnan(expected.low))
      return std::isnan(value);
    return value >= expected.low && value <= expected.high;
  }
  if (isFloat(operand.kind) && std::isnan(valueOf(operand.kind, expected.bits)))
    return std::isnan(valueOf(operand.kind, found));
  return expected.bits == found;
}

bool agrees(const Operand &operand, const Expected &expected, Bits found) {
  if (operand.elements == 1)
    return agreesElement(operand, expected, found);
  Expected low = expected, high = expected;
  low.bits &= lowBits(operand.bits);
  high.bits >>= operand.bits;
  return agreesElement(operand, low, found & lowBits(operand.bits)) &&
         agreesElement(operand, high, found >> operand.bits);
}

std::string textOf(const Expected &expected) {
  if (!expected.isRange)
    return hex(expected.bits);
  std::ostringstream out;
  out.precision(17);
  out << expected.low << " to " << expected.high;
  return out.str();
}

std::string textOf(const Operand &operand, const Expected &expected,
                   Bits found) {
  if (!expected.isRange)
    return hex(found);
  std::ostringstream out;
  out.precision(17);
  out << hex(found) << " = " << valueOf(operand.kind, found);
  return out.str();
}

std::string hex(Bits bits) {
  std::ostringstream out;
  out << std::hex << "0x";
  if (bits >> 64)
    out << uint64_t(bits >> 64) << "'";
  out << uint64_t(bits);
  return out.str();
}

} // namespace instructions
