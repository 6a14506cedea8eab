#include "graph/build/Remedy.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

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

/// The names of the model's inputs that a tensor's elements depend on.
static std::vector<std::string> inputsOf(const GraphBuilder &b,
                                         const Tensor &tensor) {
  std::vector<std::string> names;
  if (tensor->value)
    for (Value argument : sourcesOf(tensor->value))
      if (auto name = b.argumentNames.find(argument);
          name != b.argumentNames.end())
        names.push_back(name->second);
  return names;
}

void noteRead(GraphBuilder &b, const Tensor &tensor) {
  for (const std::string &name : inputsOf(b, tensor))
    if (!llvm::is_contained(b.readInputs, name))
      b.readInputs.push_back(name);
}

LogicalResult failUnknown(GraphBuilder &b, const Twine &message,
                          const Tensor &tensor) {
  if (!b.error.empty())
    return failure();
  b.unknownInputs = inputsOf(b, tensor);
  if (b.unknownInputs.empty())
    return b.fail(message);
  return b.fail(message + "; it depends on the elements of input '" +
                llvm::join(b.unknownInputs, "', '") + "'");
}

/// A size to begin with: one element of a batch, a few of anything else.
static int64_t exampleOf(int64_t dim) { return dim == 0 ? 1 : 64; }

std::string sizeOptions(const GraphBuilder &b, ArrayRef<Expr> sizes,
                        std::optional<int64_t> value) {
  // The dimensions of each argument that the sizes depend on.
  std::map<unsigned, std::pair<Value, std::set<int64_t>>> fixed;
  for (Expr size : sizes)
    size.walk([&](Expr part) {
      auto dim = b.indices.lookup(part);
      auto op = dim && isa<AffineSymbolExpr>(part)
                    ? dim.getDefiningOp<tensor::DimOp>()
                    : tensor::DimOp();
      auto argument =
          op ? dyn_cast<BlockArgument>(op.getSource()) : BlockArgument();
      if (!argument || !b.argumentNames.contains(argument))
        return;
      auto &[found, dims] = fixed[argument.getArgNumber()];
      found = argument;
      dims.insert(*op.getConstantIndex());
    });
  SmallVector<std::string> options;
  for (const auto &[number, each] : fixed) {
    const auto &[argument, dims] = each;
    auto type = cast<RankedTensorType>(argument.getType());
    SmallVector<std::string> texts;
    for (int64_t d = 0; d < type.getRank(); ++d)
      texts.push_back(!type.isDynamicDim(d) ? std::to_string(type.getDimSize(d))
                      : dims.contains(d)
                          ? std::to_string(value.value_or(exampleOf(d)))
                          : "?");
    options.push_back("--input-shape " +
                      b.argumentNames.find(argument)->second + "=" +
                      llvm::join(texts, "x"));
  }
  return llvm::join(options, " ");
}

std::string sizeRemedy(const GraphBuilder &b, ArrayRef<Expr> sizes) {
  std::string options = sizeOptions(b, sizes);
  return options.empty() ? "" : "; fix it, for example with " + options;
}

} // namespace tilewright::build
