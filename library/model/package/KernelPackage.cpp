//===- KernelPackage.cpp - One tile kernel as a package -------------------===//
#include "library/model/package/KernelPackage.h"

#include "codegen/pipeline/DiagnosticCollector.h"
#include "codegen/pipeline/Expressions.h"
#include "tileir/analysis/ArgumentAccesses.h"
#include "tileir/ir/CallerAttributes.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir;

namespace tilewright {

using runtime::Expression;

//===--- Attributes -------------------------------------------------------===//

namespace {
/// The attributes of an argument.
struct Named {
  std::string name;
  /// By dimension; none where the view has a static size or no name.
  std::vector<std::optional<Expression>> dims;
  std::optional<Expression> value;
};

/// Builds the manifest of one kernel, argument by argument.
class KernelDescriber {
public:
  KernelDescriber(tile::KernelOp kernel, runtime::PackageManifest &manifest)
      : kernel(kernel), manifest(manifest), accesses(kernel) {}
  Status run();

private:
  Type typeOf(unsigned index) const { return kernel.getArgumentTypes()[index]; }
  Status error(unsigned index, const std::string &what,
               StatusCode code = StatusCode::invalidInput) const;
  /// For a valid argument that a package cannot have.
  Status unsupported(unsigned index, const std::string &what) const {
    return error(index, what, StatusCode::unsupported);
  }
  Status checkNames(unsigned index) const;
  StatusOr<Expression> parse(unsigned index, StringAttr text) const;
  Status readDims(unsigned index, ArrayAttr dims);
  Status readAttributes(unsigned index);
  std::string knownSizes() const;
  Status checkKnown(unsigned index, const Expression &size) const;
  Status checkKnown(unsigned index) const;
  void bindSizes(unsigned index);
  Status decide(unsigned index);
  Status checkView(unsigned index) const;
  std::vector<Expression> shapeOf(unsigned index) const;
  size_t addBuffer(runtime::BufferManifest::Kind kind, unsigned index,
                   const std::vector<Expression> &shape);
  void addView(unsigned index);
  Status addScalar(unsigned index);

