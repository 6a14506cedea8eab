#include "tilewright/compiler/Executable.h"
#include "support/Format.h"

#include <cmath>

namespace tilewright {

using runtime::DType;
using runtime::KernelArgument;
using runtime::LaunchArgument;

namespace {

/// A parameter as its kernel was compiled, and, where that is known, as the
/// C++ function declares it.
struct Parameter {
  const KernelArgument &compiled;
  const authoring::detail::ParameterType *declared = nullptr;

  /// The element type; none: an index, or a pointer of unknown type.
  [[nodiscard]] std::optional<DType> dtype() const {
    if (declared && !declared->element.isIndex)
      return declared->element.dtype;
    return compiled.dtype;
  }
  [[nodiscard]] bool isPointer() const {
    return declared &&
           declared->kind == authoring::detail::ParameterType::Kind::pointer;
  }
  /// Whether the argument may be a pointer.
  [[nodiscard]] bool takesPointer() const {
    return declared ? isPointer() : !compiled.isView() && !compiled.dtype;
  }
  [[nodiscard]] std::string typeName() const {
    return dtype()    ? std::string(runtime::dtypeName(*dtype()))
           : declared ? "index"
                      : "index or pointer";
  }
  /// "a tensor of f32", "a pointer to i32, Argument::pointerTo", "a number of
  /// u8".
  [[nodiscard]] std::string text() const {
    if (compiled.isView())
      return "a tensor of " + typeName();
    if (isPointer())
      return format("a pointer to {}: Argument::pointerTo", {typeName()});
    if (!declared && !dtype())
      return "a number, or a pointer: Argument::pointerTo";
    return "a number of " + typeName();
  }
};

} // namespace

/// A tensor for a view or a pointer: integers of either sign share their bits.
static Status checkElements(const Parameter &parameter, DType given) {
  using Kind = runtime::DTypeKind;
  const runtime::DTypeInfo &expected = runtime::dtypeInfo(*parameter.dtype()),
                           &found = runtime::dtypeInfo(given);
  auto isInteger = [](Kind kind) {
    return kind == Kind::signedInteger || kind == Kind::unsignedInteger;
  };
  if (expected.dtype == found.dtype ||
      (isInteger(expected.kind) && isInteger(found.kind) &&
       expected.bits == found.bits))
    return {};
  return Status::invalidInput(
      parameter.compiled.isView()
          ? format("expected elements of {}, found {}",
                   {expected.name, found.name})
          : format("expected a pointer to {}, found one to {}",
                   {expected.name, found.name}));
}

//===--- Numbers ----------------------------------------------------------===//

/// A range of integers, and its text.
struct IntegerRange {
  int64_t least;
  uint64_t most;
};
static IntegerRange rangeOf(const Parameter &parameter) {
  if (!parameter.dtype())
    return {INT64_MIN, INT64_MAX};
  const runtime::DTypeInfo &type = runtime::dtypeInfo(*parameter.dtype());
  uint64_t all = UINT64_MAX >> (64 - type.bits);
  if (type.kind == runtime::DTypeKind::boolean)
    return {0, 1};
  if (type.kind == runtime::DTypeKind::unsignedInteger)
    return {0, all};
  int64_t least = -static_cast<int64_t>(all / 2) - 1;
  // Without a declaration the sign is not known.
  return {least, parameter.declared ? all / 2 : all};
}

/// An integer of either sign: `value` where it is negative, else `size`.
static StatusOr<LaunchArgument> integerArgument(const Parameter &parameter,
                                                int64_t value, uint64_t size) {
  bool isNegative = value < 0 && size == 0;
  IntegerRange range = rangeOf(parameter);
  if (isNegative ? value >= range.least : size <= range.most)
    return LaunchArgument::integer(isNegative ? value
                                              : static_cast<int64_t>(size));
  return Status::invalidInput(
      format("the number {} does not fit {}: expected {} to {}",
             {isNegative ? std::to_string(value) : std::to_string(size),
              parameter.typeName(), range.least, range.most}));
}

static StatusOr<LaunchArgument> floatArgument(const Parameter &parameter,
                                              double value) {
  auto tooLarge = [&] {
    return Status::invalidInput(format("the number {:f} does not fit {}",
                                       {value, parameter.typeName()}));
  };
  auto fits = [&](double rounded) {
    return std::isfinite(rounded) || !std::isfinite(value);
  };
  switch (*parameter.dtype()) {
  case DType::F16:
  case DType::BF16: {
    bool isHalf = *parameter.dtype() == DType::F16;
    Float16 half(value);
    BFloat16 brain(value);
    if (!fits(isHalf ? float(half) : float(brain)))
      return tooLarge();
    return LaunchArgument::integer(isHalf ? half.bits : brain.bits);
  }
  case DType::F32:
    if (!fits(static_cast<float>(value)))
      return tooLarge();
    return LaunchArgument::f32(static_cast<float>(value));
  case DType::F64:
    return LaunchArgument::f64(value);
  default:
    return Status::unsupported(
        format("a parameter of {} takes no number of C++; pass f32 and convert "
               "it in the kernel",
               {parameter.typeName()}));
  }
}

static StatusOr<LaunchArgument> numberArgument(const Parameter &parameter,
                                               const Argument::Number &number) {
  if (parameter.compiled.isView() || parameter.isPointer())
    return Status::invalidInput(
        format("expected {}, found a number", {parameter.text()}));
  auto *integer = std::get_if<int64_t>(&number);
  auto *size = std::get_if<uint64_t>(&number);
  bool isFloat =
      parameter.dtype() && runtime::dtypeInfo(*parameter.dtype()).kind ==
                               runtime::DTypeKind::floatingPoint;
  if (isFloat)
    return floatArgument(parameter, integer ? static_cast<double>(*integer)
                                    : size  ? static_cast<double>(*size)
                                            : std::get<double>(number));
  if (size)
    return integerArgument(parameter, 0, *size);
  if (integer)
    return integerArgument(parameter, *integer,
                           *integer < 0 ? 0 : static_cast<uint64_t>(*integer));
  return Status::invalidInput(
      format("expected an integer for {}, found {:f}",
             {parameter.typeName(), std::get<double>(number)}));
}

//===--- Tensors ----------------------------------------------------------===//

static StatusOr<LaunchArgument> tensorArgument(const Parameter &parameter,
                                               const DeviceTensor &tensor,
                                               bool asPointer,
                                               const runtime::Shape &strides) {
  if (!tensor.buffer())
    return Status::invalidInput("the tensor is empty");
  if (asPointer != parameter.takesPointer() ||
      (!asPointer && !parameter.compiled.isView()))
    return Status::invalidInput(
        format("found a {}, expected {}",
               {asPointer ? "pointer" : "tensor", parameter.text()}));
  if (!asPointer || parameter.declared)
    TILEWRIGHT_RETURN_IF_ERROR(checkElements(parameter, tensor.dtype()));
  return asPointer
             ? LaunchArgument::pointer(*tensor.buffer())
             : LaunchArgument::view(*tensor.buffer(), tensor.shape(), strides);
}

Status Executable::launchAll(runtime::Stream &stream,
                             std::span<const Argument> arguments) const {
  const runtime::KernelManifest &manifest = kernel->manifest();
  std::vector<LaunchArgument> words;
  // The launch reports a wrong number of arguments.
  for (size_t i = 0; i < arguments.size() && i < manifest.arguments.size();
       ++i) {
    const Argument &given = arguments[i];
    Parameter parameter = {manifest.arguments[i],
                           i < parameters.size() ? &parameters[i] : nullptr};
    StatusOr<LaunchArgument> word =
        given.tensor ? tensorArgument(parameter, *given.tensor, given.asPointer,
                                      given.strides)
                     : numberArgument(parameter, given.number);
    if (!word.ok())
      return word.status().prefixed(
          format("kernel '{}': argument {}", {manifest.name, i}));
    words.push_back(std::move(*word));
  }
  words.resize(arguments.size());
  return runtime::launch(stream, *kernel, words);
}

StatusOr<Executable> Executable::load(KernelImage image,
                                      runtime::Device &device) {
  Executable executable;
  TILEWRIGHT_RETURN_IF_ERROR(device.accepts(image.manifest));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      std::shared_ptr<runtime::Module> module,
      device.loadModule(std::as_bytes(std::span(image.code))));
  TILEWRIGHT_ASSIGN_OR_RETURN(executable.kernel,
                              module->kernel(image.manifest));
  executable.compiled = std::make_shared<const KernelImage>(std::move(image));
  return executable;
}

StatusOr<Executable> load(const authoring::Kernel &kernel,
                          runtime::Device &device,
                          const authoring::Bindings &bindings,
                          const LoadOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(authoring::BuiltKernel built,
                              kernel.build(bindings, options.build));
  CompileRequest request;
  request.module = std::move(built.module);
  request.kernel = built.name;
  request.schedule = options.schedule;
  request.precision = options.precision;
  request.target =
      options.target.empty() ? device.info().targets.front() : options.target;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      KernelImage image,
      options.compiler ? options.compiler->compile(request) : compile(request));
  TILEWRIGHT_ASSIGN_OR_RETURN(Executable executable,
                              Executable::load(std::move(image), device));
  executable.parameters = std::move(built.parameters);
  return executable;
}

} // namespace tilewright
