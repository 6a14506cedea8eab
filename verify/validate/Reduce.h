// Smaller programs that passes still get wrong.
#pragma once

#include "verify/validate/LevelCheck.h"

namespace tilewright {
class ModelLevels;
} // namespace tilewright

namespace tilewright::verify {

/// A file with fewer ops than `text`, a file of --stop-after, of which the
/// first `passes` passes break their relation: checkLevels() finds it with
/// these options. That text where none is found. At the graph level a few ops
/// are taken out of the program; below it a kernel is; then ops are left out as
/// long as the difference shows, on `replay` if it is a run of the whole. Ends
/// after 40 s of CPU time.
std::string reduceProgram(const std::string &text, const ModelLevels &levels,
                          size_t passes, const LevelOptions &options,
                          Replay replay);

} // namespace tilewright::verify
