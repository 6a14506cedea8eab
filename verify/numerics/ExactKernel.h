// What kernels of tiles compute in exact arithmetic.
#pragma once

#include "tilewright/runtime/Package.h"
#include "verify/numerics/ExactResults.h"

namespace tilewright::verify {

/// The outputs of a package of kernels of the tile level, for these inputs: all
/// elements that are written. Errors: an op has no meaning in exact arithmetic;
/// a fault; a run takes longer than `mostTime`.
StatusOr<std::vector<ExactOutput>>
exactResults(const std::shared_ptr<const runtime::Package> &package,
             const Signature &signature,
             std::span<const runtime::HostTensor> inputs, RunTime mostTime);

} // namespace tilewright::verify
