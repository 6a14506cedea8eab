//===- TorchFrontend.cpp - PyTorch among the frontends --------------------===//
#include "frontends/torch/TorchFrontend.h"

#include "frontends/torch/Call.h"
#include "frontends/torch/Import.h"
#include "frontends/torch/program/ReadProgram.h"
#include "tilewright/compiler/TorchOperators.h"

namespace tilewright::torch {

static StatusOr<Program> read(const ModelSource &source) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Archive archive, Archive::open(source.bytes()));
  return readProgram(archive, source.owner());
}

namespace {
class TorchFrontend : public frontend::Frontend {
public:
  std::string_view name() const override { return "a PyTorch program"; }
  std::vector<std::string> extensions() const override { return {".pt2"}; }

  bool recognizes(std::string_view bytes) const override {
    return isArchive(bytes);
  }

  void registerDialects(mlir::DialectRegistry &registry) const override {
    torch::registerDialects(registry);
  }

  StatusOr<frontend::ImportedModel>
  import(mlir::MLIRContext &context, const ModelSource &source,
         const frontend::ImportOptions &) const override {
    const std::string file = source.path().string();
    if (const Program *program = source.torchProgram())
      return importAs(context, *program, file);
    StatusOr<Program> program = read(source);
    if (!program.ok())
      return program.status().prefixed(file);
    return importAs(context, *program, file);
  }

private:
  static StatusOr<frontend::ImportedModel> importAs(mlir::MLIRContext &context,
                                                    const Program &program,
                                                    const std::string &file) {
    TILEWRIGHT_ASSIGN_OR_RETURN(ImportedProgram read,
                                importProgram(context, program, file));
    frontend::ImportedModel imported;
    imported.module = std::move(read.module);
    imported.nodeCount = read.nodeCount;
    if (!program.torchVersion.empty())
      imported.metadata["torch_version"] = program.torchVersion;
    return imported;
  }
};
} // namespace

bool supportsOperator(std::string_view target) {
  return opTable().find({target.data(), target.size()}).handler;
}

std::unique_ptr<const frontend::Frontend> createFrontend() {
  return std::make_unique<TorchFrontend>();
}

} // namespace tilewright::torch
