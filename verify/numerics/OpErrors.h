// How much the ops of a model add to its errors if they have less precision.
#pragma once

#include "verify/numerics/ExactResults.h"
#include "verify/numerics/LowerableOps.h"
#include "verify/numerics/Numerics.h"

namespace tilewright::verify {

/// Measures them on the reference of graphs, against `exact` results of `graph`
/// for these inputs. Runs take `time` together, about, and as long again to
/// find those to keep so that no error is greater than `mostError`. Errors: a
/// run without ops of less precision fails.
StatusOr<OpRanking> rankOps(mlir::func::FuncOp graph, OpPrecision precision,
                            const Signature &signature,
                            std::span<const runtime::HostTensor> inputs,
                            std::span<const ExactOutput> exact, RunTime time,
                            std::optional<double> mostError);

} // namespace tilewright::verify
