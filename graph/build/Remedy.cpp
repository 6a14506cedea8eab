#include "graph/build/Remedy.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright::build {

/// The arguments that `value` is computed from, by their elements.
static llvm::SetVector<Value> sourcesOf(Value value) {
  llvm::SetVector<Value> seen, arguments;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    Operation *op = seen[i].getDefiningOp();
    if (!op) {
      arguments.insert(seen[i]);
      continue;
    }
    if (isa<tensor::DimOp>(op))
      continue;
    seen.insert(op->operand_begin(), op->operand_end());
    for (Region &region : op->getRegions())
      region.walk(
          [&](tensor::ExtractOp extract) { seen.insert(extract.getTensor()); });
  }
  return arguments;
}

LogicalResult failUnknown(GraphBuilder &b, const Twine &message,
                          const Tensor &tensor) {
  if (!b.error.empty())
    return failure();
  b.unknownInputs.clear();
  if (tensor->value)
    for (Value argument : sourcesOf(tensor->value))
      if (auto name = b.argumentNames.find(argument);
          name != b.argumentNames.end())
        b.unknownInputs.push_back(name->second);
  if (b.unknownInputs.empty())
    return b.fail(message);
  return b.fail(message + "; it depends on the elements of input '" +
                llvm::join(b.unknownInputs, "', '") + "'");
}

std::string sizeRemedy(const GraphBuilder &b, Expr size) {
  SmallVector<std::string> options;
  size.walk([&](Expr part) {
    auto dim = b.indices.lookup(part);
    auto op = dim && isa<AffineSymbolExpr>(part)
                  ? dim.getDefiningOp<tensor::DimOp>()
                  : tensor::DimOp();
    auto name =
        op ? b.argumentNames.find(op.getSource()) : b.argumentNames.end();
    if (name == b.argumentNames.end())
      return;
    auto type = cast<RankedTensorType>(op.getSource().getType());
    SmallVector<std::string> sizeNames;
    for (int64_t d = 0; d < type.getRank(); ++d)
      sizeNames.push_back(type.isDynamicDim(d)
                              ? op.getConstantIndex() == d ? "SIZE" : "-1"
                              : std::to_string(type.getDimSize(d)));
    std::string option =
        "--input-shape " + name->second + "=" + llvm::join(sizeNames, "x");
    if (!llvm::is_contained(options, option))
      options.push_back(option);
  });
  return options.empty() ? "" : "; give " + llvm::join(options, " and ");
}

} // namespace tilewright::build
