//===- PlannedMemory.h - The memory that a package will take ----*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_PACKAGE_PLANNEDMEMORY_H
#define TILEWRIGHT_LIBRARY_MODEL_PACKAGE_PLANNEDMEMORY_H

#include "tilewright/manifest/PackageManifest.h"
#include "tilewright/runtime/Model.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// The memory of a session whose inputs have these shapes, by name, or else
/// their own, with the values of symbols that are here by name; nothing where a
/// dimension is in neither. Errors: not a possible shape of an input.
StatusOr<std::optional<runtime::MemoryUse>>
plannedMemory(const runtime::PackageManifest &manifest,
              const std::map<std::string, std::vector<int64_t>> &maxShapes);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_PACKAGE_PLANNEDMEMORY_H
