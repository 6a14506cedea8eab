#include "Kernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "tilewright/mlir/Compile.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Launch.h"
#include <catch2/catch.hpp>

using namespace mlir;

namespace tilewright::mathtest {

struct Kernel::Loaded {
  std::shared_ptr<runtime::Device> device;
  std::shared_ptr<runtime::Module> module;
  std::shared_ptr<runtime::Kernel> kernel;
  size_t elementBytes, exponentBytes;
};

bool isBinary(const std::string &name) {
  return name == "atan2" || name == "powf" || name == "fpowi";
}

/// Each program computes one tile of 256 elements of its views.
static std::string textOf(const std::string &name, const std::string &type,
                          const std::string &exponent, int result) {
  std::string second = name == "fpowi" ? exponent : type;
  std::string tile = "tensor<256x" + type + ">";
  std::string view = "!tile.view<?x" + type + ">";
  std::string secondTile = "tensor<256x" + second + ">";
  std::string secondView = "!tile.view<?x" + second + ">";
  std::string call = name == "sincos" ? "%s:2" : "%r";
  call += " = math." + name + " %a";
  if (isBinary(name))
    call += ", %b";
  call += " : " + tile + (name == "fpowi" ? ", " + secondTile : "") + "\n";
  std::string stored = name == "sincos" ? "%s#" + std::to_string(result) : "%r";
  return "tile.kernel @k(%x: " + view + ", %y: " + secondView +
         ", %o: " + view +
         ") grid affine_map<()[s0, s1, s2] -> (s0 ceildiv 256)> {\n" +
         "%i = tile.program_id\n"
         "%a = tile.load %x[%i] : " +
         view + " -> " + tile + "\n" +
         (isBinary(name) ? "%b = tile.load %y[%i] : " + secondView + " -> " +
                               secondTile + "\n"
                         : "") +
         call + "tile.store " + stored + ", %o[%i] : " + tile + ", " + view +
         "\n}\n";
}

static MLIRContext &context() {
  static MLIRContext context;
  static bool isPrepared = (prepareContext(context), true);
  (void)isPrepared;
  return context;
}

/// The value, or the end of the test.
template <typename T> static T take(StatusOr<T> value) {
  if (!value.ok())
    FAIL(value.status().message());
  return std::move(*value);
}
static void check(const Status &status) {
  if (!status.ok())
    FAIL(status.message());
}

Kernel::Kernel(const std::string &name, const std::string &type,
               const std::string &exponent, int result)
    : loaded(std::make_unique<Loaded>()) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      textOf(name, type, exponent, result), &context());
  REQUIRE(module);
  auto image = take(
      compile(module->lookupSymbol<tile::KernelOp>("k"), cpu::hostTarget()));
  loaded->device = take(runtime::openDevice("cpu"));
  loaded->module =
      take(loaded->device->loadModule(std::as_bytes(std::span(image.code))));
  loaded->kernel = take(loaded->module->kernel(image.manifest));
  loaded->elementBytes = type == "f32" ? 4 : 8;
  loaded->exponentBytes = std::stoi(exponent.substr(1)) / 8;
}
Kernel::~Kernel() = default;

void Kernel::launch(std::span<const std::byte> x, std::span<const std::byte> y,
                    std::span<std::byte> results) const {
  auto &[device, module, kernel, elementBytes, exponentBytes] = *loaded;
  int64_t count = x.size() / elementBytes;
  auto stream = take(device->createStream());
  auto upload = [&](std::span<const std::byte> bytes) {
    auto buffer = take(device->allocate(std::max<size_t>(bytes.size(), 8)));
    check(stream->copyToDevice(*buffer, 0, bytes.data(), bytes.size()));
    return buffer;
  };
  auto first = upload(x), second = upload(y), output = upload(results);
  int64_t others = y.empty() ? 0 : count;
  runtime::LaunchArgument arguments[] = {
      runtime::LaunchArgument::view(*first, {count}),
      runtime::LaunchArgument::view(*second, {others}),
      runtime::LaunchArgument::view(*output, {count})};
  check(runtime::launch(*stream, *kernel, arguments));
  check(stream->synchronize());
  check(stream->copyToHost(results.data(), *output, 0, results.size()));
  check(stream->synchronize());
}

} // namespace tilewright::mathtest