  mutable tile::KernelOp kernel;
  runtime::PackageManifest &manifest;
  tile::ArgumentAccesses accesses;
  std::vector<Named> named;
  /// By argument: whether it is an input, and an output.
  std::vector<bool> isInput, isOutput;
  /// The sizes known from inputs.
  std::set<std::string> symbols;
};
} // namespace

Status KernelDescriber::error(unsigned index, const std::string &what,
                              StatusCode code) const {
  return {code, locationPrefix(kernel.getRegion().getArgument(index).getLoc()) +
                    "kernel '" + kernel.getSymName().str() + "', argument " +
                    std::to_string(index) + ": " + what};
}

/// Of the old names, which no dialect checks: an attribute graph.* that nobody
/// reads is a misspelt one.
Status KernelDescriber::checkNames(unsigned index) const {
  for (NamedAttribute attribute :
       function_interface_impl::getArgAttrs(kernel, index)) {
    StringRef name = attribute.getName().getValue();
    if (!name.starts_with("graph."))
      continue;
    const bool isView = isa<tile::ViewType>(typeOf(index));
    const bool isText = isa<StringAttr>(attribute.getValue());
    if (name == "graph.dims" && isView) {
      if (!isa<ArrayAttr>(attribute.getValue()))
        return error(index, "graph.dims: expected a list of texts, such as "
                            "[\"M\", \"\"]");
    } else if (name == "graph.name" || (name == "graph.value" && !isView)) {
      if (!isText || cast<StringAttr>(attribute.getValue()).empty())
        return error(index, name.str() + ": expected a text that is not empty");
    } else {
      return error(index, "unknown attribute '" + name.str() + "'; " +
                              (isView ? "a view has tile.name and tile.dims"
                                      : "a scalar has tile.name and "
                                        "tile.value"));
    }
  }
  return Status();
}

StatusOr<Expression> KernelDescriber::parse(unsigned index,
                                            StringAttr text) const {
  StatusOr<Expression> expression = Expression::parse(text.getValue().str());
  if (!expression.ok())
    return error(index,
                 "'" + text.str() + "': " + expression.status().message());
  return expression;
}

Status KernelDescriber::readDims(unsigned index, ArrayAttr dims) {
  ArrayRef<int64_t> shape = cast<tile::ViewType>(typeOf(index)).getShape();
  if (dims.size() != shape.size())
    return error(index, "graph.dims: expected " + std::to_string(shape.size()) +
                            " entries, as the view has dimensions, found " +
                            std::to_string(dims.size()));
  for (auto [d, attribute] : llvm::enumerate(dims)) {
    auto text = dyn_cast<StringAttr>(attribute);
    if (!text)
      return error(index, "graph.dims: expected texts, such as [\"M\", \"\"]");
    if (ShapedType::isDynamic(shape[d]) && !text.empty()) {
      TILEWRIGHT_ASSIGN_OR_RETURN(named[index].dims[d], parse(index, text));
    }
  }
  return Status();
}

Status KernelDescriber::readAttributes(unsigned index) {
  TILEWRIGHT_RETURN_IF_ERROR(checkNames(index));
  Named &own = named[index];
  auto name = tile::callerAttribute<StringAttr>(kernel, index, tile::kNameAttr);
  own.name = name ? name.str() : "arg" + std::to_string(index);
  for (unsigned other = 0; other < index; ++other)
    if (named[other].name == own.name)
      return error(index, "'" + own.name + "' is the name of argument " +
                              std::to_string(other) + " too");
  if (auto view = dyn_cast<tile::ViewType>(typeOf(index)))
    own.dims.resize(view.getShape().size());
  if (auto dims =
          tile::callerAttribute<ArrayAttr>(kernel, index, tile::kDimsAttr))
    TILEWRIGHT_RETURN_IF_ERROR(readDims(index, dims));
  if (auto value =
          tile::callerAttribute<StringAttr>(kernel, index, tile::kValueAttr)) {
    if (!typeOf(index).isIntOrIndex())
      return error(index, "graph.value: expected an integer or an index");
    TILEWRIGHT_ASSIGN_OR_RETURN(own.value, parse(index, value));
  }
  return Status();
}

//===--- Inputs and outputs -----------------------------------------------===//

/// The sizes that are bare names are known if the argument is an input.
void KernelDescriber::bindSizes(unsigned index) {
  for (const Expression &size : shapeOf(index))
    if (std::optional<std::string_view> name = size.name())
      symbols.insert(std::string(*name));
}

/// Inputs and outputs, but for those that are both since a size is not known.
Status KernelDescriber::decide(unsigned index) {
  if (!isa<tile::ViewType>(typeOf(index))) {
    isInput[index] = !named[index].value;
    return Status();
  }
  bool reads = accesses.read[index];
  const bool writes = accesses.written[index];
  auto view = cast<tile::ViewType>(typeOf(index));
  for (auto [size, name] : llvm::zip(view.getShape(), named[index].dims))
    reads |= ShapedType::isDynamic(size) && !name;
  isInput[index] = reads || !writes;
  isOutput[index] = writes;
  if (isInput[index])
    bindSizes(index);
  return checkView(index);
}

std::string KernelDescriber::knownSizes() const {
  return symbols.empty() ? "no input has a size that is open"
                         : "those of inputs are " + llvm::join(symbols, ", ");
}

Status KernelDescriber::checkKnown(unsigned index,
                                   const Expression &size) const {
  for (const std::string &name : size.names())
    if (!symbols.contains(name))
      return error(index, "the size '" + name + "' is that of no input; " +
                              knownSizes());
  return Status();
}

Status KernelDescriber::checkKnown(unsigned index) const {
  for (const std::optional<Expression> &size : named[index].dims)
    if (size)
      TILEWRIGHT_RETURN_IF_ERROR(checkKnown(index, *size));
  return named[index].value ? checkKnown(index, *named[index].value) : Status();
}

//===--- The manifest -----------------------------------------------------===//

Status KernelDescriber::checkView(unsigned index) const {
  auto view = cast<tile::ViewType>(typeOf(index));
  if (!toDType(view.getElementType()))
    return unsupported(index, "its element type has no place in a package");
  // A dense tensor's strides, where the sizes behind are known.
  std::optional<int64_t> dense = 1;
  for (size_t d = view.getShape().size(); d-- > 0;) {
    int64_t stride =
        view.hasExplicitStrides() ? view.getStrides()[d] : ShapedType::kDynamic;
    if (!ShapedType::isDynamic(stride) && dense != stride)
      return unsupported(index, "dimension " + std::to_string(d) +
                                    " has stride " + std::to_string(stride) +
                                    ", a package passes dense tensors, with " +
                                    (dense ? std::to_string(*dense) : "'?'") +
                                    " there");
    const int64_t size = view.getShape()[d];
    if (ShapedType::isDynamic(size))
      dense.reset();
    else if (dense)
      *dense *= size;
  }
  return Status();
}

std::vector<Expression> KernelDescriber::shapeOf(unsigned index) const {
  std::vector<Expression> shape;
  ArrayRef<int64_t> sizes = cast<tile::ViewType>(typeOf(index)).getShape();
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (!ShapedType::isDynamic(size))
      shape.push_back(size);
    else if (const std::optional<Expression> &given = named[index].dims[d])
      shape.push_back(*given);
    else
      shape.push_back(Expression::symbol("arg" + std::to_string(index) +
                                         ".dim" + std::to_string(d)));
  }
  return shape;
}

