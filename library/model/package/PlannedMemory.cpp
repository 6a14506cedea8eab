//===- PlannedMemory.cpp - The memory that a package will take ------------===//
#include "library/model/package/PlannedMemory.h"

#include <algorithm>

namespace tilewright {

StatusOr<std::optional<runtime::MemoryUse>>
plannedMemory(const runtime::PackageManifest &manifest,
              const std::map<std::string, std::vector<int64_t>> &maxShapes) {
  for (const auto &[name, shape] : maxShapes)
    if (std::none_of(manifest.inputs.begin(), manifest.inputs.end(),
                     [&name = name](const runtime::InterfaceTensor &input) {
                       return input.name == name;
                     }))
      return Status::invalidInput("the model has no input '" + name + "'");
  std::vector<runtime::Shape> shapes;
  for (const runtime::InterfaceTensor &input : manifest.inputs) {
    auto given = maxShapes.find(input.name);
    if (given != maxShapes.end()) {
      shapes.emplace_back(given->second.begin(), given->second.end());
      continue;
    }
    runtime::Shape &shape = shapes.emplace_back();
    for (const runtime::Expression &size : input.shape) {
      StatusOr<int64_t> known = size.evaluate(runtime::Bindings());
      if (!known.ok())
        return std::optional<runtime::MemoryUse>();
      shape.push_back(*known);
    }
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::MemoryUse use,
                              runtime::planMemory(manifest, shapes));
  return std::optional(use);
}

} // namespace tilewright
