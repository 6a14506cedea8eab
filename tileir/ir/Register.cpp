#include "tileir/ir/Register.h"

#include "tilewright/mlir/Tile.h"

void tilewright::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<tile::TileDialect>();
}
