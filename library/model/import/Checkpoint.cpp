//===- Checkpoint.cpp - A model between two passes ------------------------===//
#include "library/model/import/Checkpoint.h"

#include "frontends/mlir/ParseModule.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AsmState.h"
#include "tilewright/mlir/Tile.h"
#include <fstream>

using namespace mlir;

namespace tilewright {

/// The name under which MLIR's tools look for a pipeline too.
static constexpr StringLiteral resourceName = "mlir_reproducer";

void placeUnwritten(ModuleOp module) {
  module.walk([](Operation *op) {
    const bool isLoop = isa_and_nonnull<scf::SCFDialect>(op->getDialect());
    if (!isLoop && !isa<tile::KernelOp>(op))
      return;
    for (Region &region : op->getRegions()) {
      if (region.empty())
        continue;
      if (isLoop)
        for (BlockArgument argument : region.getArguments())
          argument.setLoc(op->getLoc());
      if (Operation &last = region.back().back(); last.getNumOperands() == 0)
        last.setLoc(op->getLoc());
    }
  });
}

/// LLVM 22 takes the `loc` behind a barrier for its optional attribute
/// `reductionOp`, except in the generic form.
static bool needsGenericForm(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return op->getName().getStringRef() == "nvvm.barrier"
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void printCheckpoint(llvm::raw_ostream &stream, ModuleOp module,
                     const std::string &rest) {
  OpPrintingFlags flags;
  flags.enableDebugInfo().printGenericOpForm(needsGenericForm(module));
  AsmState state(module, flags);
  state.attachResourcePrinter(
      resourceName, [&](Operation *, AsmResourceBuilder &builder) {
        builder.buildString("pipeline", "builtin.module(" + rest + ")");
        builder.buildBool("disable_threading", true);
        builder.buildBool("verify_each", true);
      });
  module->print(stream, state);
  stream << "\n";
}

Status writeCheckpoint(const std::filesystem::path &path, ModuleOp module,
                       const std::string &rest) {
  std::error_code error;
  llvm::raw_fd_ostream file(path.string(), error);
  if (!error) {
    printCheckpoint(file, module, rest);
    file.close();
    error = file.error();
  }
  if (error)
    return Status::ioError(path.string() + ": " + error.message());
  return {};
}

bool isCheckpoint(StringRef text) {
  // Resources are at the end of a text.
  return text.rtrim().ends_with("#-}") && text.contains(resourceName) &&
         text.contains("graph.model");
}

std::optional<Checkpoint> readCheckpoint(const ModelSource &source,
                                         MLIRContext &context) {
  Checkpoint checkpoint;
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  config.attachResourceParser(
      resourceName, [&](AsmParsedResourceEntry &entry) -> LogicalResult {
        if (entry.getKey() != "pipeline")
          return success();
        FailureOr<std::string> text = entry.parseAsString();
        if (failed(text))
          return failure();
        StringRef rest = *text;
        if (!rest.consume_front("builtin.module(") || !rest.consume_back(")"))
          return entry.emitError()
                 << "expected passes in 'builtin.module(...)', found '" << *text
                 << "'";
        checkpoint.rest = rest.str();
        return success();
      });
  checkpoint.module = parseModule(source, config, Dialects::all);
  if (!checkpoint.module)
    return std::nullopt;
  return checkpoint;
}

} // namespace tilewright
