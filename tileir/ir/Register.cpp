#include "tileir/ir/Register.h"

#include "tileir/ir/Tile.h"

void tilewright::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<tile::TileDialect>();
}
