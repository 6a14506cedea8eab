//===- Frontend.cpp - What reads models of one format ---------------------===//
#include "tilewright/mlir/Frontend.h"

#include "tilewright/mlir/Tile.h"
#include "llvm/ADT/STLExtras.h"

namespace tilewright::frontend {

Frontend::~Frontend() = default;
void Frontend::registerDialects(mlir::DialectRegistry &) const {}

/// "a, b or c", each once.
static std::string extensionsOf(std::span<const Frontend *const> all) {
  std::vector<std::string> known;
  for (const Frontend *each : all)
    for (const std::string &extension : each->extensions())
      if (!llvm::is_contained(known, extension))
        known.push_back(extension);
  std::string text;
  for (size_t i = 0; i < known.size(); ++i)
    text += (i == 0 ? "" : i + 1 == known.size() ? " or " : ", ") + known[i];
  return text;
}

std::optional<TileModule> kernelsOf(const ImportedModel &model,
                                    const ModelSource &source) {
  if (model.kernels)
    return model.kernels;
  mlir::ModuleOp module = *model.module;
  if (module.getOps<tile::KernelOp>().empty())
    return std::nullopt;
  TileModule kernels{.code = "", .name = source.path().string()};
  llvm::raw_string_ostream(kernels.code) << module;
  return kernels;
}

StatusOr<const Frontend *> choose(std::span<const Frontend *const> all,
                                  const ModelSource &source) {
  const std::string extension = source.path().extension().string();
  std::vector<const Frontend *> named;
  for (const Frontend *each : all)
    if (llvm::is_contained(each->extensions(), extension))
      named.push_back(each);
  if (named.size() == 1)
    return named.front();
  for (const Frontend *each : named.empty() ? all : named)
    if (each->recognizes(source.bytes()))
      return each;
  if (!named.empty())
    return named.back();
  return Status::invalidInput(
      source.path().string() + ": expected a model file that ends in " +
      extensionsOf(all) + ", found '" + extension + "'");
}

} // namespace tilewright::frontend
