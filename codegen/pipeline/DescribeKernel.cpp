//===- DescribeKernel.cpp - What a launch of a kernel takes ---------------===//
#include "codegen/pipeline/DescribeKernel.h"

#include "codegen/pipeline/Expressions.h"
#include "tileir/ir/CallerAttributes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilewright {

StatusOr<FunctionOpInterface> kernelFunction(ModuleOp module) {
  auto kernels =
      llvm::filter_to_vector(module.getOps<FunctionOpInterface>(),
                             [](auto op) { return bool(signatureOf(op)); });
  if (kernels.size() != 1)
    return Status::invalidInput(
        "expected one function with a tile.signature, found " +
        std::to_string(kernels.size()));
  return kernels.front();
}

tile::SignatureAttr signatureOf(FunctionOpInterface function) {
  return function->getAttrOfType<tile::SignatureAttr>(
      tile::TileDialect::kSignatureAttr);
}

IntegerAttr persistentOf(Operation *kernel) {
  return kernel->getAttrOfType<IntegerAttr>(tile::TileDialect::kPersistentAttr);
}

std::string fastMathOf(FunctionOpInterface function) {
  auto names =
      function->getAttrOfType<StringAttr>(tile::TileDialect::kFastMathAttr);
  return names ? names.str() : "";
}

/// The assumptions about one argument, of which `name` is the manifest's name.
static void addGuards(tile::SignatureAttr signature, unsigned i,
                      const std::string &name,
                      std::vector<std::string> &guards) {
  using Dialect = tile::TileDialect;
  auto divisible = [&](const std::string &size, int64_t divisor) {
    if (divisor > 1)
      guards.push_back("mod(" + size + ", " + std::to_string(divisor) +
                       ") == 0");
  };
  auto each = [&](StringRef attribute, const char *sizes) {
    auto divisors = signature.getArgAttrOfType<DenseI64ArrayAttr>(i, attribute);
    if (divisors)
      for (auto [dim, divisor] : llvm::enumerate(divisors.asArrayRef()))
        divisible(name + sizes + std::to_string(dim), divisor);
  };
  bool isView = isa<tile::ViewType>(signature.getArgumentTypes()[i]);
  if (auto align =
          signature.getArgAttrOfType<IntegerAttr>(i, Dialect::kAlignAttr)) {
    if (isView)
      guards.push_back("aligned(" + name + ", " +
                       std::to_string(align.getInt()) + ")");
    else
      divisible(name, align.getInt());
  }
  if (auto divisor =
          signature.getArgAttrOfType<IntegerAttr>(i, Dialect::kDivisibleAttr))
    divisible(name, divisor.getInt());
  each(Dialect::kDimDivisibleAttr, ".dim");
  each(Dialect::kStrideDivisibleAttr, ".stride");
  if (auto others = signature.getArgAttrOfType<DenseI64ArrayAttr>(
          i, Dialect::kDisjointAttr))
    for (int64_t other : others.asArrayRef())
      guards.push_back("disjoint(" + name + ", arg" + std::to_string(other) +
                       ")");
}

/// Guards for what the kernel's view types say: static sizes, static strides,
/// and dense row-major strides. The code relies on them without a check.
static void addFixedSizes(tile::SignatureAttr signature,
                          std::vector<std::string> &guards) {
  for (auto [i, type] : llvm::enumerate(signature.getArgumentTypes())) {
    auto view = dyn_cast<tile::ViewType>(type);
    if (!view)
      continue;
    const size_t rank = view.getShape().size();
    auto name = [&, i = i](const char *what, size_t d) {
      return "arg" + std::to_string(i) + what + std::to_string(d);
    };
    for (size_t d = 0; d < rank; ++d) {
      if (int64_t size = view.getShape()[d]; !ShapedType::isDynamic(size))
        guards.push_back(name(".dim", d) + " == " + std::to_string(size));
      const std::string stride = name(".stride", d) + " == ";
      if (!view.hasExplicitStrides())
        guards.push_back(stride + (d + 1 < rank ? name(".dim", d + 1) + " * " +
                                                      name(".stride", d + 1)
                                                : "1"));
      else if (!ShapedType::isDynamic(view.getStrides()[d]))
        guards.push_back(stride + std::to_string(view.getStrides()[d]));
    }
  }
}

