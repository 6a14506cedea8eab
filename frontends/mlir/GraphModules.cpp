//===- GraphModules.cpp - Graphs in MLIR as models ------------------------===//
#include "frontends/mlir/Frontends.h"
#include "frontends/mlir/GraphInterface.h"
#include "frontends/mlir/ParseModule.h"
#include "tilewright/mlir/Tile.h"

using namespace mlir;

namespace tilewright {

namespace {
class GraphModuleFrontend : public frontend::Frontend {
public:
  std::string_view name() const override { return "a graph in MLIR"; }
  std::vector<std::string> extensions() const override { return {".mlir"}; }

  bool recognizes(std::string_view bytes) const override {
    return bytes.starts_with("ML\xefR") ||
           bytes.find("func.func") != std::string_view::npos;
  }

  StatusOr<frontend::ImportedModel>
  import(MLIRContext &context, const ModelSource &source,
         const frontend::ImportOptions &) const override {
    frontend::ImportedModel imported;
    imported.module =
        parseModule(source, ParserConfig(&context, /*verifyAfterParse=*/false),
                    Dialects::ofSources);
    if (!imported.module)
      return Status::invalidInput(source.path().string() +
                                  ": cannot be parsed");
    if (!imported.module->getOps<tile::KernelOp>().empty()) {
      imported.kernels =
          TileModule{std::string(source.bytes()), source.path().string()};
      return imported;
    }
    TILEWRIGHT_RETURN_IF_ERROR(checkGraphInterface(*imported.module));
    imported.isForeign = true;
    return imported;
  }
};
} // namespace

std::unique_ptr<const frontend::Frontend> createGraphModuleFrontend() {
  return std::make_unique<GraphModuleFrontend>();
}

} // namespace tilewright
