//===- PlannedMemory.cpp - The memory that a package will take ------------===//
#include "library/model/package/PlannedMemory.h"

namespace tilewright {

StatusOr<std::optional<runtime::MemoryUse>>
plannedMemory(const runtime::PackageManifest &manifest,
              const std::map<std::string, std::vector<int64_t>> &maxShapes) {
  runtime::Bindings symbols;
  for (const std::string &symbol : manifest.symbols)
    if (auto given = maxShapes.find(symbol);
        given != maxShapes.end() && given->second.size() == 1)
      symbols[symbol] = given->second[0];
  std::vector<runtime::Shape> shapes;
  for (const runtime::InterfaceTensor &input : manifest.inputs) {
    auto given = maxShapes.find(input.name);
    if (given != maxShapes.end()) {
      shapes.emplace_back(given->second.begin(), given->second.end());
      continue;
    }
    runtime::Shape &shape = shapes.emplace_back();
    for (const runtime::Expression &size : input.shape) {
      StatusOr<int64_t> known = size.evaluate(symbols);
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
