// Parameters, buffers and constants of a program as tensors.
#pragma once

#include "frontends/torch/Build.h"
#include "tilewright/compiler/TorchProgram.h"

namespace tilewright::torch {

/// The tensor of a storage. Its elements stay where they are if they are
/// row-major, aligned and kept alive; else they are copied.
FailureOr<Tensor> makeConstant(GraphBuilder &b, const std::string &name,
                               const Storage &storage);

} // namespace tilewright::torch