/// The workspace that argument `i` is a pointer to, if it is one.
static std::optional<runtime::KernelWorkspace>
workspaceOf(tile::SignatureAttr signature, unsigned i,
            ArrayRef<runtime::Expression> sizes) {
  using Dialect = tile::TileDialect;
  using Zeroed = runtime::KernelWorkspace::Zeroed;
  auto bytes =
      signature.getArgAttrOfType<AffineMapAttr>(i, Dialect::kWorkspaceAttr);
  if (!bytes)
    return std::nullopt;
  auto zeroed = signature.getArgAttrOfType<StringAttr>(i, Dialect::kZeroedAttr);
  return runtime::KernelWorkspace{
      toExpression(bytes.getValue().getResult(0), sizes),
      llvm::StringSwitch<Zeroed>(zeroed ? zeroed.getValue() : "never")
          .Case("once", Zeroed::once)
          .Case("launch", Zeroed::launch)
          .Default(Zeroed::never)};
}

StatusOr<runtime::KernelManifest> describeKernel(StringRef name,
                                                 tile::SignatureAttr signature,
                                                 StringRef target,
                                                 IntegerAttr persistent) {
  runtime::KernelManifest manifest;
  manifest.name = name.str();
  manifest.target = target.str();
  manifest.entry = manifest.name;
  std::vector<runtime::Expression> sizes;
  for (auto [i, type] : llvm::enumerate(signature.getArgumentTypes())) {
    std::string argument = "arg" + std::to_string(i);
    auto view = dyn_cast<tile::ViewType>(type);
    if (!view) {
      std::optional<runtime::DType> dtype = toDType(type);
      manifest.arguments.push_back(runtime::KernelArgument::scalar(dtype));
      if (type.isIntOrIndex())
        sizes.push_back(runtime::Expression::symbol(argument));
      continue;
    }
    std::optional<runtime::DType> dtype = toDType(view.getElementType());
    if (!dtype)
      return Status::unsupported("kernel '" + manifest.name + "': argument " +
                                 std::to_string(i) +
                                 " has an element type that has no place in "
                                 "memory");
    std::vector<unsigned> dims, strides;
    for (auto [d, size] : llvm::enumerate(view.getShape())) {
      sizes.push_back(
          runtime::Expression::symbol(argument + ".dim" + std::to_string(d)));
      if (ShapedType::isDynamic(size))
        dims.push_back(d);
    }
    for (auto [d, stride] : llvm::enumerate(view.getStrides()))
      if (ShapedType::isDynamic(stride))
        strides.push_back(d);
    manifest.arguments.push_back(runtime::KernelArgument::view(
        *dtype, view.getShape().size(), dims, strides));
  }
  const unsigned last = unsigned(signature.getArgumentTypes().size()) - 1;
  if (!manifest.arguments.empty())
    manifest.workspace = workspaceOf(signature, last, sizes);
  if (manifest.workspace)
    manifest.arguments.pop_back();
  for (auto [i, argument] : llvm::enumerate(manifest.arguments)) {
    if (auto name =
            tile::callerAttribute<StringAttr>(signature, i, tile::kNameAttr))
      argument.name = name.str();
    addGuards(signature, unsigned(i), "arg" + std::to_string(i),
              manifest.guards);
  }
  addFixedSizes(signature, manifest.guards);
  for (AffineExpr extent : signature.getGrid().getValue().getResults())
    manifest.grid.push_back(toExpression(extent, sizes));
  if (persistent)
    manifest.grid[0] = runtime::min(
        manifest.grid[0], runtime::Expression(persistent.getInt()) *
                              runtime::Expression::symbol(
                                  std::string(runtime::multiprocessorsName)));
  return manifest;
}

} // namespace tilewright
