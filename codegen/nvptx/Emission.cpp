//===- Emission.cpp - A kernel as one thread's code -----------------------===//
#include "codegen/nvptx/Emission.h"

using namespace mlir;

namespace tilewright::nvptx {

LogicalResult reject(Operation *op, const Twine &why) {
  return op->emitError() << op->getName() << ": " << why;
}

} // namespace tilewright::nvptx
