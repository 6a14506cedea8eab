// How many digits of a result roundings may have spoiled: an estimate where
// there is no bound.
#pragma once

#include "verify/numerics/ExactResults.h"
#include "verify/numerics/Numerics.h"

namespace tilewright::verify {

/// The decimal digits that results of runs with random rounding have in common
/// with the exact one, in 95 of 100 cases: log10(sqrt(N) |mean| / (t s)), where
/// s is their standard deviation and t Student's for N - 1 degrees of freedom;
/// at least 0. That presumes that errors are sums of many roundings, each small
/// beside the number; it is no bound. J. Vignes, A stochastic arithmetic for
/// reliable scientific computation, Mathematics and Computers in Simulation 35,
/// 1993. Infinite where all results are one number, 0 where some are not
/// finite and not all are the same. From 2 to 16 results.
double significantDigits(std::span<const double> results);

/// Of some elements of each output the one that loses most, by runs of `graph`
/// on the reference of graphs. `positions` are by output; for many of them some
/// are taken. None for an output without positions, and where there is no time.
/// Errors: a run fails.
StatusOr<std::vector<std::optional<LostDigits>>>
estimateLostDigits(mlir::func::FuncOp graph, const Signature &signature,
                   std::span<const runtime::HostTensor> inputs,
                   const std::vector<std::vector<int64_t>> &positions,
                   uint64_t seed, RunTime time);

} // namespace tilewright::verify
