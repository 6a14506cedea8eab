// The bounds of a compiled program, and which kernels they come from.
#pragma once

#include "tilewright/compiler/CompileModel.h"
#include "verify/numerics/Numerics.h"

namespace tilewright::verify {

struct TargetBounds {
  /// Of each output of the program, by element, as f64.
  std::vector<runtime::HostTensor> bounds;
  /// By output of the program; empty if there are many launches, or little
  /// time.
  std::vector<KernelShare> kernels;
};

/// The bounds of `model` for these inputs of `code`, which was compiled from it
/// by the same options. Kernels are looked at for up to `time`. Errors: there
/// are no bounds, and why.
StatusOr<TargetBounds> boundsOf(const ModelSource &model,
                                CompileModelOptions compile,
                                const Program &code,
                                std::span<const runtime::HostTensor> inputs,
                                RunTime time);

} // namespace tilewright::verify
