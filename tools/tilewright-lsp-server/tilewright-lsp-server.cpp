// The language server for editors: diagnostics, hover and go-to-definition
// for MLIR text at the graph, tile and scheduled levels.
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "tools/Dialects.h"
#include "tools/tilewright-lsp-server/MessageFilter.h"

/// Whether messages have no headers: upstream's form for tests.
static bool isDelimited(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    const llvm::StringRef option = llvm::StringRef(argv[i]).ltrim('-');
    if (option.starts_with("lit-test") || option.starts_with("input-style"))
      return true;
  }
  return false;
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilewright::registerToolDialects(registry);
  tilewright::MessageFilter filter(registry, stdin, llvm::outs());
  // Upstream reads `stdin`, which the C library allows to be set.
  if (!isDelimited(argc, argv))
    stdin = filter.open();
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
