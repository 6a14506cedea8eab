//===- SpecializeShapes.cpp - Shapes of inputs that are asked for ---------===//
#include "graph/ir/Graph.h"
#include "graph/transforms/Function.h"
#include "graph/transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_SPECIALIZESHAPES
#include "graph/transforms/Passes.h.inc"

namespace {
/// One function whose inputs' shapes are specialized.
class Specializer {
public:
  explicit Specializer(func::FuncOp func) : func(func) {
    for (BlockArgument argument : func.getArguments())
      if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
        shapes[argument.getArgNumber()].assign(type.getShape().begin(),
                                               type.getShape().end());
  }

  /// Fixes the sizes in `shape` for the input `name`.
  LogicalResult take(StringRef name, ArrayRef<int64_t> shape);
  /// Gives all dimensions with one name one size.
  LogicalResult unify();
  void apply();

private:
  std::string nameOf(unsigned i) {
    auto given = func.getArgAttrOfType<StringAttr>(i, "graph.name");
    return given ? given.str() : "input" + std::to_string(i);
  }
  /// The name of a dynamic size, or nothing.
  StringRef dimName(unsigned i, size_t d) {
    auto dims = func.getArgAttrOfType<ArrayAttr>(i, "graph.dims");
    return dims && d < dims.size() ? cast<StringAttr>(dims[d]).getValue() : "";
  }
  LogicalResult unknownInput(StringRef name);
  void setType(BlockArgument argument, RankedTensorType type);

  func::FuncOp func;
  std::map<unsigned, SmallVector<int64_t>> shapes;
};
} // namespace

LogicalResult Specializer::unknownInput(StringRef name) {
  SmallVector<std::string> names;
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    names.push_back(nameOf(i));
  return func.emitError("a shape was given for '")
         << name << "', which is not an input of the model\n  the model's "
         << "inputs: " << llvm::join(names, ", ");
}

LogicalResult Specializer::take(StringRef name, ArrayRef<int64_t> shape) {
  auto found = llvm::find_if(
      shapes, [&](const auto &each) { return nameOf(each.first) == name; });
  if (found == shapes.end())
    return unknownInput(name);
  SmallVector<int64_t> &sizes = found->second;
  if (sizes.size() != shape.size())
    return func.emitError("input '")
           << name << "' was given a shape of " << shape.size()
           << " dimensions, it has " << sizes.size();
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (shape[d] < 0 || shape[d] == sizes[d])
      continue;
    if (!ShapedType::isDynamic(sizes[d]))
      return func.emitError("input '")
             << name << "' was given the size " << shape[d] << " in dimension "
             << d << ", which is " << sizes[d];
    sizes[d] = shape[d];
  }
  return success();
}

LogicalResult Specializer::unify() {
  llvm::StringMap<int64_t> fixed;
  for (auto &[i, sizes] : shapes)
    for (auto [d, size] : llvm::enumerate(sizes)) {
      StringRef name = dimName(i, d);
      if (name.empty() || ShapedType::isDynamic(size))
        continue;
      auto [known, isNew] = fixed.try_emplace(name, size);
      if (!isNew && known->second != size)
        return func.emitError("the size '")
               << name << "' was given as " << known->second << " and as "
               << size << ", of input '" << nameOf(i) << "'";
    }
  for (auto &[i, sizes] : shapes)
    for (auto [d, size] : llvm::enumerate(sizes))
      if (auto known = fixed.find(dimName(i, d)); known != fixed.end())
        size = known->second;
  return success();
}

/// What reads the argument sees the type that it had.
void Specializer::setType(BlockArgument argument, RankedTensorType type) {
  OpBuilder b = OpBuilder::atBlockBegin(argument.getOwner());
  Type old = argument.getType();
  argument.setType(type);
  auto cast = tensor::CastOp::create(b, argument.getLoc(), old, argument);
  argument.replaceAllUsesExcept(cast, cast);
  const unsigned i = argument.getArgNumber();
  if (!func.getArgAttr(i, "graph.dims"))
    return;
  SmallVector<StringRef> names;
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    names.push_back(ShapedType::isDynamic(size) ? dimName(i, d) : "");
  func.setArgAttr(i, "graph.dims", b.getStrArrayAttr(names));
}

void Specializer::apply() {
  for (auto &[i, sizes] : shapes) {
    BlockArgument argument = func.getArgument(i);
    auto type = cast<RankedTensorType>(argument.getType());
    if (auto fixed = type.clone(sizes); fixed != type)
      setType(argument, fixed);
  }
  func.setFunctionType(FunctionType::get(func.getContext(),
                                         func.getBody().getArgumentTypes(),
                                         func.getResultTypes()));
}

namespace {
struct SpecializeShapes : impl::SpecializeShapesBase<SpecializeShapes> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto given = module->getAttrOfType<DictionaryAttr>(kShapesAttr);
    if (!given)
      return;
    FailureOr<func::FuncOp> func = graphFunction(module);
    if (failed(func))
      return signalPassFailure();
    Specializer specializer(*func);
    for (NamedAttribute each : given) {
      auto shape = dyn_cast<DenseI64ArrayAttr>(each.getValue());
      if (!shape) {
        module.emitError() << kShapesAttr << ": expected arrays of i64, found "
                           << each.getValue();
        return signalPassFailure();
      }
      if (failed(specializer.take(each.getName(), shape)))
        return signalPassFailure();
    }
    if (failed(specializer.unify()))
      return signalPassFailure();
    specializer.apply();
    module->removeAttr(kShapesAttr);
  }
};
} // namespace

} // namespace tilewright::graph
