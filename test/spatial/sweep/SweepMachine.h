// Machines that no compiler was tuned for.
#ifndef TILEWRIGHT_TEST_SPATIAL_SWEEP_SWEEPMACHINE_H
#define TILEWRIGHT_TEST_SPATIAL_SWEEP_SWEEPMACHINE_H

#include "test/verify/spatial/RandomMachine.h"

namespace tilewright::test {

/// The text of a machine file of one chip: 4 to 64 lanes, any order and number
/// of units, with or without an sxm, any delays. `rows` is of each bank.
[[nodiscard]] std::string sweepMachine(Dice &dice, int64_t rows);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_SPATIAL_SWEEP_SWEEPMACHINE_H
