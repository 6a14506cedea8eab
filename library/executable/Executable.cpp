#include "library/executable/Executable.h"

#include <bit>
#include <cmath>

namespace tilewright {

using runtime::DType;
using runtime::KernelArgument;
using runtime::LaunchArgument;

static std::string typeName(const KernelArgument &parameter) {
  return parameter.dtype ? std::string(runtime::dtypeName(*parameter.dtype))
                         : "index or pointer";
}

/// A tensor for a view: signless integers of either sign share their bits.
static Status checkElements(const KernelArgument &parameter, DType given) {
  using Kind = runtime::DTypeKind;
  const runtime::DTypeInfo &expected = runtime::dtypeInfo(*parameter.dtype),
                           &found = runtime::dtypeInfo(given);
  auto isInteger = [](Kind kind) {
    return kind == Kind::signedInteger || kind == Kind::unsignedInteger;
  };
  if (given == *parameter.dtype ||
      (isInteger(expected.kind) && isInteger(found.kind) &&
       expected.bits == found.bits))
    return {};
  return Status::invalidInput("expected elements of " +
                              std::string(expected.name) + ", found " +
                              std::string(found.name));
}

static StatusOr<LaunchArgument> integerArgument(const KernelArgument &parameter,
                                                int64_t value) {
  unsigned bits =
      parameter.dtype ? runtime::dtypeInfo(*parameter.dtype).bits : 64;
  // As signed or unsigned: the parameter's sign is not known.
  bool fits = bits == 64 || (value >= -(int64_t{1} << (bits - 1)) &&
                             value < (int64_t{1} << bits));
  if (fits)
    return LaunchArgument::integer(value);
  return Status::invalidInput("the number " + std::to_string(value) +
                              " does not fit " + typeName(parameter));
}

static StatusOr<LaunchArgument> floatArgument(const KernelArgument &parameter,
                                              double value) {
  switch (*parameter.dtype) {
  case DType::F32:
    return LaunchArgument::f32(static_cast<float>(value));
  case DType::F64:
    return LaunchArgument::f64(value);
  default:
    return Status::unsupported("a parameter of " + typeName(parameter) +
                               " takes no number of C++; pass f32 and convert "
                               "it in the kernel");
  }
}

static StatusOr<LaunchArgument> numberArgument(const KernelArgument &parameter,
                                               double value, bool isInteger,
                                               int64_t integer) {
  if (parameter.isView())
    return Status::invalidInput("expected a tensor of " + typeName(parameter) +
                                ", found a number");
  bool isFloat = parameter.dtype && runtime::dtypeInfo(*parameter.dtype).kind ==
                                        runtime::DTypeKind::floatingPoint;
  if (isFloat)
    return floatArgument(parameter, value);
  if (isInteger)
    return integerArgument(parameter, integer);
  return Status::invalidInput("expected an integer for " + typeName(parameter) +
                              ", found " + std::to_string(value));
}

static StatusOr<LaunchArgument> tensorArgument(const KernelArgument &parameter,
                                               const DeviceTensor &tensor,
                                               bool asPointer,
                                               const runtime::Shape &strides) {
  if (!tensor.buffer())
    return Status::invalidInput("the tensor is empty");
  if (asPointer) {
    if (!parameter.isView() && !parameter.dtype)
      return LaunchArgument::integer(
          static_cast<int64_t>(tensor.buffer()->address()));
    return Status::invalidInput("found a pointer, expected " +
                                (parameter.isView()
                                     ? "a tensor of " + typeName(parameter)
                                     : "a number of " + typeName(parameter)));
  }
  if (!parameter.isView())
    return Status::invalidInput(
        "found a tensor, expected " +
        (parameter.dtype ? "a number of " + typeName(parameter)
                         : "a number, or a pointer: Argument::pointerTo"));
  TILEWRIGHT_RETURN_IF_ERROR(checkElements(parameter, tensor.dtype()));
  return LaunchArgument::view(*tensor.buffer(), tensor.shape(), strides);
}

Status Executable::launchAll(runtime::Stream &stream,
                             std::span<const Argument> arguments) const {
  const runtime::KernelManifest &manifest = kernel->manifest();
  std::vector<LaunchArgument> words;
  // One too many or too few is told by the launch.
  for (size_t i = 0; i < arguments.size() && i < manifest.arguments.size();
       ++i) {
    const Argument &given = arguments[i];
    const KernelArgument &parameter = manifest.arguments[i];
    StatusOr<LaunchArgument> word = Status::internal("no argument");
    if (auto *tensor = std::get_if<const DeviceTensor *>(&given.value))
      word =
          tensorArgument(parameter, **tensor, given.asPointer, given.strides);
    else if (auto *integer = std::get_if<int64_t>(&given.value))
      word = numberArgument(parameter, static_cast<double>(*integer), true,
                            *integer);
    else
      word = numberArgument(parameter, std::get<double>(given.value), false, 0);
    if (!word.ok())
      return word.status().prefixed("kernel '" + manifest.name +
                                    "': argument " + std::to_string(i));
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
  request.target =
      options.target.empty() ? device.info().targets.front() : options.target;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      KernelImage image,
      options.compiler ? options.compiler->compile(request) : compile(request));
  return Executable::load(std::move(image), device);
}

} // namespace tilewright
