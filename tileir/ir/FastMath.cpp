#include "tileir/ir/FastMath.h"

using namespace mlir;

namespace tilewright::tile {

std::optional<arith::FastMathFlags> parseFastMathFlags(StringRef names) {
  auto flags = arith::FastMathFlags::none;
  if (names.empty())
    return flags;
  for (StringRef name : llvm::split(names, ',')) {
    std::optional<arith::FastMathFlags> flag =
        arith::symbolizeFastMathFlags(name.trim());
    if (!flag)
      return std::nullopt;
    flags = flags | *flag;
  }
  return flags;
}

arith::FastMathFlags fastMathFlagsOf(Operation *op) {
  auto flagged = dyn_cast_or_null<arith::ArithFastMathInterface>(op);
  // Conversions have the attribute only where a flag is set.
  arith::FastMathFlagsAttr flags =
      flagged ? flagged.getFastMathFlagsAttr() : nullptr;
  return flags ? flags.getValue() : arith::FastMathFlags::none;
}

void setFastMathFlags(Operation *op, arith::FastMathFlags flags) {
  auto flagged = cast<arith::ArithFastMathInterface>(op);
  op->setAttr(flagged.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

} // namespace tilewright::tile
