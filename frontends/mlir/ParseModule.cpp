//===- ParseModule.cpp - MLIR from a file or from memory ------------------===//
#include "frontends/mlir/ParseModule.h"

#include "mlir/Parser/Parser.h"
#include "tileir/diagnostics/ParseText.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tilewright {

OwningOpRef<ModuleOp> parseModule(const ModelSource &source,
                                  const ParserConfig &config) {
  std::string_view bytes = source.bytes();
  const bool isText = !bytes.starts_with("ML\xefR");
  if (isText &&
      failed(checkText(bytes, source.path().string(), config.getContext())))
    return nullptr;
  if (source.isFile())
    return parseSourceFile<ModuleOp>(source.path().string(), config);
  // The parser requires a zero after the end, and a module of bytecode shares
  // its buffer.
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(bytes, source.path().string()),
      llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, config);
}

} // namespace tilewright
