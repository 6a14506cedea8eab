//===- NamedArguments.h - A kernel's arguments by name ----------*- C++ -*-===//
#ifndef TILEWRIGHT_AUTOTUNE_TASK_NAMEDARGUMENTS_H
#define TILEWRIGHT_AUTOTUNE_TASK_NAMEDARGUMENTS_H

#include "tilewright/support/Status.h"
#include <map>
#include <string>
#include <vector>

namespace tilewright::autotune {

/// The text of a task's arguments, "256x256 256x256", for the only kernel of
/// `code` and shapes by the names that `run` reads (`tile.name`, or arg0,
/// arg1, ...). Sizes that are not given follow from `tile.dims`. Errors: a name
/// that no argument has, a size that follows from nothing, an argument that is
/// no tensor and has no `tile.value`.
StatusOr<std::string>
namedArguments(const std::string &code,
               const std::map<std::string, std::vector<int64_t>> &shapes);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_TASK_NAMEDARGUMENTS_H
