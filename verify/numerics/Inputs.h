// Inputs on which errors are measured.
#pragma once

#include "verify/validate/GivenInputs.h"

namespace tilewright::verify {

/// One tensor for each input: the one that is `given` for its name, or normal
/// numbers by the seed; integers are indices, if the program is defined with
/// such. Sizes that are open are 8, if the program is defined then. Errors:
/// what is given does not fit; an open size where some inputs are given; the
/// program is defined on none of what was tried.
StatusOr<std::vector<runtime::HostTensor>>
chooseInputs(Program &program, const GivenInputs &given, uint64_t seed);

} // namespace tilewright::verify
