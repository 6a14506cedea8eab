//===- KernelSource.cpp - A tile kernel written by hand -------------------===//
#include "autotune/task/Source.h"
#include "codegen/pipeline/Expressions.h"
#include "library/model/KernelText.h"
#include "support/Format.h"
#include "tileir/transforms/Passes.h"
#include "llvm/Support/Error.h"
#include <algorithm>

using namespace mlir;

namespace tilewright::autotune {

namespace {
class KernelSource : public Source {
public:
  KernelSource(MLIRContext &context, KernelText code)
      : context(context), code(std::move(code)) {}

  Status read(StringRef arguments);
  std::vector<Parameter> parameters() const override { return open; }
  const std::vector<TaskTensor> &tensors() const override { return given; }
  StatusOr<BuiltKernel>
  build(const std::map<std::string, int64_t> &values) override;

private:
  Status addArgument(tile::KernelOp kernel, unsigned index, StringRef text);
  StatusOr<runtime::Shape> shapeOf(tile::ViewType view, StringRef text);

  MLIRContext &context;
  KernelText code;
  std::vector<Parameter> open;
  std::vector<TaskTensor> given;
  std::vector<TaskArgument> launch;
};
} // namespace

/// What was read of a module.
static StatusOr<BuiltKernel> builtOf(OwningOpRef<ModuleOp> module) {
  StatusOr<tile::KernelOp> kernel = onlyKernel(*module);
  if (!kernel.ok())
    return kernel.status();
  return BuiltKernel{std::move(module), *kernel, {}};
}

StatusOr<BuiltKernel>
KernelSource::build(const std::map<std::string, int64_t> &values) {
  TILEWRIGHT_ASSIGN_OR_RETURN(OwningOpRef<ModuleOp> module,
                              code.bind(context, values));
  TILEWRIGHT_ASSIGN_OR_RETURN(BuiltKernel built, builtOf(std::move(module)));
  tile::inlineCalls(built.kernel, *built.module);
  built.arguments = launch;
  return built;
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
      format("expected a shape for {}, found '{}'", {type, text.str()}));
}

/// Whether the kernel reads and writes the memory behind an argument; what is
/// made a pointer may do either.
static void findUses(Value value, TaskTensor &tensor) {
  for (Operation *user : value.getUsers()) {
    bool isBase =
        isa<tile::BaseOp>(user) || !isa<tile::ViewType>(value.getType());
    bool isAccess = isa<tile::ViewAccessOpInterface>(user);
    tensor.isWritten |=
        isBase || (isAccess && hasEffect<MemoryEffects::Write>(user));
    tensor.isRead |=
        isBase || (isAccess && hasEffect<MemoryEffects::Read>(user));
    // A view that control flow carries.
    if (isa<RegionBranchOpInterface, RegionBranchTerminatorOpInterface>(user))
      tensor.isRead = tensor.isWritten = true;
  }
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

Status KernelSource::addArgument(tile::KernelOp kernel, unsigned index,
                                 StringRef text) {
  auto reject = [&](const std::string &what) {
    return Status::invalidInput(format("argument {}: {}", {index, what}));
  };
  Type type = kernel.getArgumentTypes()[index];
  Value value = kernel.getRegion().getArgument(index);
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
  findUses(value, tensor);
  launch.push_back({given.size(), 0});
  given.push_back(std::move(tensor));
  return Status();
}

Status KernelSource::read(StringRef arguments) {
  TILEWRIGHT_ASSIGN_OR_RETURN(OwningOpRef<ModuleOp> module,
                              code.parse(context, {}));
  for (const tile::Tunable &tunable : code.tunables(*module))
    open.push_back(parameterOf(tunable));
  StatusOr<BuiltKernel> built = builtOf(std::move(module));
  if (!built.ok())
    return built.status().prefixed("tuning");
  SmallVector<StringRef> texts;
  arguments.split(texts, ' ', -1, /*KeepEmpty=*/false);
  unsigned count = built->kernel.getNumLaunchArguments();
  if (texts.empty())
    texts.assign(count, "");
  if (texts.size() != count)
    return Status::invalidInput(
        format("expected the shapes of {} arguments, found {}",
               {count, texts.size()}));
  for (unsigned i = 0; i < count; ++i)
    TILEWRIGHT_RETURN_IF_ERROR(addArgument(built->kernel, i, texts[i]));
  return Status();
}

StatusOr<std::unique_ptr<Source>>
openKernelSource(MLIRContext &context, const std::string &code,
                 const std::string &arguments) {
  TILEWRIGHT_ASSIGN_OR_RETURN(KernelText text,
                              KernelText::open(code, "kernel"));
  auto source = std::make_unique<KernelSource>(context, std::move(text));
  TILEWRIGHT_RETURN_IF_ERROR(source->read(arguments));
  return std::unique_ptr<Source>(std::move(source));
}

} // namespace tilewright::autotune
