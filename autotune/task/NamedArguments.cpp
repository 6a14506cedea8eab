//===- NamedArguments.cpp - A kernel's arguments by name ------------------===//
#include "autotune/task/NamedArguments.h"

#include "codegen/pipeline/DiagnosticCollector.h"
#include "library/compiler/TunableModule.h"
#include "support/Format.h"
#include "tileir/ir/CallerAttributes.h"
#include "tilewright/manifest/Expression.h"
#include "tilewright/mlir/Compile.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright::autotune {

namespace {
/// The arguments of one kernel, and the sizes that are known.
class NamedReader {
public:
  using Shapes = std::map<std::string, std::vector<int64_t>>;

  NamedReader(tile::KernelOp kernel, const Shapes &given)
      : kernel(kernel), given(given) {}

  StatusOr<std::string> run();

private:
  std::string nameOf(unsigned index);
  ArrayAttr dimsOf(unsigned index) {
    return tile::callerAttribute<ArrayAttr>(kernel, index, tile::kDimsAttr);
  }
  Status checkNames();
  Status bind(unsigned index);
  StatusOr<int64_t> evaluate(unsigned index, StringAttr text);
  StatusOr<std::string> textOf(unsigned index);

  tile::KernelOp kernel;
  const Shapes &given;
  runtime::Bindings sizes;
};
} // namespace

std::string NamedReader::nameOf(unsigned index) {
  auto name = tile::callerAttribute<StringAttr>(kernel, index, tile::kNameAttr);
  return name ? name.str() : "arg" + std::to_string(index);
}

Status NamedReader::checkNames() {
  std::vector<std::string> known;
  for (unsigned i = 0; i < kernel.getNumLaunchArguments(); ++i)
    known.push_back(nameOf(i));
  for (const auto &[name, shape] : given)
    if (!llvm::is_contained(known, name))
      return Status::notFound(
          format("--input-shape: there is no argument '{}'\n  the kernel's "
                 "arguments: {}",
                 {name, llvm::join(known, ", ")}));
  return Status();
}

/// The sizes that a given shape has names for.
Status NamedReader::bind(unsigned index) {
  auto shape = given.find(nameOf(index));
  if (shape == given.end())
    return Status();
  auto view = dyn_cast<tile::ViewType>(kernel.getArgumentTypes()[index]);
  if (!view || view.getShape().size() != shape->second.size())
    return Status::invalidInput(
        format("--input-shape {}: found {} sizes, the argument has {}",
               {shape->first, shape->second.size(),
                view ? view.getShape().size() : 0}));
  ArrayAttr dims = dimsOf(index);
  for (size_t d = 0; dims && d < std::min(dims.size(), shape->second.size());
       ++d)
    if (auto name = dyn_cast<StringAttr>(dims[d]);
        name && shape->second[d] >= 0 && !name.empty())
      sizes.try_emplace(name.str(), shape->second[d]);
  return Status();
}

StatusOr<int64_t> NamedReader::evaluate(unsigned index, StringAttr text) {
  StatusOr<runtime::Expression> size = Status::invalidInput("it has no name");
  if (text && !text.empty())
    size = runtime::Expression::parse(text.getValue().str());
  StatusOr<int64_t> value = size.status();
  if (size.ok())
    value = size->evaluate(sizes);
  if (!value.ok())
    return Status::invalidInput(
        format("argument '{}' has a size that is not known: {}; give "
               "--input-shape {}=..",
               {nameOf(index), value.status().message(), nameOf(index)}));
  return value;
}

StatusOr<std::string> NamedReader::textOf(unsigned index) {
  auto view = dyn_cast<tile::ViewType>(kernel.getArgumentTypes()[index]);
  if (!view) {
    auto value =
        tile::callerAttribute<StringAttr>(kernel, index, tile::kValueAttr);
    if (!value)
      return Status::invalidInput(
          format("argument '{}' is no tensor; give all arguments in their "
                 "order, with --argument",
                 {nameOf(index)}));
    TILEWRIGHT_ASSIGN_OR_RETURN(int64_t number, evaluate(index, value));
    return "=" + std::to_string(number);
  }
  auto shape = given.find(nameOf(index));
  ArrayAttr dims = dimsOf(index);
  std::vector<std::string> texts;
  for (auto [d, size] : llvm::enumerate(view.getShape())) {
    int64_t known = size;
    if (shape != given.end() && shape->second[d] >= 0) {
      known = shape->second[d];
    } else if (ShapedType::isDynamic(size)) {
      TILEWRIGHT_ASSIGN_OR_RETURN(
          known, evaluate(index, dims && d < dims.size()
                                     ? dyn_cast<StringAttr>(dims[d])
                                     : StringAttr()));
    }
    texts.push_back(std::to_string(known));
  }
  return llvm::join(texts, "x");
}

StatusOr<std::string> NamedReader::run() {
  TILEWRIGHT_RETURN_IF_ERROR(checkNames());
  const unsigned count = kernel.getNumLaunchArguments();
  for (unsigned i = 0; i < count; ++i)
    TILEWRIGHT_RETURN_IF_ERROR(bind(i));
  std::vector<std::string> texts;
  for (unsigned i = 0; i < count; ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(std::string text, textOf(i));
    texts.push_back(std::move(text));
  }
  return llvm::join(texts, " ");
}

StatusOr<std::string>
namedArguments(const std::string &code,
               const std::map<std::string, std::vector<int64_t>> &shapes) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  prepareContext(context);
  DiagnosticCollector errors(&context);
  TILEWRIGHT_ASSIGN_OR_RETURN(TunableModule module,
                              TunableModule::parse(context, {code, "kernel"}));
  TILEWRIGHT_ASSIGN_OR_RETURN(tile::KernelOp kernel,
                              findKernel(module.module()));
  return NamedReader(kernel, shapes).run();
}

} // namespace tilewright::autotune
