//===- TileModules.cpp - Tile kernels written by hand as models -----------===//
#include "frontends/mlir/Frontends.h"

namespace tilewright {

namespace {
class TileModuleFrontend : public frontend::Frontend {
public:
  std::string_view name() const override { return "a tile kernel in MLIR"; }
  std::vector<std::string> extensions() const override { return {".mlir"}; }
  bool isForKernels() const override { return true; }

  /// A template need not parse.
  bool recognizes(std::string_view bytes) const override {
    return bytes.find("tile.kernel") != std::string_view::npos;
  }

  StatusOr<frontend::ImportedModel>
  import(mlir::MLIRContext &, const ModelSource &source,
         const frontend::ImportOptions &) const override {
    frontend::ImportedModel imported;
    imported.kernels = {std::string(source.bytes()), source.path().string()};
    return imported;
  }
};
} // namespace

std::unique_ptr<const frontend::Frontend> createTileModuleFrontend() {
  return std::make_unique<TileModuleFrontend>();
}

} // namespace tilewright
