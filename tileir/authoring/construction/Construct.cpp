#include "tileir/authoring/construction/Construct.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tileir/authoring/construction/Handles.h"
#include "tileir/authoring/construction/Types.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright::authoring {

using detail::ParameterType;

static Type parameterType(KernelBuilder &c, const ParameterType &parameter) {
  Type element = typeOf(c, parameter.element);
  switch (parameter.kind) {
  case ParameterType::Kind::scalar:
    return element;
  case ParameterType::Kind::pointer:
    return tile::PtrType::get(element);
  case ParameterType::Kind::view:
    break;
  }
  SmallVector<int64_t> dynamic(parameter.rank, ShapedType::kDynamic);
  return tile::ViewType::get(dynamic, element,
                             parameter.strided ? ArrayRef<int64_t>(dynamic)
                                               : ArrayRef<int64_t>());
}

static void begin(KernelBuilder &c, StringRef name,
                  const std::vector<ParameterType> &parameters,
                  const std::source_location &where) {
  Location location = c.locationOf(where);
  c.module = ModuleOp::create(location);
  c.builder.setInsertionPointToEnd(c.module->getBody());
  SmallVector<Type> types;
  for (const ParameterType &parameter : parameters)
    types.push_back(parameterType(c, parameter));
  AffineMap oneProgram =
      AffineMap::get(0, tile::KernelOp::countGridSymbols(types),
                     c.builder.getAffineConstantExpr(1), &c.context);
  c.kernel =
      tile::KernelOp::create(c.builder, location, name, types, oneProgram);
  c.builder.setInsertionPoint(c.kernel.getRegion().front().getTerminator());
  bool isIdentifier =
      !name.empty() && !llvm::isDigit(name.front()) &&
      llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!isIdentifier)
    c.error(where, "kernel_name",
            "a kernel is called '" + name +
                "': expected letters, digits and '_', not beginning with a "
                "digit");
}

static void checkBindings(KernelBuilder &c, const std::source_location &where) {
  for (const auto &[name, value] : c.bindings) {
    auto isNamed = [&name = name](const Tunable &t) { return t.name == name; };
    if (llvm::any_of(c.tunables, isNamed))
      continue;
    std::string known;
    for (const Tunable &tunable : c.tunables)
      known += (known.empty() ? "" : ", ") + tunable.name;
    c.error(where, "tunable_unknown",
            "kernel '" + c.kernel.getName() + "' has no tunable '" + name +
                "'" +
                (known.empty() ? std::string("; it has none")
                               : "; its tunables are " + known));
  }
}

static void finish(KernelBuilder &c, const std::source_location &where) {
  checkBindings(c, where);
  if (c.hasFailed())
    return;
  // What only the grid was computed from.
  IRRewriter rewriter(&c.context);
  (void)runRegionDCE(rewriter, c.kernel->getRegions());
  (void)verify(*c.module);
}

Status construct(KernelBuilder &c, const std::string &name,
                 const std::vector<ParameterType> &parameters,
                 const detail::KernelBody &body,
                 const std::source_location &where) {
  begin(c, name, parameters, where);
  body(handlesOf(c, c.kernel.getArguments()));
  finish(c, where);
  if (!c.hasFailed())
    return {};
  return Status::invalidInput(printDiagnostic(c.diagnostics.front()));
}

} // namespace tilewright::authoring
