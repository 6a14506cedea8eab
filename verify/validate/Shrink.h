// Smaller counterexamples with plainer numbers.
#pragma once

#include "verify/validate/Compare.h"
#include "verify/validate/Sizes.h"

namespace tilewright::verify {

/// Of the inputs on which the programs differ, when `after` runs in that way,
/// the smallest found: fewer elements, then zeros, ones and small numbers in
/// place of others. `sizes` are those of `found`. Ends after `time`.
StatusOr<Counterexample> shrink(Comparison &comparison, const SizeSpace &space,
                                std::vector<int64_t> sizes, unsigned order,
                                Counterexample found,
                                std::chrono::duration<double> time);

} // namespace tilewright::verify
