//===- DescribeKernel.cpp - What a launch of a kernel takes ---------------===//
#include "codegen/pipeline/DescribeKernel.h"

#include "codegen/pipeline/Expressions.h"

using namespace mlir;

namespace tilewright {

StatusOr<runtime::KernelManifest> describeKernel(tile::KernelOp kernel,
                                                 llvm::StringRef target) {
  runtime::KernelManifest manifest;
  manifest.name = kernel.getSymName().str();
  manifest.target = target.str();
  manifest.entry = manifest.name;
  std::vector<std::string> sizes;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    std::string argument = "arg" + std::to_string(i);
    auto view = dyn_cast<tile::ViewType>(type);
    if (!view) {
      std::optional<runtime::DType> dtype = toDType(type);
      manifest.arguments.push_back(runtime::KernelArgument::scalar(dtype));
      if (type.isIntOrIndex())
        sizes.push_back(argument);
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
      sizes.push_back(argument + ".dim" + std::to_string(d));
      if (ShapedType::isDynamic(size))
        dims.push_back(d);
    }
    for (auto [d, stride] : llvm::enumerate(view.getStrides()))
      if (ShapedType::isDynamic(stride))
        strides.push_back(d);
    manifest.arguments.push_back(runtime::KernelArgument::view(
        *dtype, view.getShape().size(), dims, strides));
  }
  for (AffineExpr extent : kernel.getGrid().getResults())
    manifest.grid.push_back(toExpression(extent, sizes));
  return manifest;
}

} // namespace tilewright
