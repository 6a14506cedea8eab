// Files as programs.
#pragma once

#include "tilewright/compiler/Plugins.h"
#include "tilewright/support/Export.h"
#include "verify/validate/PackageProgram.h"
#include <filesystem>
#include <memory>

namespace tilewright {
class ModelLevels;
} // namespace tilewright

namespace tilewright::verify {

/// What a compilation came to so far, executed at the level where it is; it
/// may go on. A run that takes longer than `mostTime` is given up. It computes
/// the sample, or all.
/// Errors: an op has no meaning at that level.
StatusOr<std::unique_ptr<Program>>
programOf(const std::shared_ptr<ModelLevels> &levels,
          RunTime mostTime = ordinaryTime, const Sample &sample = {});

/// A module of the graph level, a tile kernel, a file that a compilation
/// stopped at, any other model that a frontend reads, or the folder of a
/// package, to be executed at the level that it has. `plugins` may be null.
/// Errors: it cannot be read, or an op has no meaning at that level.
TILEWRIGHT_PRIVATE_API StatusOr<std::unique_ptr<Program>>
openProgram(const std::filesystem::path &file,
            const std::shared_ptr<const Plugins> &plugins);

/// The error of a model that is a file of --stop-after, where its code is to
/// run on this machine and the user did not say so.
Status needsResume(const ModelLevels &levels);

} // namespace tilewright::verify
