// What a result must be.
#ifndef TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_EXPECTED_H
#define TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_EXPECTED_H

#include "test/runtime/emulator/instructions/Values.h"

#include <string>

namespace instructions {

/// These bits (any NaN for a NaN); or, with `isRange`,
/// a number from `low` to `high`; or anything.
struct Expected {
  Bits bits = 0;
  bool isRange = false;
  bool isAny = false;
  double low = 0, high = 0;
};

/// Whether `found` is what is expected of an operand; each element of a pair by
/// itself.
bool agrees(const Operand &operand, const Expected &expected, Bits found);

/// "0x1f", or "0.5 to 0.75".
std::string textOf(const Expected &expected);
/// The bits; of a range also the number.
std::string textOf(const Operand &operand, const Expected &expected,
                   Bits found);
std::string hex(Bits bits);

} // namespace instructions

#endif // TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_EXPECTED_H
