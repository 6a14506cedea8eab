//===- KernelSource.cpp - A tile kernel written by hand -------------------===//
#include "autotune/task/Source.h"
#include "codegen/pipeline/Expressions.h"
#include "support/Format.h"
#include "tileir/analysis/ArgumentAccesses.h"
#include "tileir/transforms/Passes.h"
#include "llvm/Support/Error.h"
#include <algorithm>

using namespace mlir;

namespace tilewright::autotune {

namespace {
class KernelSource : public Source {
public:
  explicit KernelSource(TunableModule module) : module(std::move(module)) {}

  Status read(StringRef arguments);
  std::vector<Parameter> parameters() const override { return open; }
  const std::vector<TaskTensor> &tensors() const override { return given; }
  StatusOr<TaskKernel>
  build(const std::map<std::string, int64_t> &values) override;

private:
  Status addArgument(tile::KernelOp kernel,
                     const tile::ArgumentAccesses &accesses, unsigned index,
                     StringRef text);
  StatusOr<runtime::Shape> shapeOf(tile::ViewType view, StringRef text);

  TunableModule module;
  std::vector<Parameter> open;
  std::vector<TaskTensor> given;
  std::vector<TaskArgument> launch;
};
} // namespace

StatusOr<TaskKernel>
KernelSource::build(const std::map<std::string, int64_t> &values) {
  TILEWRIGHT_ASSIGN_OR_RETURN(BoundKernel bound, module.bind("", values));
  tile::isolate(bound.kernel);
  return TaskKernel{std::move(bound), launch};
}

/// Ordered so that neighbours are similar.
static Parameter parameterOf(const tile::Tunable &tunable) {
  Parameter parameter{tunable.name, tunable.values, 0};
  llvm::sort(parameter.values);
  parameter.defaultIndex =
      size_t(llvm::find(parameter.values, tunable.values.front()) -
             parameter.values.begin());
  return parameter;
}

/// "64x?" of a view's type with the sizes in `text`.
StatusOr<runtime::Shape> KernelSource::shapeOf(tile::ViewType view,
                                               StringRef text) {
  runtime::Shape shape = view.getShape().vec();
  if (text.empty() && !llvm::is_contained(shape, ShapedType::kDynamic))
    return shape;
  SmallVector<StringRef> sizes;
  text.split(sizes, 'x');
  bool isGood = sizes.size() == shape.size();
  for (size_t d = 0; isGood && d < shape.size(); ++d) {
    int64_t size = 0;
    isGood = !sizes[d].getAsInteger(10, size) && size > 0 &&
             (ShapedType::isDynamic(shape[d]) || shape[d] == size);
    shape[d] = size;
  }
  if (isGood)
    return shape;
  std::string type;
  llvm::raw_string_ostream(type) << view;
  return Status::invalidInput(
      format("expected a shape for {}, found '{}'; give --argument for each "
             "argument, or --input-shape NAME=..",
             {type, text.str()}));
}

/// "=7" as it is passed to a launch: floats by their bits.
static std::optional<int64_t> readScalar(Type type, StringRef text) {
  if (!text.consume_front("="))
    return std::nullopt;
  if (auto real = dyn_cast<FloatType>(type)) {
    APFloat value(real.getFloatSemantics());
    auto read = value.convertFromString(text, APFloat::rmNearestTiesToEven);
    if (!read) {
      llvm::consumeError(read.takeError());
      return std::nullopt;
    }
    return int64_t(value.bitcastToAPInt().getZExtValue());
  }
  int64_t scalar = 0;
  if (!type.isIntOrIndex() || text.getAsInteger(10, scalar))
    return std::nullopt;
  return scalar;
}

Status KernelSource::addArgument(tile::KernelOp kernel,
                                 const tile::ArgumentAccesses &accesses,
                                 unsigned index, StringRef text) {
  auto reject = [&](const std::string &what) {
    return Status::invalidInput(format("argument {}: {}", {index, what}));
  };
  Type type = kernel.getArgumentTypes()[index];
  auto view = dyn_cast<tile::ViewType>(type);
  auto pointer = dyn_cast<tile::PtrType>(type);
  if (!view && !pointer) {
    std::optional<int64_t> scalar = readScalar(type, text);
    if (!scalar)
      return reject(
          format("expected the value of {}, found '{}'",
                 {isa<FloatType>(type) ? "a float, '=0.5'" : "an integer, '=7'",
                  text.str()}));
    launch.push_back({std::nullopt, *scalar});
    return Status();
  }
  TaskTensor tensor;
  std::optional<runtime::DType> dtype =
      toDType(view ? view.getElementType() : pointer.getPointee());
  if (!dtype)
    return reject("its element type has no place in memory");
  tensor.dtype = *dtype;
  if (view) {
    StatusOr<runtime::Shape> shape = shapeOf(view, text);
    if (!shape.ok())
      return reject(shape.status().message());
    tensor.shape = *shape;
  } else {
    int64_t elements = 0;
    if (text.getAsInteger(10, elements) || elements <= 0)
      return reject(
          format("expected the number of elements behind a pointer, found '{}'",
                 {text.str()}));
    tensor.shape = {elements};
  }
  tensor.isRead = accesses.read[index];
  tensor.isWritten = accesses.written[index];
  launch.push_back({given.size(), 0});
  given.push_back(std::move(tensor));
  return Status();
}

Status KernelSource::read(StringRef arguments) {
  StatusOr<tile::KernelOp> kernel = findKernel(module.module());
  if (!kernel.ok())
    return kernel.status().prefixed("tuning");
  for (const tile::Tunable &tunable : module.tunables(*kernel))
    open.push_back(parameterOf(tunable));
  SmallVector<StringRef> texts;
  arguments.split(texts, ' ', -1, /*KeepEmpty=*/false);
  unsigned count = kernel->getNumLaunchArguments();
  if (texts.empty())
    texts.assign(count, "");
  if (texts.size() != count)
    return Status::invalidInput(
        format("expected the shapes of {} arguments, found {}",
               {count, texts.size()}));
  TILEWRIGHT_ASSIGN_OR_RETURN(TaskKernel built, build({}));
  const tile::ArgumentAccesses accesses(built.kernel);
  for (unsigned i = 0; i < count; ++i)
    TILEWRIGHT_RETURN_IF_ERROR(addArgument(*kernel, accesses, i, texts[i]));
  return Status();
}

StatusOr<std::unique_ptr<Source>>
openKernelSource(MLIRContext &context, const std::string &code,
                 const std::string &arguments) {
  TILEWRIGHT_ASSIGN_OR_RETURN(TunableModule module,
                              TunableModule::parse(context, {code, "kernel"}));
  auto source = std::make_unique<KernelSource>(std::move(module));
  TILEWRIGHT_RETURN_IF_ERROR(source->read(arguments));
  return std::unique_ptr<Source>(std::move(source));
}

} // namespace tilewright::autotune
