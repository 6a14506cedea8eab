// Exported programs from their archives.
#pragma once

#include "frontends/torch/program/Archive.h"
#include "tilewright/compiler/TorchProgram.h"

namespace tilewright::torch {

/// Reads the program of a `.pt2` archive. `owner` keeps the archive's bytes
/// alive, which the program's storages refer to; null if the caller does.
/// Errors name the entry and the path in its JSON, or what the archive is
/// instead.
StatusOr<Program> readProgram(const Archive &archive,
                              std::shared_ptr<const void> owner);

} // namespace tilewright::torch
