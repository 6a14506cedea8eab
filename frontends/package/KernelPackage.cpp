//===- KernelPackage.cpp - One tile kernel as a package -------------------===//
#include "frontends/package/KernelPackage.h"

#include "codegen/pipeline/Expressions.h"
#include <set>

using namespace mlir;

namespace tilewright {

namespace {
/// Builds the manifest of one kernel, argument by argument.
class KernelDescriber {
public:
  KernelDescriber(tile::KernelOp kernel, runtime::PackageManifest &manifest)
      : kernel(kernel), manifest(manifest) {}
  Status run();

private:
  Status addView(unsigned index, tile::ViewType view);
  Status addScalar(unsigned index);
  StatusOr<std::vector<runtime::Expression>>
  shapeOf(unsigned index, tile::ViewType view, bool isOutput);
  Status error(unsigned index, const std::string &what) {
    return Status::invalidInput("kernel '" + kernel.getSymName().str() +
                                "', argument " + std::to_string(index) + ": " +
                                what);
  }

  tile::KernelOp kernel;
  runtime::PackageManifest &manifest;
  std::set<std::string> symbols;
};
} // namespace

/// Does the kernel write to (or read from) the memory behind `view`?
static void findUses(Value view, bool &reads, bool &writes) {
  for (Operation *user : view.getUsers()) {
    writes |= isa<tile::StoreOp>(user);
    reads |= isa<tile::LoadOp>(user);
    // Pointers may do either.
    reads |= isa<tile::BaseOp>(user);
  }
}

StatusOr<std::vector<runtime::Expression>>
KernelDescriber::shapeOf(unsigned index, tile::ViewType view, bool isOutput) {
  auto dims = kernel.getArgAttrOfType<ArrayAttr>(index, "graph.dims");
  if (dims && dims.size() != view.getShape().size())
    return error(index, "graph.dims has " + std::to_string(dims.size()) +
                            " entries, the view has rank " +
                            std::to_string(view.getShape().size()));
  std::vector<runtime::Expression> shape;
  for (auto [d, size] : llvm::enumerate(view.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      shape.push_back(size);
      continue;
    }
    auto text = dims ? dyn_cast<StringAttr>(dims[d]) : StringAttr();
    if (text && !text.empty()) {
      StatusOr<runtime::Expression> expression =
          runtime::Expression::parse(text.getValue().str());
      if (!expression.ok())
        return error(index, expression.status().message());
      shape.push_back(*expression);
    } else if (isOutput) {
      return error(index, "dimension " + std::to_string(d) +
                              " of an output is '?'; give its size, e.g. "
                              "{graph.dims = [\"M\", ...]}");
    } else {
      shape.push_back(runtime::Expression::symbol(
          "arg" + std::to_string(index) + ".dim" + std::to_string(d)));
    }
    if (std::optional<std::string_view> name = shape.back().name();
        name && !isOutput)
      symbols.insert(std::string(*name));
  }
  return shape;
}

Status KernelDescriber::addView(unsigned index, tile::ViewType view) {
  bool reads = false, writes = false;
  findUses(kernel.getRegion().getArgument(index), reads, writes);
  if (reads && writes)
    return error(index, "the kernel reads and writes it; a package needs "
                        "separate inputs and outputs");
  if (view.hasExplicitStrides())
    return error(index, "a package passes contiguous tensors; the view has "
                        "explicit strides");
  std::optional<runtime::DType> dtype = toDType(view.getElementType());
  if (!dtype)
    return error(index, "its element type has no place in a package");
  TILEWRIGHT_ASSIGN_OR_RETURN(auto shape, shapeOf(index, view, writes));
  runtime::Expression bytes(runtime::dtypeBytes(*dtype));
  for (const runtime::Expression &size : shape)
    bytes = bytes * size;
  using Kind = runtime::BufferManifest::Kind;
  size_t id = manifest.buffers.size();
  manifest.buffers.push_back(
      {writes ? Kind::output : Kind::input, *dtype, bytes, "", std::nullopt});
  auto given = kernel.getArgAttrOfType<StringAttr>(index, "graph.name");
  std::string name =
      given ? given.getValue().str() : "arg" + std::to_string(index);
  (writes ? manifest.outputs : manifest.inputs)
      .push_back({name, *dtype, shape, id});
  manifest.steps[0].arguments.push_back(runtime::StepArgument::view(id, shape));
  return Status();
}

Status KernelDescriber::addScalar(unsigned index) {
  auto text = kernel.getArgAttrOfType<StringAttr>(index, "graph.value");
  if (!text || !kernel.getArgumentTypes()[index].isIntOrIndex())
    return error(index, "a scalar needs its value, e.g. {graph.value = \"N\"}, "
                        "and an integer type");
  StatusOr<runtime::Expression> value =
      runtime::Expression::parse(text.getValue().str());
  if (!value.ok())
    return error(index, value.status().message());
  manifest.steps[0].arguments.push_back(runtime::StepArgument::value(*value));
  return Status();
}

Status KernelDescriber::run() {
  manifest.steps.push_back({kernel.getSymName().str(), {}, ""});
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto view = dyn_cast<tile::ViewType>(type);
    TILEWRIGHT_RETURN_IF_ERROR(view ? addView(index, view) : addScalar(index));
  }
  manifest.symbols.assign(symbols.begin(), symbols.end());
  return Status();
}

Status describeKernelPackage(tile::KernelOp kernel,
                             runtime::PackageManifest &manifest) {
  return KernelDescriber(kernel, manifest).run();
}

/// "@product(!tile.view<96x80xf32>, ...)".
static std::string signatureOf(tile::KernelOp kernel) {
  std::string text = "@" + kernel.getSymName().str() + "(";
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(kernel.getArgumentTypes(), stream);
  return text + ")";
}

Status checkSameInterface(tile::KernelOp kernel, const std::string &target,
                          tile::KernelOp other,
                          const std::string &otherTarget) {
  std::string expected = signatureOf(kernel), found = signatureOf(other);
  if (expected == found)
    return Status();
  return Status::invalidInput(
      "the tunables change the kernel's name or arguments: expected that of "
      "target " +
      target + ", " + expected + ", found " + found + " for " + otherTarget +
      "; compile a package for each target");
}

} // namespace tilewright