size_t KernelDescriber::addBuffer(runtime::BufferManifest::Kind kind,
                                  unsigned index,
                                  const std::vector<Expression> &shape) {
  runtime::DType dtype = runtime::DType::I64;
  if (auto view = dyn_cast<tile::ViewType>(typeOf(index)))
    dtype = *toDType(view.getElementType());
  else if (!isa<IndexType>(typeOf(index)))
    dtype = *toDType(typeOf(index));
  Expression bytes(runtime::dtypeBytes(dtype));
  for (const Expression &size : shape)
    bytes = bytes * size;
  const size_t id = manifest.buffers.size();
  manifest.buffers.push_back({kind, dtype, bytes, "", std::nullopt});
  auto &list = kind == runtime::BufferManifest::Kind::input ? manifest.inputs
                                                            : manifest.outputs;
  list.push_back({named[index].name, dtype, shape, id});
  return id;
}

void KernelDescriber::addView(unsigned index) {
  using Kind = runtime::BufferManifest::Kind;
  const std::vector<Expression> shape = shapeOf(index);
  size_t id = 0;
  if (isInput[index])
    id = addBuffer(Kind::input, index, shape);
  if (isOutput[index]) {
    const size_t input = id;
    id = addBuffer(Kind::output, index, shape);
    if (isInput[index])
      manifest.buffers[id].initial = input;
  }
  manifest.steps[0].arguments.push_back(runtime::StepArgument::view(id, shape));
}

Status KernelDescriber::addScalar(unsigned index) {
  Type type = typeOf(index);
  if (named[index].value) {
    manifest.steps[0].arguments.push_back(
        runtime::StepArgument::value(*named[index].value));
    return Status();
  }
  if (isa<tile::PtrType>(type))
    return unsupported(index,
                       "a package passes views, whose sizes are known, and "
                       "scalars, no pointers; tile.base gives a view's");
  if (!isa<IndexType>(type) && !toDType(type))
    return unsupported(index, "its type has no place in a package");
  manifest.steps[0].arguments.push_back(
      runtime::StepArgument::element(manifest.inputs.size()));
  addBuffer(runtime::BufferManifest::Kind::input, index, {});
  return Status();
}

Status KernelDescriber::run() {
  manifest.steps.push_back({kernel.getSymName().str(), {}, ""});
  const unsigned count = kernel.getNumLaunchArguments();
  named.resize(count);
  isInput.resize(count);
  isOutput.resize(count);
  for (unsigned index = 0; index < count; ++index)
    TILEWRIGHT_RETURN_IF_ERROR(readAttributes(index));
  for (unsigned index = 0; index < count; ++index)
    TILEWRIGHT_RETURN_IF_ERROR(decide(index));
  for (unsigned index = 0; index < count; ++index)
    TILEWRIGHT_RETURN_IF_ERROR(checkKnown(index));
  for (unsigned index = 0; index < count; ++index) {
    if (isa<tile::ViewType>(typeOf(index)))
      addView(index);
    else
      TILEWRIGHT_RETURN_IF_ERROR(addScalar(index));
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
