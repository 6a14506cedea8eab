//===- ParseModule.cpp - MLIR from a file or from memory ------------------===//
#include "frontends/mlir/ParseModule.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tilewright {

static OwningOpRef<ModuleOp> parse(const ModelSource &source,
                                   const ParserConfig &config) {
  if (source.isFile())
    return parseSourceFile<ModuleOp>(source.path().string(), config);
  // The parser requires a zero after the end, and a module of bytecode shares
  // its buffer.
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(
                                  source.bytes(), source.path().string()),
                              llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, config);
}

OwningOpRef<ModuleOp> parseModule(const ModelSource &source,
                                  const ParserConfig &config,
                                  Dialects dialects) {
  if (failed(checkText(source.bytes(), source.path().string(),
                       config.getContext(), dialects)))
    return nullptr;
  OwningOpRef<ModuleOp> module = parse(source, config);
  if (module && failed(verifyModule(*module, dialects)))
    return nullptr;
  return module;
}

} // namespace tilewright
