#include "tilewright/authoring/FastMath.h"

#include "tileir/authoring/construction/KernelBuilder.h"
#include "tileir/ir/FastMath.h"

using namespace mlir;

namespace tilewright::authoring {

FastMath::FastMath(std::string_view flags, std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  if (!c)
    return;
  outer = unsigned(c->fastMath.flags);
  std::optional<arith::FastMathFlags> parsed = tile::parseFastMathFlags(flags);
  if (parsed)
    c->fastMath.flags = c->fastMath.flags | *parsed;
  else
    c->error(where, "fast_math",
             "fast math: expected flags of " + tile::kFastMathFlagNames +
                 ", separated by commas, found '" + StringRef(flags) + "'");
}

FastMath::~FastMath() {
  if (KernelBuilder *c = KernelBuilder::current())
    c->fastMath.flags = arith::FastMathFlags(outer);
}

void FlagOperations::notifyOperationInserted(Operation *op,
                                             OpBuilder::InsertPoint) {
  if (flags != arith::FastMathFlags::none &&
      isa<arith::ArithFastMathInterface>(op))
    tile::setFastMathFlags(op, tile::fastMathFlagsOf(op) | flags);
}

} // namespace tilewright::authoring
