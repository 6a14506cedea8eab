// That no op is forgotten: docs/spec.md assumptions all of arith and math.
#include "Semantics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tileir/reference/ProgramInstance.h"
#include "tilewright/mlir/Tile.h"

using namespace mlir;
using namespace tilewright;

TEST_CASE("every op of arith, math and tile is evaluated") {
  MLIRContext context;
  context
      .loadDialect<arith::ArithDialect, math::MathDialect, tile::TileDialect>();
  // What encloses or ends a program is not an op that is evaluated.
  const std::vector<std::string> structure = {"tile.kernel", "tile.func",
                                              "tile.return", "tile.yield"};
  size_t count = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    StringRef dialect = name.getDialectNamespace();
    if (dialect != "arith" && dialect != "math" && dialect != "tile")
      continue;
    ++count;
    CAPTURE(name.getStringRef().str());
    CHECK(reference::OpTable::get().knows(name.getStringRef()) !=
          llvm::is_contained(structure, name.getStringRef()));
  }
  CHECK(count > 130);
}
