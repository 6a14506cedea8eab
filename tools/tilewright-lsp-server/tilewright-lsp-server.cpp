// The language server for editors: diagnostics, hover and go-to-definition
// for MLIR text at the graph, tile and scheduled levels.
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "tools/Dialects.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilewright::registerToolDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
