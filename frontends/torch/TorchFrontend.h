// PyTorch among the frontends.
#pragma once

#include "tilewright/mlir/Frontend.h"

namespace tilewright::torch {

/// The frontend of `.pt2` archives.
std::unique_ptr<const frontend::Frontend> createFrontend();

} // namespace tilewright::torch
