#ifndef TILEWRIGHT_LIBRARY_TUNING_FINDTOOL_H
#define TILEWRIGHT_LIBRARY_TUNING_FINDTOOL_H

#include "tilewright/support/Status.h"
#include <filesystem>

namespace tilewright {

/// The program `tilewright` of the library's install or build tree; `given`, if
/// that is not empty. Errors: there is no such program.
StatusOr<std::filesystem::path> findTool(const std::filesystem::path &given);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_TUNING_FINDTOOL_H
